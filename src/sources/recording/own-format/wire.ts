import type { ProcessKind } from '../../../model/process.ts';
import type { AbsenceReason, Millis } from '../../../model/reading.ts';

/**
 * The lines of a recording of gpulse, as docs/recording-format.md describes them: a header, then one line per tick. All are
 * JSON objects. What a line does not mention is as the line before it said; an entry that is `full` says everything.
 */

export const FORMAT_NAME = 'gpulse-recording';
export const FORMAT_VERSION = 1;

/** The first line of a file. */
export interface HeaderLine {
  readonly format: typeof FORMAT_NAME;
  readonly version: number;
  /** Version of the gpulse that wrote it. */
  readonly gpulse: string;
  readonly host: string;
  readonly source: string;
  readonly origin: string;
  readonly started: string;
  readonly interval_ms: number;
  /** True where the file before it ended only because it was large or old enough. */
  readonly continues: boolean;
  readonly units: string;
  readonly rule: string;
}

/** Metric id -> value in base units. */
export type WireReadings = Readonly<Record<string, number>>;
/** Metric id -> why it has no value. */
export type WireAbsences = Readonly<Record<string, AbsenceReason>>;

export interface WireProcess {
  readonly pid: number;
  /** Given with all facts that are known, in full entries and when one of them changes. */
  readonly kind?: ProcessKind;
  readonly name?: string | null;
  readonly user?: string | null;
  readonly started_at?: Millis | null;
  readonly command?: string | null;
  readonly owner?: unknown;
  /** Figures: a number, or the reason why there is none. */
  readonly [figure: string]: unknown;
}

export interface WireGpu {
  readonly uuid: string;
  readonly index: number;
  readonly state: string;
  /** What is not mentioned here is not collected. */
  readonly full?: true;
  /** Who and where the device is, when that changes and in full entries. */
  readonly device?: object;
  readonly readings: WireReadings;
  readonly absent?: WireAbsences;
  readonly processes: readonly WireProcess[] | AbsenceReason;
  readonly processes_partial?: AbsenceReason;
  /** Fans and links, when they change; null where there are none any more. */
  readonly details?: unknown;
  readonly allotted?: unknown;
}

export interface TickLine {
  readonly time: string;
  readonly epoch_ms: Millis;
  readonly monotonic_ms: number;
  readonly gpus: readonly WireGpu[];
  readonly host?: {
    readonly full?: true;
    readonly readings: WireReadings;
    readonly absent?: WireAbsences;
    readonly cpus: readonly number[];
  };
  readonly events?: readonly object[];
}

/** Names of the figures of a process in the model and in a line. */
export const FIGURES = {
  memoryBytes: 'memory_bytes',
  smRatio: 'sm_ratio',
  memoryRatio: 'memory_ratio',
  encoderRatio: 'encoder_ratio',
  decoderRatio: 'decoder_ratio',
  cpuRatio: 'cpu_ratio',
  hostMemoryBytes: 'host_memory_bytes',
} as const;
