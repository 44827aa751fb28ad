import type { Device, DeviceState } from '../../model/device.ts';
import type { Notice, TopologyLink } from '../../model/ports.ts';
import type { GpuProcess } from '../../model/process.ts';
import type { Absent } from '../../model/reading.ts';
import type { Slots } from './row.ts';

/** What the main thread and the worker say to each other. Types and plain data only. */

export interface WorkerOptions {
  /** Root below which `/sys` and `/proc` are read; empty for this machine. */
  readonly root: string;
  readonly slots: Slots;
  /** Number of slots in a row. */
  readonly rowSize: number;
  readonly progress: SharedArrayBuffer;
  /** GPUs found by an earlier worker: they keep their index, and one that is gone by now stays listed. */
  readonly known: readonly Device[];
}

export type Request =
  | {
      readonly type: 'sample';
      /** The caller's monotonic clock in milliseconds. */
      readonly now: number;
      /** UUIDs of GPUs to leave alone. */
      readonly skip: readonly string[];
      readonly skipProcesses: boolean;
    }
  | { readonly type: 'close' };

export type Reply = DevicesReply | TickReply;

/** Sent first of all, and before a tick whenever the list of GPUs, or what is known of one, has changed. */
export interface DevicesReply {
  readonly type: 'devices';
  readonly devices: readonly Device[];
  readonly topology: readonly TopologyLink[];
}

/** Row k of `values` and `codes` is that of `devices[sampled[k]]`. */
export interface TickReply {
  readonly type: 'tick';
  readonly values: Float64Array<ArrayBuffer>;
  readonly codes: Uint8Array<ArrayBuffer>;
  readonly sampled: readonly number[];
  readonly states: readonly DeviceState[];
  readonly processes: readonly (readonly GpuProcess[] | Absent)[];
  readonly notices: readonly Notice[];
}
