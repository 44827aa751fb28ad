import { DEVICE_METRICS, type Metric } from '../../model/catalogue.ts';
import { type FamilyType, family } from '../family.ts';
import type { ReadingFamily } from './write-readings.ts';

/** NVML's own reasons; higher bits are those of other vendors. */
const NVML_REASONS = 0xffff;

const MEBI = 2 ** 20;

/** From base units to the units that DCGM reports in, and how help names those. DCGM's integers stay integers. */
const CONVERSIONS: Readonly<
  Partial<Record<Metric['unit'], { readonly unit: string; readonly convert: (value: number) => number }>>
> = {
  ratio: { unit: '%', convert: (ratio) => Math.round(ratio * 100) },
  bytes: { unit: 'MiB', convert: (bytes) => Math.floor(bytes / MEBI) },
  hertz: { unit: 'MHz', convert: (hertz) => Math.round(hertz / 1e6) },
  joules: { unit: 'mJ', convert: (joules) => Math.round(joules * 1000) },
  seconds: { unit: 'ns', convert: (seconds) => Math.round(seconds * 1e9) },
  'bytes-per-second': { unit: 'bytes/s', convert: Math.round },
  bits: { unit: 'bit set', convert: (mask) => mask & NVML_REASONS },
};

/** Ratios that stay ratios. */
const RATIO = /^DCGM_FI_PROF_|_PERCENT$/;

/** Series that dcgm-exporter declares a counter, though they are no counters by nature. */
const DECLARED_COUNTERS: readonly string[] = ['DCGM_FI_DEV_RETIRED_PENDING'];

/** What dcgm-exporter lists by default, what it ships commented out, and what dashboards in the field use. */
const COMMON = new RegExp(
  `^DCGM_FI_(?:${[
    'DEV_(?:SM|MEM)_CLOCK|DEV_(?:MEMORY|GPU)_TEMP|DEV_POWER_USAGE|DEV_TOTAL_ENERGY_CONSUMPTION|DEV_PCIE_REPLAY_COUNTER',
    'DEV_(?:GPU|MEM_COPY|ENC|DEC)_UTIL|DEV_FB_(?:FREE|USED|RESERVED|TOTAL|USED_PERCENT)|DEV_\\w+_VIOLATION',
    'DEV_ECC_[SD]BE_(?:VOL|AGG)_TOTAL|DEV_RETIRED_(?:SBE|DBE|PENDING)|DEV_(?:UN)?CORRECTABLE_REMAPPED_ROWS',
    'DEV_ROW_REMAP_(?:FAILURE|PENDING)|DEV_NVLINK_\\w+_ERROR_COUNT_TOTAL|PROF_\\w+|DEV_(?:ENFORCED_POWER|POWER_MGMT)_LIMIT',
    'DEV_CLOCKS_EVENT_REASONS|DEV_FAN_SPEED|DEV_PSTATE|DEV_SLOWDOWN_TEMP|DEV_SHUTDOWN_TEMP|DEV_PCIE_(?:MAX_)?LINK_(?:GEN|WIDTH)',
    // What the rules in deploy/prometheus need beside these.
    'DEV_MEM_MAX_OP_TEMP|DEV_GPU_TEMP_LIMIT|DEV_ECC_CURRENT|DEV_MIG_MODE',
  ].join('|')})$`,
);

/** Names of the newer naming standard of DCGM, as far as they are known to differ. The values are the same. */
const RENAMED: Readonly<Record<string, string>> = {
  DCGM_FI_DEV_GPU_TEMP: 'DCGM_FI_DEV_GPU_TEMP_CELSIUS',
  DCGM_FI_DEV_MEMORY_TEMP: 'DCGM_FI_DEV_MEMORY_TEMP_CELSIUS',
  DCGM_FI_DEV_POWER_USAGE: 'DCGM_FI_DEV_BOARD_POWER_WATTS',
  DCGM_FI_DEV_GPU_UTIL: 'DCGM_FI_DEV_GPU_UTIL_RATIO',
  DCGM_FI_DEV_XID_ERRORS: 'DCGM_FI_DEV_XID_ERROR',
  DCGM_FI_DEV_PCIE_REPLAY_COUNTER: 'DCGM_FI_DEV_PCIE_REPLAY_TOTAL',
  DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS: 'DCGM_FI_DEV_ROW_REMAP_CORRECTABLE_TOTAL',
  DCGM_FI_DEV_ROW_REMAP_FAILURE: 'DCGM_FI_DEV_ROW_REMAP_FAILED',
  DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL: 'DCGM_FI_DEV_NVLINK_THROUGHPUT_TOTAL',
  DCGM_FI_PROF_GR_ENGINE_ACTIVE: 'DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO',
  DCGM_FI_PROF_SM_ACTIVE: 'DCGM_FI_PROF_SM_UTIL_RATIO',
  DCGM_FI_PROF_PIPE_TENSOR_ACTIVE: 'DCGM_FI_PROF_TENSOR_UTIL_RATIO',
  DCGM_FI_PROF_DRAM_ACTIVE: 'DCGM_FI_PROF_DRAM_UTIL_RATIO',
};

/** Which names series have: those of all DCGM up to 4.5, those of the naming standard of 4.6, or both. */
export type DcgmNames = 'legacy' | 'renamed' | 'both';

export type DcgmFields = 'common' | 'all';

/** The names under which a series is written. */
export function namesOf(name: string, names: DcgmNames): readonly string[] {
  const renamed = RENAMED[name];
  if (renamed === undefined || names === 'legacy') return [name];
  return names === 'renamed' ? [renamed] : [name, renamed];
}

/** The families that are a reading of the catalogue each. */
export function dcgmFamilies(fields: DcgmFields, names: DcgmNames): readonly ReadingFamily[] {
  return DEVICE_METRICS.flatMap((metric) => {
    const { dcgm } = metric;
    if (dcgm === undefined || (fields === 'common' && !COMMON.test(dcgm))) return [];
    return namesOf(dcgm, names).map((name) => familyOf(metric, dcgm, name));
  });
}

function familyOf({ kind, unit, help, slot }: Metric, dcgm: string, name: string): ReadingFamily {
  const type: FamilyType = kind === 'counter' || DECLARED_COUNTERS.includes(dcgm) ? 'counter' : 'gauge';
  const conversion = unit === 'ratio' && RATIO.test(dcgm) ? undefined : CONVERSIONS[unit];
  const text =
    dcgm === 'DCGM_FI_DEV_FB_USED_PERCENT' ? 'Share of the memory without the reserve that is in use.' : help.en;
  const inUnit = conversion === undefined ? '' : ` In ${conversion.unit}.`;
  const its = { ...family(type, name, `${text}${inUnit}`), unit: null };
  return { family: its, slot, ...(conversion !== undefined && { convert: conversion.convert }) };
}
