import type { EventKind, GpuEvent, Severity } from '../../model/event.ts';
import type { GpuProcess } from '../../model/process.ts';
import type { Absent, Millis } from '../../model/reading.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import type { Tick } from '../../model/tick.ts';
import type { LogDevice, LogDevices } from './log-devices.ts';
import type { RecordingReport } from './report.ts';
import type { ZoneClock } from './time-zone.ts';

/** What a log says about one device at one moment. */
export interface LogRow {
  /** Milliseconds on the clock of its section: since the epoch or since the start. NaN where the section has none. */
  readonly time: number;
  /** Null where the row does not say which device it is about: the order of the rows has to tell. */
  readonly device: LogDevice | null;
  /** Name of the device, where it is known only by its place. */
  readonly name: string | null;
  readonly lost: boolean;
  readonly readings: ReadingSet;
  /** For logs of processes: one process per row. */
  readonly process: GpuProcess | null;
  /** For logs that list the processes of a device beside its readings; missing where they do not. */
  readonly processes?: readonly GpuProcess[] | Absent;
  /** Number of its line, from 1. */
  readonly line: number;
}

/** Something that a log says has happened. */
export interface LogEvent {
  /** As that of a row. */
  readonly time: number;
  /** Null where the log does not say which device it happened to. */
  readonly device: LogDevice | null;
  readonly kind: EventKind;
  readonly severity: Severity;
  readonly params: GpuEvent['params'];
  /** The device is off the bus from here on. */
  readonly isLoss: boolean;
  /** It stands among the rows of a log of readings: its time is that of the row before it, or of the first. */
  readonly isBeside?: true;
}

/** How the place of a row among those of its instant tells its device. */
export interface RowPlaces {
  /** Rows of an instant. */
  readonly count: number;
  /** Rows further apart than this, in milliseconds, are of different instants. */
  readonly gapMs: number;
  /** For logs without times: the names of the devices in the order of their rows. */
  readonly names: readonly string[];
}

/** How the rows that follow are to be put together. */
export interface LogSection {
  /**
   * - `absolute`: times are epoch milliseconds UTC
   * - `elapsed`: times count from an unknown start
   * - `none`: rows have no time
   */
  readonly clock: 'absolute' | 'elapsed' | 'none';
  /** Typical distance of two samples of one device, in milliseconds; null where the first rows do not show it. */
  readonly intervalMs: number | null;
  /** In a log that has several devices and names none; else null. */
  readonly places: RowPlaces | null;
  /** True if the log shows where a sampling instant ends: see {@link RowSink.instant}. Missing where order and time tell. */
  readonly isMarked?: boolean;
}

/** Takes what a format reads, in the order of the file. */
export interface RowSink {
  /** The rows from here on are of another kind. */
  section(section: LogSection): void;
  /** A header was printed: with a jump in time it means that the log was started again. */
  header(): void;
  /** `row` is only lent for the call, its readings are given away. */
  row(row: LogRow): void;
  /** The log says that a device is lost, in place of a row. */
  lost(device: LogDevice): void;
  /** What follows is of another instant than the rows before it, whichever devices it is about. */
  instant(): void;
  /** A log of events has no rows: each moment in which something happened is a tick that has every device known. */
  event(event: LogEvent): void;
  /** A tick as it was sampled, which is given out as it is; missing where only rows are taken. */
  tick?(tick: Tick): void;
}

/** What a format works with: where its rows go, and what it shares with other formats. */
export interface FormatContext {
  readonly sink: RowSink;
  readonly devices: LogDevices;
  readonly report: RecordingReport;
  /** For time stamps without a zone. */
  readonly zone: ZoneClock;
  /** Start of a log that does not tell it; for a file, when it was created. */
  readonly anchor: Millis;
  /** Names of the columns for a log without a header, separated by commas; null to find out. */
  readonly columns: string | null;
}

/** Reads a log line by line. Never throws: what it does not understand goes to the report. */
export interface FormatReader {
  /** See {@link LineSink}. `bytes` is only lent for the call. */
  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void;
  /** A piece of a line that is longer than usual; missing where the format has no such lines. `bytes` is lent. */
  part?(bytes: Uint8Array, start: number, end: number, number: number, isFirst: boolean): void;
  /** Whether an Xid, had there been one, would be in what was read so far; missing where the format has no place for it. */
  readonly seesXids?: boolean;
  /** True while lines wait for more, so that there are enough to decide how they are read. */
  readonly isHolding: boolean;
  /** Decides by the lines there are: no more come for now. */
  settle(): void;
  /** No line follows: gives out a part of what is held, and true while there is more. Missing where little is held. */
  drain?(): boolean;
  /** No line follows, and all is to be given out. */
  end(): void;
}

/** One kind of log. A new kind is one file with one of these, and one entry in the list of formats. */
export interface LogFormat {
  readonly id: string;
  /** What can be read may be anywhere in the file, however long it is. */
  readonly isSparse?: boolean;
  /** Its lines begin with times of their own. */
  readonly hasOwnStamps?: true;
  /**
   * For logs without times, given their first lines: where the time that a program put in front of every line may stand on
   * a line of its own. Before a line that is a `start` of what belongs to one moment, or before a `row` that was written
   * some time after the one before. Missing, or null, where the log has times.
   */
  stampPlaces?(head: readonly string[]): ((line: string) => 'start' | 'row' | null) | null;
  /** How many of the first lines of a log it would read as data or headers; 0 where it is another kind of file. */
  recognise(head: readonly string[], columns: string | null): number;
  open(context: FormatContext): FormatReader;
}
