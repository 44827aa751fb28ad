import { AppError } from '../model/errors.ts';
import type { Notice } from '../model/ports.ts';
import { isPresent } from '../model/reading.ts';
import type { DiagnosedDevice } from '../sources/nvml/diagnosis.ts';
import { type Check, failed, said } from './doctor-check.ts';

/** What can be told of the GPUs that a source lists. */
export function examineDevices(
  found: readonly DiagnosedDevice[],
  source: string,
  notices: readonly Notice[] = [],
): Check[] {
  if (found.length === 0) return [failed(new AppError('NO_DEVICE', { source }))];
  // The MIG instances of a card are parts of it.
  const cards = found.filter(({ device }) => device.mig === undefined);
  const well = cards.filter(({ state, isReadable }) => state === 'asleep' || (state === 'ok' && isReadable));
  const names = [...new Set(well.map(({ device }) => device.name))].join(', ');
  const codes = new Map(notices.flatMap(({ key, params }) => codeIn(key, params)));
  return [
    ...(well.length > 0 ? [said('gpus', 'ok', 'doctor.gpus', { count: well.length, names })] : []),
    ...cards.flatMap((card) => examineCard(card, codes.get(card.device.index) ?? null)),
    ...examineModes(cards, found),
  ];
}

/** The code with which the driver refuses to open a card. */
function codeIn(key: Notice['key'], { index, code }: Notice['params']): [number, number][] {
  return key === 'notice.gpu-closed' ? [[Number(index), Number(code)]] : [];
}

/** NVML's code for a card that has to be reset before it can be used again. */
const RESET_REQUIRED = 16;
const NO_PERMISSION = 4;

function examineCard(
  { device: { index, name }, state, isReadable, absence }: DiagnosedDevice,
  code: number | null,
): Check[] {
  const fault = (id: 'lost' | 'denied' | 'unreadable' | 'silent' | 'reset'): Check[] => [
    said(`gpu-${id}`, 'fault', `doctor.gpu-${id}`, { index, name, code: code ?? '' }, `doctor.gpu-${id}-remedy`),
  ];
  if (state === 'lost') return fault('lost');
  if (code === RESET_REQUIRED) return fault('reset');
  if (absence === 'no-permission' || code === NO_PERMISSION) return fault('denied');
  // It was asked and gave nothing; one that hangs was not even asked.
  if ((state === 'ok' && !isReadable) || (state === 'stale' && absence !== null)) return fault('unreadable');
  return state === 'stale' ? fault('silent') : [];
}

/** Modes in which a card is well and yet not as somebody may want it. */
function examineModes(cards: readonly DiagnosedDevice[], found: readonly DiagnosedDevice[]): Check[] {
  const checks: Check[] = [];
  const sleepy = cards.filter(({ readings }) => readings?.get('persistence_mode') === 0);
  if (sleepy.length > 0) {
    const indexes = sleepy.map(({ device }) => device.index).join(', ');
    checks.push(said('persistence', 'warning', 'doctor.no-persistence', { indexes }, 'doctor.no-persistence-remedy'));
  }
  for (const { device, readings } of cards) {
    const { index, uuid } = device;
    const [mode, pending] = [readings?.get('mig_mode'), readings?.get('mig_mode_pending')];
    if (mode === undefined || !isPresent(mode)) continue;
    if (pending !== undefined && isPresent(pending) && pending !== mode) {
      checks.push(said('mig-pending', 'warning', 'doctor.mig-pending', { index }, 'doctor.mig-pending-remedy'));
    }
    if (mode !== 1) continue;
    const count = found.filter((each) => each.device.mig?.parent === uuid).length;
    checks.push(
      count > 0
        ? said('mig', 'ok', 'doctor.mig', { index, count })
        : said('mig-empty', 'warning', 'doctor.mig-empty', { index }, 'doctor.mig-empty-remedy'),
    );
  }
  return checks;
}
