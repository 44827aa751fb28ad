import type { Unit } from '../../../model/metrics/entry.ts';

const MIB = 2 ** 20;

/** What one of a unit is in the base unit of the catalogue. Scripts write `MB` for what nvidia-smi calls `MiB`. */
const SCALES: Readonly<Partial<Record<Unit, Readonly<Record<string, number>>>>> = {
  ratio: { '%': 0.01, pct: 0.01, percent: 0.01, percentage: 0.01 },
  bytes: { mib: MIB, mb: MIB, gib: 2 ** 30, gb: 2 ** 30, kib: 1024, kb: 1024, bytes: 1, byte: 1, b: 1 },
  watts: { w: 1, watt: 1, watts: 1, mw: 0.001, milliwatt: 0.001, milliwatts: 0.001 },
  hertz: { mhz: 1e6, ghz: 1e9, hz: 1 },
  celsius: { c: 1, celsius: 1, '°c': 1, degc: 1 },
  // NVML counts traffic in thousands of bytes.
  'bytes-per-second': {
    'kb/s': 1e3,
    'mb/s': 1e6,
    'gb/s': 1e9,
    'kib/s': 1024,
    'mib/s': MIB,
    'gib/s': 2 ** 30,
    'b/s': 1,
  },
  seconds: { us: 1e-6, ms: 1e-3, s: 1, sec: 1, secs: 1, seconds: 1 },
  joules: { mj: 0.001, uj: 1e-6, µj: 1e-6, j: 1 },
  volts: { mv: 0.001, v: 1 },
  rpm: { rpm: 1 },
  lanes: { x: 1 },
  count: { 'bank(s)': 1, errs: 1 },
};

/** Factor from a written unit to the base unit, or null where the two do not fit. */
export function unitScale(unit: Unit, written: string): number | null {
  return SCALES[unit]?.[written.toLowerCase()] ?? null;
}

/** Milliseconds in a written unit of time, or null. */
export function timeUnitMillis(written: string): number | null {
  return TIME_UNITS.get(written.toLowerCase()) ?? null;
}

const TIME_UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['sec', 1000],
  ['secs', 1000],
  ['second', 1000],
  ['seconds', 1000],
  ['ms', 1],
  ['msec', 1],
  ['millis', 1],
  ['milliseconds', 1],
]);

interface Range {
  readonly min: number;
  readonly max: number;
}

/** What a device can report at all, in base units. A sentinel or a torn number falls outside. */
const RANGES: Readonly<Record<Unit, Range>> = {
  ratio: { min: 0, max: 1 },
  bytes: { min: 0, max: 2 ** 44 },
  'bytes-per-second': { min: 0, max: 2 ** 43 },
  // More than any board draws, less than what idle boards draw in milliwatts.
  watts: { min: 0, max: 3000 },
  joules: { min: 0, max: 1e13 },
  hertz: { min: 0, max: 20e9 },
  celsius: { min: -60, max: 200 },
  count: { min: 0, max: 2 ** 48 },
  seconds: { min: 0, max: 2 ** 40 },
  rpm: { min: 0, max: 100_000 },
  volts: { min: 0, max: 60 },
  'per-second': { min: 0, max: 2 ** 40 },
  state: { min: 0, max: 2 ** 31 },
  generation: { min: 1, max: 10 },
  lanes: { min: 1, max: 64 },
  pstate: { min: 0, max: 15 },
  bits: { min: 0, max: 2 ** 32 - 2 },
};

/** A fan may run above its nominal maximum. */
const FAN_RANGE: Range = { min: 0, max: 3 };

/** What readings of a metric are possible. */
export function rangeOf(id: string, unit: Unit): Range {
  return id === 'fan_speed_ratio' ? FAN_RANGE : RANGES[unit];
}

/** 32-bit counters that were not available are all ones, or all ones but the last bit. */
export function isSentinel(value: number): boolean {
  return value === 0xffffffff || value === 0xfffffffe;
}
