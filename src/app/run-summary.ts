import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import { quantiles } from '../diagnosis/statistics/summary.ts';
import type { GpuSeries } from '../diagnosis/window/window.ts';
import { NAMED_STATES } from '../model/finding.ts';
import type { RunFinding, RunGpu } from '../runs/run-record.ts';

/** What the GPUs of a run did, by index; all that were recorded where it is not known which were its own. */
export function gpusOf({ window }: Diagnosis, own: ReadonlySet<string>): readonly RunGpu[] {
  return window.gpus
    .filter(({ device }) => own.size === 0 || own.has(device.uuid))
    .map((gpu) => gpuOf(gpu, window.seconds));
}

function gpuOf(gpu: GpuSeries, seconds: Float32Array): RunGpu {
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
    energyJoules: energyOf(gpu, seconds),
  };
}

/** By the counter of the card, which may start again; else power by time. */
function energyOf(gpu: GpuSeries, seconds: Float32Array): number | null {
  const counter = [...(gpu.column('energy_joules_total') ?? [])].filter((value) => !Number.isNaN(value));
  if (counter.length > 1) {
    return counter.slice(1).reduce((sum, value, i) => sum + Math.max(0, value - counter[i]!), 0);
  }
  const power = gpu.column('power_watts');
  if (power === null) return null;
  let joules = 0;
  for (const [i, watts] of power.entries()) if (!Number.isNaN(watts)) joules += watts * (seconds[i] ?? 0);
  return joules;
}

/** Causes that are named, those that matter most first. */
export function findingsOf({ findings }: Diagnosis): readonly RunFinding[] {
  return findings
    .filter(({ state }) => NAMED_STATES.includes(state))
    .map(({ rule, state, severity, lostSeconds }) => ({ rule, state, severity, lostSeconds }));
}
