import type { Device, DeviceState } from '../../model/device.ts';
import type { ErrorCode } from '../../model/i18n/errors.ts';
import type { Params } from '../../model/i18n/text.ts';
import type { Code } from './abi.ts';
import type { MetricFacts } from './plan.ts';

/**
 * What the main thread and the worker say to each other. Types and plain data only, so that the worker loads neither the
 * catalogue nor the message tables.
 */

/** A failure by code and parameters; the sentence is made in the main thread. */
export interface Failure {
  readonly code: ErrorCode;
  readonly params: Params;
}

/** A GPU that hangs, and is left out until the driver has let go of the call on it. */
export interface SkippedGpu {
  readonly index: number;
  /** Null where it hung before anybody knew who it is. */
  readonly uuid: string | null;
}

export interface WorkerOptions {
  /** File to load instead of looking in the usual places. */
  readonly library: string | null;
  readonly facts: MetricFacts;
  readonly progress: SharedArrayBuffer;
  /** GPUs found by an earlier worker, so that one which is lost by now stays listed. */
  readonly known: readonly Device[];
  readonly skip: readonly SkippedGpu[];
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
      /** UUIDs of skipped GPUs to try again. */
      readonly resume: readonly string[];
    }
  | { readonly type: 'close' };

export type Reply =
  | {
      readonly type: 'opened';
      readonly devices: readonly Device[];
      /** The GPUs that were left out without being known, as far as the kernel tells. */
      readonly skipped: readonly Device[];
      /** The file that was loaded. */
      readonly library: string;
      readonly driverVersion: string | null;
    }
  | { readonly type: 'failed'; readonly failure: Failure }
  | TickReply;

/** One tick of all GPUs in one buffer, which changes hands without being copied. */
export interface TickReply {
  readonly type: 'tick';
  /**
   * For g GPUs with m metrics and p processes, in this order: g×m values and p×4 process numbers as float64, then g×m
   * absence codes, g states and g codes for an absent process list, a byte each.
   */
  readonly buffer: ArrayBuffer;
  readonly gpuCount: number;
  readonly processCount: number;
  /** Set when the list of GPUs, or what is known of one, has changed. */
  readonly devices: readonly Device[] | null;
  /** The driver was gone, and answers again since this tick. */
  readonly reloaded: boolean;
  /** While the driver is gone: the code it gives. */
  readonly driverFailure: Code;
}

/** States by their number in the buffer. */
export const STATES: readonly DeviceState[] = ['ok', 'lost', 'asleep', 'stale'];

/** The parts of a tick buffer, as views. */
export interface TickViews {
  readonly values: Float64Array;
  readonly processes: Float64Array;
  readonly codes: Uint8Array;
  readonly states: Uint8Array;
  readonly processCodes: Uint8Array;
}

export function tickBytes(gpus: number, metrics: number, processes: number): number {
  return (gpus * metrics + processes * 4) * 8 + gpus * metrics + gpus * 2;
}

export function tickViews(buffer: ArrayBuffer, gpus: number, metrics: number, processes: number): TickViews {
  const cells = gpus * metrics;
  const floats = (cells + processes * 4) * 8;
  return {
    values: new Float64Array(buffer, 0, cells),
    processes: new Float64Array(buffer, cells * 8, processes * 4),
    codes: new Uint8Array(buffer, floats, cells),
    states: new Uint8Array(buffer, floats + cells, gpus),
    processCodes: new Uint8Array(buffer, floats + cells + gpus, gpus),
  };
}
