import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { detailOf, toAppError } from '../model/errors.ts';
import { MESSAGES, type MessageKey } from '../model/i18n/messages.ts';
import { fill, type Lang, type Params } from '../model/i18n/text.ts';
import type { DeviceView } from '../model/reader.ts';
import { defaultDataDirectory } from './config.ts';
import { takeSnapshot } from './one-shot.ts';
import type { SourceOptions } from './open-source.ts';

/** One thing that was looked at, with its remedy where something is wrong. */
export interface Check {
  readonly id: string;
  readonly level: 'ok' | 'warning' | 'fault';
  text(lang: Lang): string;
  /** Null where nothing has to be done. */
  remedy(lang: Lang): string | null;
}

/** Looks at everything that decides whether gpulse sees this machine's GPUs. Never throws. */
export async function examine(options: SourceOptions): Promise<readonly Check[]> {
  return [
    said('node', 'ok', 'doctor.node', { version: process.versions.node }),
    ...(await examineDevices(options)),
    examineDataDirectory(),
  ];
}

async function examineDevices(options: SourceOptions): Promise<Check[]> {
  try {
    const { snapshot } = await takeSnapshot(options);
    const { devices } = snapshot;
    const version = devices.find(({ device }) => device.driverVersion !== null)?.device.driverVersion;
    const names = [...new Set(devices.map(({ device }) => device.name))].join(', ');
    return [
      ...(version ? [said('driver', 'ok', 'doctor.driver', { version })] : []),
      said('gpus', 'ok', 'doctor.gpus', { count: devices.length, names }),
      ...devices.flatMap(examineDevice),
    ];
  } catch (error) {
    const failure = toAppError(error);
    const { code } = failure;
    return [{ id: code, level: 'fault', text: (lang) => failure.text(lang), remedy: (lang) => failure.hint(lang) }];
  }
}

function examineDevice({ device, state }: DeviceView): Check[] {
  const { index, name } = device;
  if (state === 'lost')
    return [said('gpu-lost', 'fault', 'doctor.gpu-lost', { index, name }, 'doctor.gpu-lost-remedy')];
  if (state !== 'stale') return [];
  return [said('gpu-silent', 'fault', 'doctor.gpu-silent', { index, name }, 'doctor.gpu-silent-remedy')];
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

function said(id: string, level: Check['level'], key: MessageKey, params: Params, remedy?: MessageKey): Check {
  return {
    id,
    level,
    text: (lang) => fill(MESSAGES[key][lang], params),
    remedy: (lang) => (remedy === undefined ? null : MESSAGES[remedy][lang]),
  };
}
