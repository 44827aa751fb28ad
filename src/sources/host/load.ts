import { slotOf } from '../../model/catalogue.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import type { ByteFile } from './byte-file.ts';
import { setMeasured } from './measured.ts';

export const LOAD_SLOTS = [slotOf('host_load_1m'), slotOf('host_load_5m'), slotOf('host_load_15m')] as const;
export const UPTIME_SLOT = slotOf('host_uptime_seconds');

/** `/proc/loadavg`. */
export function readLoad(file: ByteFile, out: ReadingSet): void {
  for (const slot of LOAD_SLOTS) setMeasured(out, slot, file.number());
}

/** `/proc/uptime`. */
export function readUptime(file: ByteFile, out: ReadingSet): void {
  setMeasured(out, UPTIME_SLOT, file.number());
}
