import type { MetricId } from '../../model/catalogue.ts';
import type { Device, DeviceState } from '../../model/device.ts';
import type { ErrorCode } from '../../model/i18n/errors.ts';
import type { Params } from '../../model/i18n/text.ts';
import type { TopologyLink } from '../../model/ports.ts';
import type { DeviceDetails } from '../../model/tick.ts';
import type { MetricFacts } from './plan.ts';
import { RECORD_SIZE } from './process-record.ts';

/**
 * What the main thread and the worker say to each other. Types and plain data only, so that the worker loads neither the
 * catalogue nor the message tables.
 */

/** A failure by code and parameters; the sentence is made in the main thread. */
export interface Failure {
  readonly code: ErrorCode;
  readonly params: Params;
}

/** A GPU by what is known of it from the other thread. */
export interface GpuRef {
  readonly index: number;
  /** Null where it hung before anybody knew who it is. */
  readonly uuid: string | null;
}

/** An Xid as the driver reports it. */
export interface XidSeen {
  /** Null for a card that is not known. */
  readonly uuid: string | null;
  readonly xid: number;
  /** Null where it is about no MIG instance. */
  readonly gpuInstance: number | null;
}

/** Which GPUs a worker is there for: only those named, or all but those named. */
export interface Share {
  readonly kind: 'only' | 'all-but';
  readonly gpus: readonly GpuRef[];
}

export interface WorkerOptions {
  /** File to load instead of looking in the usual places. */
  readonly library: string | null;
  readonly facts: MetricFacts;
  /** Metrics that somebody will look at; null for all. */
  readonly only: readonly MetricId[] | null;
  readonly progress: SharedArrayBuffer;
  /** See GpmLock: one for the whole process. */
  readonly gpmLock: SharedArrayBuffer;
  /** GPUs found by an earlier worker, so that one which is lost by now stays listed. */
  readonly known: readonly Device[];
  readonly share: Share;
  /** False after asking for Xids has hung. */
  readonly asksXids: boolean;
  /** Folder in which the kernel driver lists its GPUs. */
  readonly kernelGpus: string;
  /** Folder of the device nodes. */
  readonly deviceNodes: string;
}

export type Request =
  | {
      readonly type: 'sample';
      /** The caller's monotonic clock in milliseconds: the worker has none of its own. */
      readonly now: number;
      /** Another share than before; null where it has not changed. */
      readonly share: Share | null;
    }
  | { readonly type: 'close' };

export type Reply =
  | {
      readonly type: 'opened';
      readonly devices: readonly Device[];
      /** The GPUs that were left out without being known, as far as the kernel tells. */
      readonly unseen: readonly Device[];
      /** The file that was loaded. */
      readonly library: string;
      readonly driverVersion: string | null;
    }
  | { readonly type: 'failed'; readonly failure: Failure }
  | TickReply;

/** Who calls the driver, as seen by who asks for it. */
export interface DriverThread {
  /** One at a time, but for being closed. */
  ask(request: Request): void;
  onReply(listener: (reply: Reply) => void): void;
  onError(listener: (error: unknown) => void): void;
  onExit(listener: () => void): void;
  /** Whether the process stays for it. */
  ref(): void;
  unref(): void;
}

/** One tick of all GPUs in one buffer, see {@link tickViews}. */
export interface TickReply {
  readonly type: 'tick';
  /**
   * For g GPUs with m metrics and p processes, in this order: g×m values and p process records as float64, then g×m
   * absence codes, g states and g codes for an absent process list, a byte each.
   */
  readonly buffer: ArrayBufferLike;
  readonly gpuCount: number;
  readonly processCount: number;
  /** Null in most ticks, so that they need not be told nothing ten times over. */
  readonly news: TickNews | null;
}

/** What a tick says besides numbers. */
export interface TickNews {
  /** Set when the list of GPUs, or what is known of one, has changed. */
  readonly devices: readonly Device[] | null;
  /** What does not fit into a number per metric, of every GPU in order; null where nothing has changed. */
  readonly details: readonly (DeviceDetails | null)[] | null;
  /** How the GPUs of this worker are joined; null where that has not changed. */
  readonly topology: readonly TopologyLink[] | null;
  /** Positions of the GPUs that were not read in this tick, for want of time; null where all were. */
  readonly unread: readonly number[] | null;
  /** Milliseconds that reading each GPU took the last time; null as long as all together take little. */
  readonly costs: readonly number[] | null;
  /** GPUs that are there and cannot be read, with the code that says why; null where there is none. */
  readonly faults: readonly { readonly index: number; readonly code: number }[] | null;
  /** Indexes of cards whose MIG instances could not be listed; null where there is none. */
  readonly unlisted: readonly number[] | null;
  /** Xids since the tick before; null where there are none. */
  readonly xids: readonly XidSeen[] | null;
  /** The driver was gone, and answers again since this tick. */
  readonly reloaded: boolean;
  /** While the driver is gone: what it says. */
  readonly outage: Failure | null;
}

/** Nothing has happened. */
export const NO_NEWS: TickNews = {
  devices: null,
  details: null,
  topology: null,
  unread: null,
  costs: null,
  faults: null,
  unlisted: null,
  xids: null,
  reloaded: false,
  outage: null,
};

/** States by their number in the buffer; 0 is that of a GPU that was read. */
export const STATES: readonly DeviceState[] = ['ok', 'lost', 'asleep', 'stale'];

/** The parts of a tick buffer, as views. */
export interface TickViews {
  readonly values: Float64Array;
  readonly processes: Float64Array;
  readonly codes: Uint8Array;
  readonly states: Uint8Array;
  /** 0 for a whole list, see also {@link PARTIAL}. */
  readonly processCodes: Uint8Array;
}

export function tickBytes(gpus: number, metrics: number, processes: number): number {
  return (gpus * metrics + processes * RECORD_SIZE) * 8 + gpus * metrics + gpus * 2;
}

export function tickViews(buffer: ArrayBufferLike, gpus: number, metrics: number, processes: number): TickViews {
  const cells = gpus * metrics;
  const floats = (cells + processes * RECORD_SIZE) * 8;
  return {
    values: new Float64Array(buffer, 0, cells),
    processes: new Float64Array(buffer, cells * 8, processes * RECORD_SIZE),
    codes: new Uint8Array(buffer, floats, cells),
    states: new Uint8Array(buffer, floats + cells, gpus),
    processCodes: new Uint8Array(buffer, floats + cells + gpus, gpus),
  };
}
