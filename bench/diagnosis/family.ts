import { slotOf } from '../../src/model/catalogue.ts';
import type { RuleId } from '../../src/model/finding.ts';
import { ReadingSet } from '../../src/model/reading-set.ts';
import type { DeviceSample, Tick } from '../../src/model/tick.ts';
import type { Scenario } from '../../src/sources/simulator/scenario.ts';

/** What the data of a case holds, from all there is to the three columns that most logs have. */
export type Level = 'full' | 'driver' | 'log' | 'basic';

export const LEVELS: readonly Level[] = ['full', 'driver', 'log', 'basic'];

/** Draws a number from a range; each call is a new one. */
export type Draw = (low: number, high: number) => number;

/** A kind of situation of which the cause is known. */
export interface Family {
  readonly name: string;
  /** The cause; null where nothing is wrong. */
  readonly cause: RuleId | null;
  /** Also true of it, so neither asked for nor wrong. */
  readonly alsoTrue?: readonly RuleId[];
  /** What fits the data as well: to call it possible is right, anything surer is a false claim. */
  readonly looksLike?: readonly RuleId[];
  /** Levels at which the data can show it; elsewhere it is right to abstain. Default: all. */
  readonly visibleAt?: readonly Level[];
  /** Minutes that it lasts. */
  readonly minutes: readonly [number, number];
  readonly gpus: readonly [number, number];
  build(draw: Draw): Staged;
}

/** A scenario with what the simulator does not have. */
export interface Staged {
  readonly scenario: Scenario;
  /** Changes a tick of the simulator, which owns nothing of it any more. */
  readonly alter?: (tick: Tick, seconds: number) => Tick;
  /** When the incident happens, as a share of the time. */
  readonly incident?: number;
}

/** A tick with changed copies of the samples for which `change` gives true. */
export function alterGpus(tick: Tick, change: (set: ReadingSet, sample: DeviceSample) => void): Tick {
  const devices = tick.devices.map((sample) => {
    if (sample.state !== 'ok') return sample;
    const readings = sample.readings.clone();
    change(readings, sample);
    return { ...sample, readings };
  });
  return { ...tick, devices };
}

const CPU = slotOf('host_cpu_ratio');
const IOWAIT = slotOf('host_iowait_ratio');
const WRITTEN = slotOf('host_disk_write_bytes_per_second');

/** A tick with readings of the host. */
export function withHost(tick: Tick, cpu: number, iowait: number, written: number): Tick {
  const readings = new ReadingSet();
  readings.setValue(CPU, Math.min(1, Math.max(0, cpu)));
  readings.setValue(IOWAIT, Math.min(1, Math.max(0, iowait)));
  readings.setValue(WRITTEN, written);
  return { ...tick, host: { readings, cpuRatios: new Float64Array(0) } };
}
