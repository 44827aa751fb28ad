import { absent, type Reading } from '../../model/reading.ts';
import type { GpuMetrics } from './gpu-metrics.ts';

const NOT_SUPPORTED = absent('not-supported');
const NOT_COLLECTED = absent('not-collected');

/** Bits of `clock_event_reasons`. */
const POWER_CAP = 0x4;
const HW_SLOWDOWN = 0x8;
const SW_THERMAL = 0x20;
const HW_THERMAL = 0x40;
const CURRENT_LIMIT = 0x10000;

/**
 * What the bits of the driver's own, chip-independent throttle status mean. Left out are those of the processor beside
 * the GPU (33, 21, 46), and those whose cause is not documented (56, 57).
 */
const REASON_OF_BIT: ReadonlyMap<number, number> = new Map([
  // Package power, sustained and in its short windows.
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((bit): [number, number] => [bit, POWER_CAP]),
  // Thermal design current and electrical design current.
  ...[16, 17, 18, 19, 20, 22, 23].map((bit): [number, number] => [bit, CURRENT_LIMIT]),
  // GPU, memory, edge, hotspot, SoC, voltage regulators, liquid.
  ...[32, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43].map((bit): [number, number] => [bit, SW_THERMAL]),
  // The regulators themselves pull the line.
  [44, HW_THERMAL],
  [45, HW_THERMAL],
  // A pin of the board: too hot or too much power, which is not told.
  [47, HW_SLOWDOWN],
]);

/** Counters of the time spent in each kind of throttling, in the tables that have no status bits. */
const RESIDENCIES: readonly (readonly [string, number])[] = [
  ['ppt_acc', POWER_CAP],
  ['socket_thermal_acc', SW_THERMAL],
  ['hbm_thermal_acc', SW_THERMAL],
  ['vr_thermal_acc', HW_THERMAL],
  ['prochot_acc', HW_SLOWDOWN],
];

/** Why a GPU is held back, out of its metrics table: now, or at any time since the look before. */
export class ThrottleStatus {
  #before: readonly Reading[] | null = null;

  read(metrics: GpuMetrics): Reading {
    const bits = metrics.bits('throttle_reasons');
    if (bits !== null) return bits.reduce((mask, bit) => mask | (REASON_OF_BIT.get(bit) ?? 0), 0);
    if (!metrics.has('ppt_acc')) return NOT_SUPPORTED;
    const now = RESIDENCIES.map(([name]) => metrics.number(name));
    const before = this.#before;
    this.#before = now;
    if (before === null) return NOT_COLLECTED;
    if (now.every((value) => typeof value !== 'number')) return NOT_SUPPORTED;
    return RESIDENCIES.reduce((mask, [, reason], i) => (hasGrown(before[i]!, now[i]!) ? mask | reason : mask), 0);
  }
}

/** A counter that went back was reset, which says nothing. */
function hasGrown(before: Reading, now: Reading): boolean {
  return typeof before === 'number' && typeof now === 'number' && now > before;
}
