import type { Device } from './device.ts';
import type { Notice, Origin, Source } from './ports.ts';
import { absent, type Millis } from './reading.ts';
import { ReadingSet } from './reading-set.ts';
import type { DeviceSample, Tick } from './tick.ts';

/** A device for tests that need one and do not care which. */
export function testDevice(index: number, facts: Partial<Device> = {}): Device {
  return {
    uuid: `GPU-test-${index}`,
    vendor: 'nvidia',
    name: 'Test GPU',
    index,
    pciBusId: null,
    minor: index,
    serial: null,
    driverVersion: null,
    ...facts,
  };
}

export function testSample(device: Device, facts: Partial<DeviceSample> = {}): DeviceSample {
  return { device, state: 'ok', readings: new ReadingSet(), processes: absent('not-collected'), ...facts };
}

/** A source whose answers a test gives one by one: a tick, a failure, silence, or the end. */
export class ScriptedSource implements Source {
  readonly name = 'scripted';
  readonly origin: Origin;
  readonly known: Device[];
  closed = false;
  calls = 0;
  readonly #answer: (at: Millis, call: number) => Promise<Tick | null>;

  constructor(origin: Origin, known: Device[], answer: (at: Millis, call: number) => Promise<Tick | null>) {
    this.origin = origin;
    this.known = known;
    this.#answer = answer;
  }

  devices(): readonly Device[] {
    return this.known;
  }

  sample(at: Millis): Promise<Tick | null> {
    return this.#answer(at, this.calls++);
  }

  notices(): readonly Notice[] {
    return [];
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
}
