import type { Device, DeviceState } from './device.ts';
import type { GpuEvent } from './event.ts';
import type { PodRef } from './owner.ts';
import type { GpuProcess } from './process.ts';
import type { AbsenceReason, Absent, Millis, Reading } from './reading.ts';
import type { ReadingSet } from './reading-set.ts';

/** One device at one moment. The source gives up ownership: nobody changes a sample once it is in a tick. */
export interface DeviceSample {
  readonly device: Device;
  readonly state: DeviceState;
  readonly readings: ReadingSet;
  /** Absent where the source cannot list processes; an empty list means that there are none. */
  readonly processes: readonly GpuProcess[] | Absent;
  /** Set where processes are missing from the list, since part of it could not be read; the reason of that part. */
  readonly processesPartial?: AbsenceReason;
  /** What does not fit into one number per metric; the newest only, it is not kept in the history. */
  readonly details?: DeviceDetails;
  /** Pods to which the device is allotted, busy or not. */
  readonly allotted?: readonly PodRef[];
}

/** Parts of a device that come in numbers of their own. Each is missing where the source does not ask for it. */
export interface DeviceDetails {
  /** Ratio per fan, in the order of the driver. */
  readonly fans?: readonly Reading[];
  readonly links?: readonly NvLink[];
}

/** One NVLink port. */
export interface NvLink {
  readonly link: number;
  readonly isActive: boolean;
  /** PCI bus id of what is at its other end; null where unknown. */
  readonly peerBusId: string | null;
  readonly crcErrors: Reading;
  readonly replayErrors: Reading;
  readonly recoveryErrors: Reading;
}

/** The name of the host beside the UUIDs of devices, under which its readings are kept and asked for. */
export const HOST_UUID = 'host';

/** Readings of the host itself, in the slots of the catalogue's host metrics. */
export interface HostSample {
  readonly readings: ReadingSet;
  /** Busy share per CPU, in the order of the kernel; empty where unknown. */
  readonly cpuRatios: Float64Array;
}

/** Everything sampled on one host at one moment. */
export interface Tick {
  readonly at: Millis;
  /** Milliseconds on a clock that is never stepped; only differences mean something. */
  readonly monotonic: number;
  readonly devices: readonly DeviceSample[];
  /** Missing where the source does not read the host. */
  readonly host?: HostSample;
  /** Events the source itself saw, in order of time. What follows from comparing ticks is added by the sampler. */
  readonly events: readonly GpuEvent[];
  /** Set for a tick that was recorded with all that follows from comparing it with the one before: nothing is added. */
  readonly isFinished?: true;
}
