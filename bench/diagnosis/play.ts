import { TickLog } from '../../src/diagnosis/window/tick-log.ts';
import { Window } from '../../src/diagnosis/window/window.ts';
import { DEVICE_METRICS, type MetricId, slotOf } from '../../src/model/catalogue.ts';
import { absent } from '../../src/model/reading.ts';
import type { ReadingSet } from '../../src/model/reading-set.ts';
import type { Tick } from '../../src/model/tick.ts';
import { hash32, uniform } from '../../src/sources/simulator/random.ts';
import { ScenarioSource } from '../../src/sources/simulator/scenario-source.ts';
import { TickFinisher } from '../../src/sources/tick-finisher.ts';
import { alterGpus, type Draw, type Family, type Level } from './family.ts';

const START = Date.UTC(2026, 0, 5, 8);

/** A case of a family: its ticks at one a second, with everything that can be known. */
export interface Case {
  readonly family: Family;
  readonly seed: number;
  readonly ticks: readonly Tick[];
  readonly gpus: number;
}

function drawFrom(stream: number): Draw {
  let counter = 0;
  return (low, high) => low + (high - low) * uniform(stream, counter++);
}

/** Plays a family with parameters drawn by a seed. */
export async function play(family: Family, seed: number): Promise<Case> {
  const draw = drawFrom(hash32(seed, family.name.length * 7919 + family.name.charCodeAt(0)));
  const seconds = Math.round(60 * draw(...family.minutes));
  const gpus = Math.round(draw(...family.gpus));
  const { scenario, alter, incident } = family.build(draw);
  const incidentMs = incident === undefined ? Number.POSITIVE_INFINITY : 1000 * Math.round(seconds * incident);
  const source = new ScenarioSource({ scenario, gpus, seed, historyMs: 0, incidentMs });
  const finisher = new TickFinisher(source, null);
  const ticks: Tick[] = [];
  for (let second = 0; second < seconds; second++) {
    const tick = await source.sample(START + second * 1000);
    ticks.push(finisher.finish(alter === undefined ? tick : alter(tick, second)));
  }
  return { family, seed, ticks, gpus };
}

const BASIC: readonly MetricId[] = [
  'utilization_ratio',
  'memory_used_bytes',
  'memory_total_bytes',
  'power_watts',
  'power_limit_watts',
];
const LOG: readonly MetricId[] = [
  ...BASIC,
  'temperature_celsius',
  'temperature_slowdown_celsius',
  'memory_utilization_ratio',
  'sm_clock_hertz',
  'sm_clock_max_hertz',
];
const ADVANCED: readonly MetricId[] = ['sm_active_ratio', 'dram_active_ratio', 'tensor_active_ratio'];

const HIDDEN: Readonly<Record<Level, readonly number[]>> = {
  full: [],
  driver: ADVANCED.map(slotOf),
  log: allBut(LOG),
  basic: allBut(BASIC),
};

function allBut(kept: readonly MetricId[]): readonly number[] {
  return DEVICE_METRICS.filter(({ id }) => !kept.includes(id)).map(({ slot }) => slot);
}

/** How the data of a case is worsened. */
export interface Quality {
  readonly level: Level;
  /** Seconds from one sample to the next. */
  readonly every: number;
  /** Share of the samples that are missing. */
  readonly missing: number;
}

/** The window that somebody would have who samples with this quality. */
export function windowOf({ ticks, seed }: Case, { level, every, missing }: Quality): Window {
  const log = new TickLog();
  const hidden = HIDDEN[level];
  for (let index = 0; index < ticks.length; index += every) {
    if (uniform(seed + 77, index) < missing) continue;
    log.add(reduced(ticks[index]!, level, hidden));
  }
  return new Window(log, { seesXids: level === 'full' || level === 'driver' });
}

function reduced(tick: Tick, level: Level, hidden: readonly number[]): Tick {
  if (level === 'full') return tick;
  const { host: _, ...plain } = alterGpus(tick, (set) => hide(set, hidden));
  if (level === 'driver') return plain;
  const events = plain.events.filter(({ kind }) => kind === 'gpu-lost');
  return {
    ...plain,
    events,
    devices: plain.devices.map((sample) => ({ ...sample, processes: absent('not-collected') })),
  };
}

function hide(set: ReadingSet, slots: readonly number[]): void {
  for (const slot of slots) set.setAbsent(slot, 'not-collected');
}
