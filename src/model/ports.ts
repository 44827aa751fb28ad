import type { MetricId } from './catalogue.ts';
import type { Device, DeviceState } from './device.ts';
import type { AppError } from './errors.ts';
import type { GpuEvent } from './event.ts';
import type { NoticeKey } from './i18n/messages-notices.ts';
import type { Millis } from './reading.ts';
import type { ReadingSet } from './reading-set.ts';
import type { HostSample, Tick } from './tick.ts';

/**
 * Where the data comes from: this machine now, a simulation, or a file written earlier. It decides what "now" means to
 * a reader, and data of different origins is never mixed in one history.
 */
export type Origin = 'live' | 'simulated' | 'recorded';

/** Something that yields ticks. */
export interface Source {
  /** `nvml`, `simulate:healthy-training`, `replay:gpu.csv`. */
  readonly name: string;
  readonly origin: Origin;
  /** Every device known so far, lost ones included, by index. */
  devices(): readonly Device[];
  /**
   * One tick. `at` is the time it is stamped with, except for a recording, which stamps its own times and ignores `at`.
   * Null means that a recording has ended. Failures of single fields or devices are in the tick; it rejects with an
   * AppError only when nothing at all can be sampled. Never called again before the last call has settled.
   */
  sample(at: Millis): Promise<Tick | null>;
  /** What the reader of its data should know, such as rows of a log that were skipped; empty when all is well. */
  notices(): readonly Notice[];
  /** How the devices are joined; missing where the source cannot tell. */
  topology?(): readonly TopologyLink[];
  /** The Xids that the driver has reported since the last call; missing where the source has no such reports. */
  takeXids?(): readonly XidReport[];
  /** Releases every handle. It resolves even if a driver call hangs. */
  close(): Promise<void>;
}

/** An error that a driver reports of a device, by NVIDIA's number. */
export interface XidReport {
  readonly at: Millis;
  /** Null where the driver does not tell the device. */
  readonly uuid: string | null;
  readonly xid: number;
  /** Null where it is about no MIG instance. */
  readonly gpuInstance: number | null;
}

/** How two devices reach each other. */
export interface TopologyLink {
  readonly from: string;
  readonly to: string;
  /** Nearest thing they share, as `nvidia-smi topo -m` names it; `NV<n>` for n NVLinks. */
  readonly level: string;
  /** Whether one can read the memory of the other; null where the driver does not tell. */
  readonly canPeerRead: boolean | null;
}

/** A remark on the data of a source: a key of the message table with its parameters. */
export interface Notice {
  readonly key: NoticeKey;
  readonly params: Readonly<Record<string, string | number>>;
  /** Says only what gpulse cannot see: no GPU, driver or log is at fault. */
  readonly isRemark?: true;
}

/** What happens beside the ticks of a source, such as what the kernel logs; drained with every tick. */
export interface EventFeed {
  /** The events since the last call, in order of time; of one that goes on only the newest state. Never blocks. */
  take(): readonly GpuEvent[];
  notices(): readonly Notice[];
  /** Releases every handle; nothing is taken any more. */
  close(): Promise<void>;
}

/** Reads the machine itself. */
export interface HostReader {
  /** What it is like now. `monotonic` is the time of the tick in milliseconds: rates are over the time since the last call. */
  read(monotonic: number): HostSample;
  close(): void;
}

/** Missing hardware is a value, not an exception. */
export type Probe = { readonly ok: true; readonly source: Source } | { readonly ok: false; readonly reason: AppError };

/** History, exporters, alerts and the live stream take ticks. Must return quickly: what is slow queues inside. */
export interface TickSink {
  accept(tick: Tick): void;
}

export interface RangeQuery {
  readonly metrics: readonly MetricId[];
  /** Device UUIDs; unknown ones give series without data. */
  readonly devices: readonly string[];
  /** Inclusive. */
  readonly from: Millis;
  /** Exclusive. */
  readonly to: Millis;
  /** Buckets wanted at most, 1…11000. Aligning them to the epoch may cut one in two, so that there is one more. */
  readonly points: number;
}

/** One metric of one device on the grid of its {@link Grid}; null where a bucket holds no present value. */
export interface Series {
  readonly device: string;
  readonly metric: MetricId;
  readonly min: readonly (number | null)[];
  /** Mean of the samples; null too for bit sets, where a mean says nothing. */
  readonly mean: readonly (number | null)[];
  /** Largest sample; for bit sets every bit that was set at any time. */
  readonly max: readonly (number | null)[];
  readonly count: readonly number[];
  /**
   * Given for counters: how much it grew within the bucket, from the last sample before it on where the range holds one.
   * Where it is lower than before it started again from zero. Null where the bucket holds no value.
   */
  readonly growth?: readonly (number | null)[];
}

/** Series on one shared time grid: buckets of equal width, aligned to multiples of that width since the epoch. */
export interface Grid {
  readonly from: Millis;
  readonly to: Millis;
  readonly bucketMs: number;
  /** Typical distance of two samples; a hole wider than three of these is a gap, a smaller one is just sparse data. */
  readonly intervalMs: number;
  /** Start of each bucket. */
  readonly at: readonly Millis[];
  readonly series: readonly Series[];
}

export interface EventQuery {
  readonly from: Millis;
  readonly to: Millis;
  /** Only events of this device; host events are always included. */
  readonly device?: string;
  /** The newest so many, 1…10000, returned oldest first. */
  readonly limit: number;
}

/** Time span of what a history holds. */
export interface Extent {
  readonly from: Millis;
  readonly to: Millis;
}

interface HistoryReader {
  range(query: RangeQuery): Promise<Grid>;
  events(query: EventQuery): Promise<readonly GpuEvent[]>;
  /** Every device that was ever stored, by index. */
  devices(): Promise<readonly Device[]>;
  /** Null while it is empty. */
  extent(): Promise<Extent | null>;
}

export interface HistoryStatus {
  readonly path: string;
  readonly bytes: number;
  /** Ticks that could not be written since the start. */
  readonly droppedTicks: number;
  /** Why writing is stopped at the moment, or null. */
  readonly failure: AppError | null;
  /** Days of every sample that the limits and the disk have room for at the present pace; null while that is not known. */
  readonly daysThatFit: number | null;
  /** What of the files could not be read any more, or null. */
  readonly damage: AppError | null;
  /** What waits on this host for an engine elsewhere; missing where the history is kept here. */
  readonly queue?: HistoryQueue;
}

interface HistoryQueue {
  readonly ticks: number;
  readonly bytes: number;
  /** More than that gives up the oldest. */
  readonly maxBytes: number;
  /** Since when the engine has taken nothing; null while it does. */
  readonly failingSince: Millis | null;
}

export interface History extends HistoryReader, TickSink {
  status(): HistoryStatus;
  /** Resolves once everything accepted so far can be read back. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** A device as it was sampled; processes and details are not kept. */
export interface StoredSample {
  readonly device: Device;
  readonly state: DeviceState;
  readonly readings: ReadingSet;
}

/** A tick as it was sampled, with what is kept of it. */
export interface StoredTick {
  readonly at: Millis;
  readonly samples: readonly StoredSample[];
  /** Readings of the machine; null where the source did not read it. */
  readonly host: ReadingSet | null;
}

/** Reads every sample of a history that another process may be writing. What comes after it was opened is not seen. */
export interface TickReader {
  /** False while older data still waits to be converted by the process that writes. */
  readonly isComplete: boolean;
  /** Parts of the history that could not be read so far, and were left out. */
  readonly damaged: number;
  devices(): readonly Device[];
  extent(): Extent | null;
  /** Metrics with at least one value between two times, in the order of the catalogue. */
  metrics(from: Millis, to: Millis): Promise<readonly MetricId[]>;
  /** Ticks from `from`, inclusive, to `to`, exclusive, in the order in which they were sampled; memory stays bounded. */
  ticks(from: Millis, to: Millis): AsyncIterable<StoredTick>;
  /** What happened; missing where events are not kept beside the samples. */
  events?(query: EventQuery): readonly GpuEvent[];
  close(): void;
}

/**
 * On whose behalf something is read. Every read names its viewer, and the one place that reads decides what that viewer
 * may see. Until tenants exist the administrator is the only one.
 */
export type Viewer = { readonly kind: 'administrator' };

export const ADMINISTRATOR: Viewer = { kind: 'administrator' };
