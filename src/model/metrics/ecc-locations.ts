import type { MetricEntry } from './entry.ts';

const LOCATIONS = [
  { id: 'dram', smi: 'dram', dcgm: 'DEV', en: 'device memory', zh: '显存' },
  { id: 'sram', smi: 'sram', dcgm: 'SRM', en: 'on-chip memory', zh: '片上存储' },
  { id: 'l1_cache', smi: 'l1_cache', dcgm: 'L1', en: 'L1 cache', zh: 'L1 缓存' },
  { id: 'l2_cache', smi: 'l2_cache', dcgm: 'L2', en: 'L2 cache', zh: 'L2 缓存' },
  { id: 'register_file', smi: 'register_file', dcgm: 'REG', en: 'register file', zh: '寄存器堆' },
  { id: 'texture', smi: 'texture_memory', dcgm: 'TEX', en: 'texture memory', zh: '纹理存储' },
  { id: 'cbu', smi: 'cbu', dcgm: 'CBU', en: 'barrier unit', zh: '汇合屏障单元' },
] as const;

const ERRORS = [
  { id: 'corrected', dcgm: 'SBE', zh: '已纠正' },
  { id: 'uncorrected', dcgm: 'DBE', zh: '未纠正' },
] as const;

const SPANS = [
  { id: 'volatile', dcgm: 'VOL', en: 'since driver load', zh: '驱动加载后' },
  { id: 'aggregate', dcgm: 'AGG', en: 'lifetime', zh: '累计' },
] as const;

type Location = (typeof LOCATIONS)[number];
type EccError = (typeof ERRORS)[number];
type Span = (typeof SPANS)[number];
type LocationId = `ecc_${Location['id']}_${EccError['id']}_${Span['id']}_total`;

function entryOf(location: Location, error: EccError, span: Span): MetricEntry & { readonly id: LocationId } {
  return {
    id: `ecc_${location.id}_${error.id}_${span.id}_total`,
    unit: 'count',
    kind: 'counter',
    layer: 'health',
    cadence: 'slow',
    label: {
      en: `ECC ${error.id}, ${location.en}, ${span.en}`,
      zh: `ECC ${error.zh}（${location.zh}，${span.zh}）`,
    },
    help: {
      en: `Errors of the ${location.en} ${error.id === 'corrected' ? 'that were corrected' : 'that could not be corrected'}, ${span.id === 'volatile' ? 'since the driver was loaded' : 'over the life of the device'}.`,
      zh: `${span.id === 'volatile' ? '驱动加载以来' : '设备全生命周期'}${location.zh}${error.id === 'corrected' ? '已纠正' : '无法纠正'}的错误数。`,
    },
    smi: {
      field: `ecc.errors.${error.id}.${span.id}.${location.smi}`,
      unit: '',
      ...(location.id === 'dram' ? { aliases: [`ecc.errors.${error.id}.${span.id}.device_memory`] } : {}),
    },
    dcgm: `DCGM_FI_DEV_ECC_${error.dcgm}_${span.dcgm}_${location.dcgm}`,
  };
}

/** Memory errors by where they happened. Boards report few of the places: newer ones the first two, older ones the rest. */
export const ECC_LOCATION_METRICS = LOCATIONS.flatMap((location) =>
  SPANS.flatMap((span) => ERRORS.map((error) => entryOf(location, error, span))),
);
