import { slotOf } from '../../model/catalogue.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import { type ByteFile, word } from './byte-file.ts';
import { setMeasured } from './measured.ts';

const TOTAL = slotOf('host_memory_total_bytes');
const AVAILABLE = slotOf('host_memory_available_bytes');
const USED = slotOf('host_memory_used_bytes');
const SWAP_TOTAL = slotOf('host_swap_total_bytes');
const SWAP_USED = slotOf('host_swap_used_bytes');

export const MEMORY_SLOTS = [TOTAL, AVAILABLE, USED, SWAP_TOTAL, SWAP_USED] as const;

const KIB = 1024;
const NAMES = ['MemTotal:', 'MemAvailable:', 'MemFree:', 'Buffers:', 'Cached:', 'SwapTotal:', 'SwapFree:'].map(word);

/** Reused by every read: a number per name, NaN where the file has none. */
const values = new Float64Array(NAMES.length);

/** `/proc/meminfo`. */
export function readMemory(file: ByteFile, out: ReadingSet): void {
  values.fill(Number.NaN);
  while (!file.isAtEnd) {
    for (let i = 0; i < NAMES.length; i++) {
      if (!file.skip(NAMES[i]!)) continue;
      values[i] = file.number() * KIB;
      break;
    }
    file.skipLine();
  }
  // What the file does not have, its kernel does not count.
  const total = values[0]!;
  // Kernels before 3.14 do not say what is available; then what is free and the caches are the nearest there is.
  const cached = values[2]! + values[3]! + values[4]!;
  const available = Number.isNaN(values[1]!) ? cached : values[1]!;
  const swapTotal = values[5]!;
  setMeasured(out, TOTAL, total, 'not-supported');
  setMeasured(out, AVAILABLE, available, 'not-supported');
  setMeasured(out, USED, Math.max(total - available, 0), 'not-supported');
  setMeasured(out, SWAP_TOTAL, swapTotal, 'not-supported');
  setMeasured(out, SWAP_USED, Math.max(swapTotal - values[6]!, 0), 'not-supported');
}
