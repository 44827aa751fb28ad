import type { Device, DeviceState } from './device.ts';
import type { GpuEvent } from './event.ts';
import type { GpuProcess } from './process.ts';
import type { Absent, Millis } from './reading.ts';
import type { ReadingSet } from './reading-set.ts';

/** One device at one moment. The source gives up ownership: nobody changes a sample once it is in a tick. */
export interface DeviceSample {
  readonly device: Device;
  readonly state: DeviceState;
  readonly readings: ReadingSet;
  /** Absent where the source cannot list processes; an empty list means that there are none. */
  readonly processes: readonly GpuProcess[] | Absent;
}

/** Everything sampled on one host at one moment. */
export interface Tick {
  readonly at: Millis;
  /** Milliseconds on a clock that is never stepped; only differences mean something. */
  readonly monotonic: number;
  readonly devices: readonly DeviceSample[];
  /** Events the source itself saw, in order of time. What follows from comparing ticks is added by the sampler. */
  readonly events: readonly GpuEvent[];
}
