import type { WaitState } from '../../app/wait.ts';
import { slotOf } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import { duration, quantityText } from '../../model/format.ts';
import { isPresent } from '../../model/reading.ts';
import type { Standing } from '../../waiting/idle-watch.ts';
import { computingOn, freeBytes } from '../../waiting/obstacle.ts';
import type { Party } from '../../waiting/queue.ts';
import type { GpuRequest } from '../../waiting/request.ts';
import type { Context } from '../context.ts';

/** More are not named. */
const MOST_NAMES = 3;

/** What is waited for, and how each GPU stands: the first line says all in short. */
export function waitLines(state: WaitState, request: GpuRequest, waitedMs: number, context: Context): string[] {
  const { t, lang } = context;
  const free = state.standings.filter(({ isFree }) => isFree).length;
  const head = t('wait.head', { gpus: request.gpus, free, time: duration(waitedMs, lang) });
  const { ahead } = state;
  const names = ahead.slice(0, MOST_NAMES).map(partyName).join(comma(lang));
  const queue =
    ahead.length === 0 ? '' : `${lang === 'zh' ? '；' : '; '}${t('wait.ahead', { count: ahead.length, names })}`;
  return [
    head + queue,
    ...state.standings.map((one) => `  ${deviceName(one.device)}  ${standingText(one, state, request, context)}`),
  ];
}

export function deviceName({ index, mig }: Device): string {
  if (mig === undefined) return `GPU ${index}`;
  return `GPU ${index}:${mig.gpuInstance ?? '?'}`;
}

function standingText(standing: Standing, { holders }: WaitState, request: GpuRequest, context: Context): string {
  const { t, lang } = context;
  const { sample, obstacle, idleMs, isFree, device } = standing;
  switch (obstacle) {
    case null:
      if (isFree) return t('wait.is-free');
      return t('wait.settling', { time: duration(idleMs, lang), needed: duration(request.idleMs, lang) });
    case 'claimed': {
      const holder = holders.get(device.uuid) ?? null;
      return t('wait.claimed', { name: holder === null ? '?' : partyName(holder) });
    }
    case 'processes':
      return processWords(standing, context);
    case 'busy':
      return t('wait.busy', { use: quantityText(sample.readings.number(UTILISATION) ?? 1, 'ratio', lang) });
    case 'memory':
      return t('wait.memory', { free: quantityText(freeBytes(sample) ?? 0, 'bytes', lang) });
    default:
      return t(`wait.${obstacle}`);
  }
}

const UTILISATION = slotOf('utilization_ratio');

/** `lin:python (62.1 GiB)` */
function processWords({ sample }: Standing, { lang }: Context): string {
  const words = computingOn(sample).map(({ user, name, pid, memoryBytes }) => {
    const memory = isPresent(memoryBytes) ? ` (${quantityText(memoryBytes, 'bytes', lang)})` : '';
    return `${user ?? '?'}:${name ?? pid}${memory}`;
  });
  const more = words.length > MOST_NAMES ? [`+${words.length - MOST_NAMES}`] : [];
  return [...words.slice(0, MOST_NAMES), ...more].join(comma(lang));
}

function partyName({ user, command }: Party): string {
  return `${user}:${command}`;
}

function comma(lang: Context['lang']): string {
  return lang === 'zh' ? '、' : ', ';
}
