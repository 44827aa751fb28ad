import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, detailOf, toAppError } from '../model/errors.ts';
import { MESSAGES, type MessageKey } from '../model/i18n/messages.ts';
import { fill, type Lang, type Params } from '../model/i18n/text.ts';
import { usualPlaces } from '../owners/places.ts';
import type { DiagnosedDevice, NvmlDiagnosis } from '../sources/nvml/diagnosis.ts';
import { defaultDataDirectory } from './config.ts';
import { takeSnapshot } from './one-shot.ts';
import { parseSource, type SourceOptions } from './open-source.ts';

/** One thing that was looked at, with its remedy where something is wrong. */
export interface Check {
  readonly id: string;
  readonly level: 'ok' | 'warning' | 'fault';
  text(lang: Lang): string;
  /** Null where nothing has to be done. */
  remedy(lang: Lang): string | null;
}

/** Looks at everything that decides whether gpulse sees the GPUs of a source. Never throws. */
export async function examine(options: SourceOptions): Promise<readonly Check[]> {
  const node = said('node', 'ok', 'doctor.node', { version: process.versions.node });
  return [node, ...(await examineSource(options)), ...(await examineHostOwners(options)), examineDataDirectory()];
}

async function examineSource(options: SourceOptions): Promise<Check[]> {
  try {
    if (parseSource(options.spec).kind !== 'device') return await examineSnapshot(options);
    const { diagnoseNvml } = await import('../sources/nvml/diagnosis.ts');
    const { clock, nvmlLibrary } = options;
    const found = await diagnoseNvml({ clock, ...(nvmlLibrary === null ? {} : { library: nvmlLibrary }) });
    const others = options.spec === 'auto' ? await examineOtherMakers(options) : [];
    // Who has GPUs of another maker, and no trace of NVIDIA's driver, does not miss it.
    const { kernelDriver, deviceNodes } = found.machine;
    const isNvidiaMissed = found.reason === null || kernelDriver !== null || deviceNodes.length > 0;
    return others.length > 0 && !isNvidiaMissed ? others : [...examineDriver(found), ...others];
  } catch (error) {
    return [failed(toAppError(error))];
  }
}

async function examineSnapshot(options: SourceOptions): Promise<Check[]> {
  const { source, origin, snapshot } = await takeSnapshot(options);
  const note = origin === 'simulated' ? [said('simulated', 'warning', 'cli.simulated')] : [];
  const found = snapshot.devices.map((view) => ({ ...view, isReadable: view.readings.isReadable(), absence: null }));
  return [...note, ...examineDevices(found, source)];
}

/** The GPUs of other makers than NVIDIA, if there are any. */
async function examineOtherMakers(options: SourceOptions): Promise<Check[]> {
  const checks: Check[] = [];
  for (const spec of ['amdgpu', 'intel']) {
    try {
      checks.push(...(await examineSnapshot({ ...options, spec })));
    } catch (error) {
      const failure = toAppError(error);
      if (failure.code !== 'DRM_NO_GPU') checks.push(failed(failure));
    }
  }
  return checks;
}

/** What the machine shows comes first: without a driver it explains the fault that ends the list. */
function examineDriver({ reason, library, machine, devices, notices }: NvmlDiagnosis): Check[] {
  const { kernelDriver, deviceNodes, isContainer, isWsl } = machine;
  const checks: Check[] = [];
  if (isContainer) checks.push(said('container', 'ok', 'doctor.container'));
  if (isWsl) checks.push(said('wsl', 'ok', 'doctor.wsl'));
  // WSL has neither: its driver is that of Windows.
  if (kernelDriver !== null) checks.push(said('driver', 'ok', 'doctor.driver', { version: kernelDriver }));
  else if (!isWsl) checks.push(said('driver', 'warning', 'doctor.no-driver'));
  if (deviceNodes.length > 0) checks.push(said('nodes', 'ok', 'doctor.nodes', { names: deviceNodes.join(' ') }));
  else if (!isWsl) checks.push(said('nodes', 'warning', 'doctor.no-nodes'));
  if (library !== null) checks.push(said('library', 'ok', 'doctor.library', { path: library }));
  if (reason === null || devices.length > 0) checks.push(...examineDevices(devices, 'nvml'));
  checks.push(...notices.map(({ key, params }) => said(key, 'warning', key, params)));
  return reason === null ? checks : [...checks, failed(reason)];
}

function examineDevices(found: readonly DiagnosedDevice[], source: string): Check[] {
  if (found.length === 0) return [failed(new AppError('NO_DEVICE', { source }))];
  const cards = found.filter(({ device, state }) => device.mig === undefined && state !== 'lost');
  const names = [...new Set(cards.map(({ device }) => device.name))].join(', ');
  return [said('gpus', 'ok', 'doctor.gpus', { count: cards.length, names }), ...found.flatMap(examineDevice)];
}

function examineDevice({ device: { index, name }, state, isReadable, absence }: DiagnosedDevice): Check[] {
  if (state === 'lost')
    return [said('gpu-lost', 'fault', 'doctor.gpu-lost', { index, name }, 'doctor.gpu-lost-remedy')];
  if (absence === 'no-permission') {
    return [said('gpu-denied', 'fault', 'doctor.gpu-denied', { index, name }, 'doctor.gpu-denied-remedy')];
  }
  // It was asked and gave nothing; one that hangs was not even asked.
  if ((state === 'ok' && !isReadable) || (state === 'stale' && absence !== null)) {
    return [said('gpu-unreadable', 'fault', 'doctor.gpu-unreadable', { index, name }, 'doctor.gpu-unreadable-remedy')];
  }
  if (state !== 'stale') return [];
  return [said('gpu-silent', 'fault', 'doctor.gpu-silent', { index, name }, 'doctor.gpu-silent-remedy')];
}

/** Whom processes work for can only be told for those of this machine. */
async function examineHostOwners({ spec }: SourceOptions): Promise<Check[]> {
  try {
    if (parseSource(spec).kind !== 'device') return [];
    const { examineOwners } = await import('../owners/examine.ts');
    const checks = await examineOwners(usualPlaces(process.env));
    return checks.map(({ id, level, key, params, remedy }) => said(id, level, key, params, remedy));
  } catch {
    // A source that is none is a fault already.
    return [];
  }
}

/** The directory itself, or the nearest folder above it that exists and would have to be written to create it. */
function examineDataDirectory(): Check {
  const path = defaultDataDirectory(process.env);
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
    return said('data', 'ok', 'doctor.data', { path });
  } catch (error) {
    return said('data', 'fault', 'doctor.data-fault', { path, detail: detailOf(error) }, 'doctor.data-remedy');
  }
}

function failed(error: AppError): Check {
  return { id: error.code, level: 'fault', text: (lang) => error.text(lang), remedy: (lang) => error.hint(lang) };
}

function said(
  id: string,
  level: Check['level'],
  key: MessageKey,
  params: Params = {},
  remedy: MessageKey | null = null,
): Check {
  return {
    id,
    level,
    text: (lang) => fill(MESSAGES[key][lang], params),
    remedy: (lang) => (remedy === null ? null : MESSAGES[remedy][lang]),
  };
}
