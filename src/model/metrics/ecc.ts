import type { MetricEntry } from './entry.ts';

/** Memory errors. */
export const ECC_METRICS = [
  {
    id: 'ecc_corrected_volatile_total',
    unit: 'count',
    kind: 'counter',
    layer: 'health',
    cadence: 'slow',
    label: { en: 'ECC corrected since driver load', zh: 'ECC 已纠正（驱动加载后）' },
    help: { en: 'Memory errors corrected since the driver was loaded.', zh: '驱动加载以来已纠正的显存错误数。' },
    smi: { field: 'ecc.errors.corrected.volatile.total', unit: '' },
    dcgm: 'DCGM_FI_DEV_ECC_SBE_VOL_TOTAL',
  },
  {
    id: 'ecc_uncorrected_volatile_total',
    unit: 'count',
    kind: 'counter',
    layer: 'health',
    cadence: 'slow',
    label: { en: 'ECC uncorrected since driver load', zh: 'ECC 未纠正（驱动加载后）' },
    help: {
      en: 'Memory errors since the driver was loaded that could not be corrected.',
      zh: '驱动加载以来无法纠正的显存错误数。',
    },
    smi: { field: 'ecc.errors.uncorrected.volatile.total', unit: '' },
    dcgm: 'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL',
  },
  {
    id: 'ecc_corrected_aggregate_total',
    unit: 'count',
    kind: 'counter',
    layer: 'health',
    cadence: 'slow',
    label: { en: 'ECC corrected, lifetime', zh: 'ECC 已纠正（累计）' },
    help: { en: 'Memory errors corrected over the life of the device.', zh: '设备全生命周期已纠正的显存错误数。' },
    smi: { field: 'ecc.errors.corrected.aggregate.total', unit: '' },
    dcgm: 'DCGM_FI_DEV_ECC_SBE_AGG_TOTAL',
  },
  {
    id: 'ecc_uncorrected_aggregate_total',
    unit: 'count',
    kind: 'counter',
    layer: 'health',
    cadence: 'slow',
    label: { en: 'ECC uncorrected, lifetime', zh: 'ECC 未纠正（累计）' },
    help: {
      en: 'Memory errors over the life of the device that could not be corrected.',
      zh: '设备全生命周期无法纠正的显存错误数。',
    },
    smi: { field: 'ecc.errors.uncorrected.aggregate.total', unit: '' },
    dcgm: 'DCGM_FI_DEV_ECC_DBE_AGG_TOTAL',
  },
] as const satisfies readonly MetricEntry[];
