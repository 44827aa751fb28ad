import { absent, type Reading } from '../../model/reading.ts';
import type { Folder } from '../drm/folder.ts';
import type { GraphicsUnit } from './graphics-units.ts';

/** Bits of `clock_event_reasons`. */
const POWER_CAP = 0x4;
const HW_SLOWDOWN = 0x8;
const SW_THERMAL = 0x20;
const HW_THERMAL = 0x40;
const CURRENT_LIMIT = 0x10000;

const FLAG = { max: 1 } as const;

/** What the flags mean. Left out are those whose cause is not documented: `psys_crit` and `p0_freq`. */
const REASONS: readonly (readonly [string, number])[] = [
  ['pl1', POWER_CAP],
  ['pl2', POWER_CAP],
  ['psys_pl1', POWER_CAP],
  ['psys_pl2', POWER_CAP],
  // The fastest limit guards the peak current.
  ['pl4', CURRENT_LIMIT],
  ['iccmax', CURRENT_LIMIT],
  ['vr_tdc', CURRENT_LIMIT],
  ['fastvmode', CURRENT_LIMIT],
  ['thermal', SW_THERMAL],
  ['ratl', SW_THERMAL],
  ['soc_thermal', SW_THERMAL],
  ['soc_avg_thermal', SW_THERMAL],
  ['mem_thermal', SW_THERMAL],
  ['vr_thermal', HW_THERMAL],
  ['vr_thermalert', HW_THERMAL],
  ['prochot', HW_SLOWDOWN],
];

/** Why the clocks of a unit are held down. Most of the time one file tells that no flag is set. */
export function readThrottle(card: Folder, { isHeld, reasons }: GraphicsUnit): Reading {
  const status = card.number(isHeld, FLAG);
  if (status === 0) return 0;
  const flags = REASONS.map(([name, reason]) => ({ reason, flag: card.number(reasons + name, FLAG) }));
  if (flags.some(({ flag }) => typeof flag === 'number')) {
    return flags.reduce((mask, { reason, flag }) => (flag === 1 ? mask | reason : mask), 0);
  }
  return typeof status === 'number' ? absent('not-supported') : status;
}
