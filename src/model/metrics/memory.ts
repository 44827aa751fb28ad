import type { MetricEntry } from './entry.ts';

/** How its memory is used. */
export const MEMORY_METRICS = [
  {
    id: 'memory_total_bytes',
    unit: 'bytes',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Memory total', zh: '显存总量' },
    help: { en: 'Device memory, including what the driver reserves.', zh: '显存总量，含驱动保留部分。' },
    smi: { field: 'memory.total', unit: 'MiB' },
    dcgm: 'DCGM_FI_DEV_FB_TOTAL',
  },
  {
    id: 'memory_used_bytes',
    unit: 'bytes',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Memory used', zh: '已用显存' },
    help: {
      en: 'Memory held by processes. Where the driver tells its own reserve apart, the reserve is not included.',
      zh: '进程占用的显存；驱动能区分保留部分时，不含保留部分。',
    },
    smi: { field: 'memory.used', unit: 'MiB' },
    dcgm: 'DCGM_FI_DEV_FB_USED',
  },
  {
    id: 'memory_free_bytes',
    unit: 'bytes',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Memory free', zh: '空闲显存' },
    help: { en: 'Memory that can still be allocated.', zh: '仍可分配的显存。' },
    smi: { field: 'memory.free', unit: 'MiB' },
    dcgm: 'DCGM_FI_DEV_FB_FREE',
  },
  {
    id: 'memory_reserved_bytes',
    unit: 'bytes',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Memory reserved', zh: '驱动保留显存' },
    help: { en: 'Memory the driver and firmware keep for themselves.', zh: '驱动和固件自用的显存。' },
    smi: { field: 'memory.reserved', unit: 'MiB' },
    dcgm: 'DCGM_FI_DEV_FB_RESERVED',
  },
] as const satisfies readonly MetricEntry[];
