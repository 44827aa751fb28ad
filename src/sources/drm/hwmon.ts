import { readdirSync, realpathSync } from 'node:fs';
import { Folder } from './folder.ts';
import type { Progress } from './progress.ts';
import { textOrNull } from './read-file.ts';

/**
 * The sensor folder of a device whose `name` is one of these, else its only one; null where the driver has none. A device
 * may have several: i915 makes one for the card and one for each of its units.
 */
export function findHwmon(
  sys: string,
  devicePath: string,
  names: readonly string[],
  progress: Progress,
): Folder | null {
  const paths = [...below(`${devicePath}/hwmon`), ...byClass(sys, devicePath)];
  const named = paths.map((path) => ({ path, name: textOrNull(`${path}/name`) ?? '' }));
  const best = named.find(({ name }) => names.includes(name)) ?? (named.length === 1 ? named[0] : undefined);
  return best === undefined ? null : new Folder(best.path, progress);
}

function below(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^hwmon\d+$/.test(name))
      .map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

/** Where the folder is not below the device, the class folder still points at it. */
function byClass(sys: string, devicePath: string): string[] {
  if (below(`${devicePath}/hwmon`).length > 0) return [];
  return below(`${sys}/class/hwmon`).filter((path) => {
    try {
      return realpathSync(`${path}/device`) === devicePath;
    } catch {
      return false;
    }
  });
}

/** Most channels of one kind that any graphics driver has. */
const MAX_CHANNELS = 16;

/**
 * The channels of one kind by what their label says, `edge` -> `temp1`. Where the driver gives no labels, or the file of
 * one cannot be read, the channel is in no list.
 */
export function channelsByLabel(hwmon: Folder, kind: 'temp' | 'power' | 'energy' | 'freq' | 'in'): Map<string, string> {
  const channels = new Map<string, string>();
  for (let number = 0; number <= MAX_CHANNELS; number++) {
    const channel = `${kind}${number}`;
    const label = textOrNull(`${hwmon.path}/${channel}_label`);
    if (label !== null && !channels.has(label.toLowerCase())) channels.set(label.toLowerCase(), channel);
  }
  return channels;
}

/** Scales of the units that the kernel's sensor files are in. */
export const MILLIDEGREES = { divisor: 1e3, min: -100, max: 200 } as const;
export const MICROWATTS = { divisor: 1e6, max: 10_000 } as const;
export const MICROJOULES = { divisor: 1e6, max: 1e13 } as const;
export const MILLIVOLTS = { divisor: 1e3, max: 60 } as const;
export const HERTZ = { max: 20e9 } as const;
export const TURNS = { max: 100_000 } as const;
