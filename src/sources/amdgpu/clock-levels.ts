import { absent, type Reading } from '../../model/reading.ts';
import type { Folder } from '../drm/folder.ts';

const ERROR = absent('error');
const MHZ = 1e6;
const MAX_MHZ = 20_000;

/** The levels of one clock, as `pp_dpm_sclk` lists them: `1: 2474Mhz *` is the current one, `S:` one of deep sleep. */
export interface ClockLevels {
  readonly current: Reading;
  readonly highest: Reading;
}

/** Reads a list of levels. A list without any is an error; one in which none is marked has no current level. */
export function parseLevels(text: string): ClockLevels {
  let current: Reading = absent('not-supported');
  let highest = -1;
  for (const line of text.split('\n')) {
    const match = /^\s*\w+\s*:\s*(\d+)\s*mhz\s*(\*)?/i.exec(line);
    const mhz = match === null ? Number.NaN : Number(match[1]);
    if (!(mhz <= MAX_MHZ)) continue;
    highest = Math.max(highest, mhz);
    if (match?.[2] === '*') current = mhz * MHZ;
  }
  return highest < 0 ? { current: ERROR, highest: ERROR } : { current, highest: highest * MHZ };
}

/** The levels in a file of the device, or the reason why they cannot be read for both. */
export function readLevels(device: Folder, name: string): ClockLevels {
  const text = device.text(name);
  return typeof text === 'string' ? parseLevels(text) : { current: text, highest: text };
}
