import { findMetric, type MetricId, slotOf } from '../model/catalogue.ts';
import type { Device } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { testDevice, testSample } from '../model/scripted-source.ts';
import type { DeviceSample, HostSample, Tick } from '../model/tick.ts';
import { TickLog } from './window/tick-log.ts';
import { Window } from './window/window.ts';

const START = Date.UTC(2026, 0, 5, 8);

/** What tests of the diagnosis make their recordings of. */
export interface Script {
  readonly gpus: number;
  readonly seconds: number;
  /** Seconds between ticks; 1 by default. */
  readonly every?: number;
  /** Readings of a GPU at a second; null where it has no sample. */
  readonly readings: (gpu: number, second: number) => Partial<Record<MetricId, number>> | null;
  readonly sample?: (gpu: number, second: number) => Partial<DeviceSample>;
  readonly host?: (second: number) => Partial<Record<MetricId, number>>;
  readonly events?: (second: number) => readonly GpuEvent[];
  readonly device?: (gpu: number) => Partial<Device>;
}

export function scriptedTicks({ gpus, seconds, every = 1, readings, sample, host, events, device }: Script): Tick[] {
  const devices = Array.from({ length: gpus }, (_, gpu) => testDevice(gpu, device?.(gpu)));
  const ticks: Tick[] = [];
  for (let second = 0; second < seconds; second += every) {
    const samples = devices.flatMap((one, gpu) => {
      const values = readings(gpu, second);
      return values === null ? [] : [testSample(one, { readings: setOf(values), ...sample?.(gpu, second) })];
    });
    const hostSample: HostSample | undefined = host && {
      readings: setOf(host(second)),
      cpuRatios: new Float64Array(0),
    };
    ticks.push({
      at: START + second * 1000,
      monotonic: second * 1000,
      devices: samples,
      events: events?.(second) ?? [],
      ...(hostSample === undefined ? {} : { host: hostSample }),
    });
  }
  return ticks;
}

function setOf(values: Partial<Record<MetricId, number>>): ReadingSet {
  const set = new ReadingSet();
  for (const [id, value] of Object.entries(values)) set.setValue(slotOf(findMetric(id)!.id), value);
  return set;
}

export function windowOf(ticks: readonly Tick[]): Window {
  const log = new TickLog();
  for (const tick of ticks) log.add(tick);
  return new Window(log, { seesXids: true });
}

/** A number in [0, 1) that is always the same for the same place. */
export function noise(gpu: number, second: number): number {
  const x = Math.sin(gpu * 127.1 + second * 311.7) * 43_758.5453;
  return x - Math.floor(x);
}
