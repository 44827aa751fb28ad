import type { MetricId } from '../../model/catalogue.ts';
import { medianUnder, present, quantilesUnder, type Values } from '../statistics/summary.ts';
import type { GpuSeries, Window } from '../window/window.ts';
import type { Marks } from './marks.ts';
import { type Level, levelOf, type Rhythm, rhythms } from './rhythm-profile.ts';
import { findWork, IDLE_BELOW, NO_WORK, type Working } from './working.ts';
import { type Workload, workloadOf } from './workload.ts';

/** Where no GPU is seen at rest: what one draws then, as a share of its limit. */
const RESTING_SHARE = 0.12;

/** Memory in use by which an idle GPU counts as held. */
const HELD_SHARE = 0.1;

/** What is known of one GPU before any rule looks at it. Columns are null where there is nothing in them. */
export interface GpuCase {
  readonly gpu: GpuSeries;
  readonly uuid: string;
  readonly util: Values | null;
  readonly power: Values | null;
  readonly temperature: Values | null;
  readonly clock: Values | null;
  readonly reasons: Values | null;
  /** Used share of the memory. */
  readonly memory: Values | null;
  readonly memoryTotal: number | null;
  readonly work: Working;
  readonly level: Level | null;
  readonly rhythms: readonly Rhythm[];
  readonly workload: Workload;
  /** Watts at rest and at most; null where the limit is not known. */
  readonly restWatts: number | null;
  readonly limitWatts: number | null;
}

export function examine(window: Window, gpu: GpuSeries, marks: Marks): GpuCase {
  const util = firstOf(gpu, ['utilization_ratio', 'graphics_engine_active_ratio']);
  const power = firstOf(gpu, ['power_watts', 'power_average_watts', 'power_instant_watts']);
  const memory = memoryShare(gpu);
  const work = util === null ? NO_WORK : findWork(window, util, marks);
  const hasMarkers = marks.steps.length > 0;
  const level = util === null || work.seconds === 0 ? null : levelOf(present(util, work.mask));
  const beats = util === null ? [] : rhythms(window, util, work.bouts);
  const { processes } = gpu;
  const limitWatts = gpu.peak('power_limit_watts') ?? gpu.peak('power_limit_requested_watts');
  return {
    gpu,
    uuid: gpu.device.uuid,
    util,
    power,
    temperature: gpu.column('temperature_celsius'),
    clock: firstOf(gpu, ['sm_clock_hertz', 'graphics_clock_hertz']),
    reasons: gpu.column('clock_event_reasons'),
    memory,
    memoryTotal: gpu.peak('memory_total_bytes'),
    work,
    level,
    rhythms: beats,
    workload:
      level === null
        ? restOf(util, memory, gpu)
        : workloadOf({ level, rhythms: beats, seconds: work.seconds, processes, hasMarkers }),
    restWatts: power === null ? null : restingWatts(util, power, limitWatts),
    limitWatts,
  };
}

/** The first of several metrics that the GPU has. */
function firstOf(gpu: GpuSeries, ids: readonly MetricId[]): Values | null {
  for (const id of ids) {
    const column = gpu.column(id);
    if (column !== null) return column;
  }
  return null;
}

function memoryShare(gpu: GpuSeries): Values | null {
  const used = gpu.column('memory_used_bytes');
  const total = gpu.column('memory_total_bytes');
  const size = gpu.peak('memory_total_bytes');
  if (used === null || total === null || size === null || size <= 0) return gpu.column('memory_used_ratio');
  const share = new Float32Array(used.length);
  for (let cell = 0; cell < used.length; cell++) share[cell] = used[cell]! / size;
  return share;
}

function restOf(util: Values | null, memory: Values | null, { computing }: GpuSeries): Workload {
  if (util === null) return 'unknown';
  const held = memory === null ? 0 : medianUnder(memory, null);
  return held > HELD_SHARE || (computing !== null && present(computing).some((count) => count > 0))
    ? 'idle-held'
    : 'idle';
}

function restingWatts(util: Values | null, power: Values, limit: number | null): number | null {
  if (util !== null) {
    const idle = new Uint8Array(util.length);
    let count = 0;
    for (let i = 0; i < util.length; i++) if (util[i]! < IDLE_BELOW) count += idle[i] = 1;
    if (count >= 10) return quantilesUnder(power, idle, [0.05])[0]!;
  }
  return limit === null ? null : RESTING_SHARE * limit;
}

/** Power as a share of what lies between rest and limit, at one value; null where the limit is not known. */
export function powerShare({ restWatts, limitWatts }: GpuCase, watts: number): number | null {
  if (limitWatts === null || restWatts === null || limitWatts <= restWatts) return null;
  return (watts - restWatts) / (limitWatts - restWatts);
}

const typicals = new WeakMap<GpuCase, Map<Values, number>>();

/** Median of a column of a GPU during its work; NaN for none. Several rules ask for the same one. */
export function typicalAtWork(gpu: GpuCase, column: Values | null): number {
  if (column === null) return Number.NaN;
  let known = typicals.get(gpu);
  if (known === undefined) {
    known = new Map();
    typicals.set(gpu, known);
  }
  let typical = known.get(column);
  if (typical === undefined) {
    typical = medianUnder(column, gpu.work.mask);
    known.set(column, typical);
  }
  return typical;
}

/** The values of a column during the work of a GPU. */
export function atWork({ work }: GpuCase, column: Values): Float32Array {
  return present(column, work.mask);
}
