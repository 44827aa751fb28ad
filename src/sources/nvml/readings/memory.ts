import { BAR1, CODE, MEMORY_V1, MEMORY_V2 } from '../abi.ts';
import { MAX_BYTES } from '../ranges.ts';
import type { Cells, Reader, Variant } from '../reader.ts';
import { symbol } from '../symbols.ts';

const INFO_V2 = symbol('nvmlDeviceGetMemoryInfo_v2');
const INFO = symbol('nvmlDeviceGetMemoryInfo');
const BAR1_INFO = symbol('nvmlDeviceGetBAR1MemoryInfo');

/** Tells the driver's reserve apart from what processes use. */
const readV2: Variant = (nvml, { handle }, out) => {
  nvml.out[0] = MEMORY_V2.word;
  const code = nvml.call(INFO_V2, handle, nvml.out);
  if (code !== CODE.ok) return code;
  const total = nvml.amount(MEMORY_V2.total);
  if (!putTotal(out, total)) return code;
  out.put(1, nvml.amount(MEMORY_V2.used), 0, total);
  out.put(2, nvml.amount(MEMORY_V2.free), 0, total);
  out.put(3, nvml.amount(MEMORY_V2.reserved), 0, total);
  return code;
};

/** Counts the driver's reserve as used: never mixed with the newer call on one device, since "used" would jump. */
const readV1: Variant = (nvml, { handle }, out) => {
  const code = nvml.call(INFO, handle, nvml.out);
  if (code !== CODE.ok) return code;
  const total = nvml.amount(MEMORY_V1.total);
  if (!putTotal(out, total)) return code;
  out.put(1, nvml.amount(MEMORY_V1.used), 0, total);
  out.put(2, nvml.amount(MEMORY_V1.free), 0, total);
  out.putAbsent(3, 'not-supported');
  return code;
};

/** False where there is no memory to speak of: boards that share the host's memory report a total of 0. */
function putTotal(out: Cells, total: number): boolean {
  const isKnown = total > 0 && total <= MAX_BYTES;
  if (isKnown) out.put(0, total, 0, MAX_BYTES);
  else out.putAllAbsent(total === 0 ? 'not-supported' : 'error');
  return isKnown;
}

/** How much of the memory can be reached from outside. */
const readBar1: Variant = (nvml, { handle }, out) => {
  const code = nvml.call(BAR1_INFO, handle, nvml.out);
  if (code !== CODE.ok) return code;
  const total = nvml.amount(BAR1.total);
  if (!putTotal(out, total)) return code;
  out.put(1, nvml.amount(BAR1.used), 0, total);
  out.put(2, nvml.amount(BAR1.free), 0, total);
  return code;
};

export const MEMORY_READERS: readonly Reader[] = [
  {
    metrics: ['memory_total_bytes', 'memory_used_bytes', 'memory_free_bytes', 'memory_reserved_bytes'],
    variants: [readV2, readV1],
    ofInstances: true,
  },
  { metrics: ['bar1_total_bytes', 'bar1_used_bytes', 'bar1_free_bytes'], variants: [readBar1] },
];
