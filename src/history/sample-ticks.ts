import { type MetricId, slotOf } from '../model/catalogue.ts';
import type { Device } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import { absent, type Millis } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import type { Tick } from '../model/tick.ts';

/** Ticks for the tests of the history. */

export const START: Millis = Date.UTC(2026, 0, 1, 12);

/** Null is absent. */
export type Values = Partial<Record<MetricId, number | null>>;

export function sampleDevice(index: number, facts: Partial<Device> = {}): Device {
  return {
    uuid: `GPU-${index}`,
    vendor: 'nvidia',
    name: 'NVIDIA H100 80GB HBM3',
    index,
    pciBusId: `00000000:0${index}:00.0`,
    minor: index,
    serial: null,
    driverVersion: '570.86.15',
    ...facts,
  };
}

/** A tick with these values on devices 0, 1, 2 …; a null in place of values is a lost device. */
export function sampleTick(at: Millis, rows: readonly (Values | null)[], events: readonly GpuEvent[] = []): Tick {
  const devices = rows.map((values, index) => ({
    device: sampleDevice(index),
    state: values === null ? ('lost' as const) : ('ok' as const),
    readings: values === null ? ReadingSet.allAbsent('gpu-lost') : readingsOf(values),
    processes: [],
  }));
  return { at, monotonic: at - START, devices, events };
}

export function sampleEvent(at: Millis, uuid: string | null, params: GpuEvent['params'] = {}): GpuEvent {
  return { at, kind: 'marker', severity: 'info', uuid, params };
}

function readingsOf(values: Values): ReadingSet {
  const readings = new ReadingSet();
  for (const [id, value] of Object.entries(values)) {
    readings.set(slotOf(id as MetricId), value ?? absent('not-supported'));
  }
  return readings;
}
