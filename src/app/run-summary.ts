import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import { quantiles, type Values } from '../diagnosis/statistics/summary.ts';
import type { GpuSeries } from '../diagnosis/window/window.ts';
import { NAMED_STATES } from '../model/finding.ts';
import type { Extent } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { RunFinding, RunGpu } from '../runs/run-record.ts';

/**
 * What the GPUs of a run did, by index; all that were recorded where it is not known which were its own. `lasted` is when its
 * command ran: of that time is the energy.
 */
export function gpusOf({ window }: Diagnosis, own: ReadonlySet<string>, lasted: Extent): readonly RunGpu[] {
  return window.gpus
    .filter(({ device }) => own.size === 0 || own.has(device.uuid))
    .map((gpu) => gpuOf(gpu, window.at, lasted));
}

function gpuOf(gpu: GpuSeries, at: Float64Array, lasted: Extent): RunGpu {
  const { uuid, index, name } = gpu.device;
  const use = Float32Array.from(gpu.collected('utilization_ratio') ?? []).filter((value) => !Number.isNaN(value));
  return {
    uuid,
    index,
    name,
    meanUtilization: use.length === 0 ? null : use.reduce((sum, value) => sum + value, 0) / use.length,
    p95Utilization: use.length === 0 ? null : (quantiles(use, [0.95])[0] ?? null),
    peakMemoryBytes: gpu.peak('memory_used_bytes'),
    memoryBytes: gpu.peak('memory_total_bytes'),
    energyJoules: energyOf(gpu, at, lasted),
  };
}

/** Joules while the command ran: by the counter of the card where it tells more than one value, and by its power else. */
function energyOf(gpu: GpuSeries, at: Float64Array, { from, to }: Extent): number | null {
  const power = pointsOf(gpu.column('power_watts'), at);
  const counter = pointsOf(gpu.column('energy_joules_total'), at).filter((point) => point.at >= from && point.at <= to);
  const [first, last] = [counter[0], counter.at(-1)];
  if (first === undefined || last === undefined || first === last) {
    return power.length === 0 ? null : workOf(power, from, to);
  }
  // The counter may start again.
  const counted = counter.slice(1).reduce((sum, { value }, i) => sum + Math.max(0, value - counter[i]!.value), 0);
  return workOf(power, from, first.at) + counted + workOf(power, last.at, to);
}

interface Point {
  readonly at: Millis;
  readonly value: number;
}

function pointsOf(column: Values | null, at: Float64Array): readonly Point[] {
  return [...(column ?? [])].flatMap((value, i) => (Number.isNaN(value) ? [] : [{ at: at[i]!, value }]));
}

/** Joules of a power between two times: each value holds until the next one, the first and the last beyond the ends. */
function workOf(power: readonly Point[], from: Millis, to: Millis): number {
  return power.reduce((sum, { at, value }, i) => {
    const start = i === 0 ? from : Math.max(from, at);
    const end = Math.min(to, power[i + 1]?.at ?? to);
    return sum + (value * Math.max(0, end - start)) / 1000;
  }, 0);
}

/** Causes that are named, those that matter most first. */
export function findingsOf({ findings }: Diagnosis): readonly RunFinding[] {
  return findings
    .filter(({ state }) => NAMED_STATES.includes(state))
    .map(({ rule, state, severity, lostSeconds }) => ({ rule, state, severity, lostSeconds }));
}
