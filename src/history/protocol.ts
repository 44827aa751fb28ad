import type { Device } from '../model/device.ts';
import type { ErrorData } from '../model/errors.ts';
import type { GpuEvent } from '../model/event.ts';
import type { EventQuery, Extent, Origin, RangeQuery } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { Retention } from './retention.ts';

/**
 * What the main thread and the history worker say to each other. Only types and plain data live here, so that the
 * worker loads neither the metric catalogue nor the message tables.
 */

/** A metric as storage sees it. */
export interface Column {
  readonly id: string;
  /** One of SUMMED: how its samples are summed up. */
  readonly summed: number;
}

export interface StoreOptions {
  readonly directory: string;
  readonly origin: Origin;
  /** In the order of the values in a {@link Batch}. */
  readonly columns: readonly Column[];
  readonly retention: Retention;
  /** Rows of a block of every level; by default it follows from the level and the number of devices. */
  readonly blockRows?: number;
  /** The file is known to be damaged: what it still holds is to be taken over into a new one. */
  readonly isDamaged?: boolean;
  /** The directory goes with its process; those that killed processes left beside it are removed. */
  readonly isTemporary?: boolean;
}

/** Facts about a device, and the number by which the rows of this and later batches mean it. */
export interface DeviceFacts {
  readonly handle: number;
  readonly device: Device;
}

/** Room for ticks on their way to the disk. It travels to the worker and back, and is used again and again. */
export interface Cells {
  /** Per tick its time and its number of rows, then per row the handle of the device and one value per column. */
  readonly cells: Float64Array<ArrayBuffer>;
  /** Beside each cell: the state of the device beside its handle, and beside a value 0 or the reason of its absence. */
  readonly codes: Uint8Array<ArrayBuffer>;
}

/** Ticks on their way to the disk, written in one transaction. */
export interface Batch extends Cells {
  readonly ticks: number;
  /** Cells that hold anything. */
  readonly used: number;
  /** Devices seen for the first time or with new facts. */
  readonly devices: readonly DeviceFacts[];
  readonly events: readonly GpuEvent[];
}

/** A {@link Grid} as it crosses the threads: series follow one another, each as long as the grid has buckets. */
export interface GridData {
  /** Start of the first bucket. */
  readonly start: Millis;
  readonly buckets: number;
  readonly bucketMs: number;
  readonly intervalMs: number;
  /** NaN where a bucket holds no value. */
  readonly min: Float64Array;
  readonly mean: Float64Array;
  readonly max: Float64Array;
  readonly count: Uint32Array;
  /** Null where no counter was asked for. */
  readonly growth: Float64Array | null;
}

/** What can be asked of the worker, each with its answer. */
export interface Questions {
  readonly range: { readonly query: RangeQuery; readonly answer: GridData };
  readonly events: { readonly query: EventQuery; readonly answer: readonly GpuEvent[] };
  readonly devices: { readonly query: null; readonly answer: readonly Device[] };
  readonly extent: { readonly query: null; readonly answer: Extent | null };
  /** Answered once every batch sent before can be read back. */
  readonly flush: { readonly query: null; readonly answer: null };
  /** Answered once the database is closed and the directory free; the worker ends after it. */
  readonly close: { readonly query: null; readonly answer: null };
}

export type Topic = keyof Questions;

export type Answer = Questions[Topic]['answer'];

/** A question with the number its answer will carry. */
export type Asked = { readonly [T in Topic]: { readonly topic: T; readonly query: Questions[T]['query'] } }[Topic] & {
  readonly type: 'ask';
  readonly id: number;
};

export type ToWorker =
  | { readonly type: 'write'; readonly batch: Batch }
  /** Deletes what is too old or too much, as of this time. */
  | { readonly type: 'prune'; readonly now: Millis }
  | Asked;

/** What a store says about itself. */
export interface StoreState {
  /** What it takes on the disk. */
  readonly bytes: number;
  readonly daysThatFit: number | null;
  /** What could not be read any more, or null. */
  readonly damage: ErrorData | null;
}

export type FromWorker =
  | { readonly type: 'opened'; readonly state: StoreState }
  | { readonly type: 'refused'; readonly error: ErrorData }
  /** The oldest batch still waiting is on the disk; its room comes back. */
  | { readonly type: 'written'; readonly room: Cells }
  /** Some time after something was written. */
  | { readonly type: 'state'; readonly state: StoreState }
  /** Writing does not work at the moment; it is tried again and again. */
  | { readonly type: 'failing'; readonly error: ErrorData }
  /** The oldest batch still waiting can never be written and was left out. */
  | { readonly type: 'unwritable'; readonly error: ErrorData }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly type: 'rejected'; readonly id: number; readonly error: ErrorData };
