import { type Clock, systemClock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import { AppError } from '../../model/errors.ts';
import type { Notice } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import type { Tick } from '../../model/tick.ts';
import { LogDecoder } from './log-decoder.ts';
import { type LogInput, openInput } from './log-input.ts';
import { giveBack } from './reading-slab.ts';
import type { RowFault, SkipReason } from './report.ts';
import { ZoneClock } from './time-zone.ts';

/** A file that has no line of a log in so many bytes at its start is none. */
const SEARCHED_BYTES = 16 * 1024 * 1024;

/** Bytes decoded at a time: the memory of the ticks in them is used again for the next ones, and stays near. */
const PIECE_BYTES = 64 * 1024;

/** How long the first lines of a pipe wait for more before it is decided how they are read. */
const HOLDING_MS = 2000;

export interface RecordingOptions {
  /** File, pipe, or `-` for the standard input. */
  readonly path: string;
  /** Start of a log whose rows have no time or only the time since the start. Default: when the file was created. */
  readonly anchor?: Millis;
  /** IANA name of the zone of times that carry none. Default: the zone of this host. */
  readonly timeZone?: string;
  /** Names of the columns of a log without a header, separated by commas. Default: inferred from the values. */
  readonly columns?: string;
  /** Tells the start of a log from a pipe that has no times. Default: the clock of this host. */
  readonly clock?: Clock;
}

/** What was read of a recording so far; complete once its end has been reached. */
export interface RecordingSummary {
  /** Kind of the log, such as `csv` or `dmon`; null while it is not known. */
  readonly format: string | null;
  /** Rows that were read: one device, or one process, at one moment each. */
  readonly rows: number;
  /** Lines that were not read, by reason. */
  readonly skippedRows: Readonly<Partial<Record<SkipReason, number>>>;
  /** What was wrong in rows that were read. */
  readonly faults: Readonly<Partial<Record<RowFault, number>>>;
  /** Cards; their MIG instances are not counted. */
  readonly gpus: number;
  /** Earliest and latest time of a tick; null where there is none. */
  readonly from: Millis | null;
  readonly to: Millis | null;
  /** How often the log was started again. */
  readonly restarts: number;
  /** Whether an Xid, had there been one, would be in it. */
  readonly seesXids: boolean;
}

/**
 * Reads a recording from its start to its end, tick by tick, holding only a part of it in memory. Iterating closes it at
 * the end or when the loop is left.
 */
export interface RecordingReader extends AsyncIterable<Tick> {
  /** The next tick, or null at the end. Throws FILE_UNREADABLE if the file cannot be read further. */
  next(): Promise<Tick | null>;
  /**
   * The ticks that were read together, at least one, or null at the end: for who reads on to the end, since waiting for
   * every single one takes longer than reading it. Throws FILE_UNREADABLE too.
   */
  nextTicks(): Promise<readonly Tick[] | null>;
  /** Takes back a tick of which nobody will look at the readings again; they become those of a later tick. */
  recycle(tick: Tick): void;
  /** Every device in the ticks given out so far, by index. Reading ahead does not show: later devices are not known yet. */
  devices(): readonly Device[];
  summary(): RecordingSummary;
  /** What a reader should know of the part that has been read. */
  notices(): readonly Notice[];
  close(): Promise<void>;
}

/**
 * Opens a log and reads its first lines. Throws FILE_UNREADABLE, RECORDING_BLANK, RECORDING_NOT_RECOGNISED or
 * RECORDING_EMPTY, and BAD_OPTION for a time zone that does not exist. A pipe may have no rows yet.
 */
export async function openRecordingReader(options: RecordingOptions): Promise<RecordingReader> {
  const zone = zoneClock(options.timeZone);
  const input = await openInput(options.path);
  const ticks: Tick[] = [];
  const decoder = new LogDecoder({
    anchor: options.anchor ?? input.createdAt ?? (options.clock ?? systemClock).now(),
    zone,
    columns: options.columns ?? null,
    publish: (tick) => ticks.push(tick),
  });
  const reader = new Reader(input, decoder, ticks);
  try {
    await reader.recognise(options.path);
  } catch (error) {
    await input.close();
    throw error;
  }
  return reader;
}

function zoneClock(timeZone: string | undefined): ZoneClock {
  try {
    return new ZoneClock(timeZone ?? null);
  } catch (cause) {
    const params = { option: '--time-zone', value: timeZone ?? '', expected: 'Asia/Shanghai, Europe/Berlin, UTC, …' };
    throw new AppError('BAD_OPTION', params, { cause });
  }
}

class Reader implements RecordingReader {
  readonly #input: LogInput;
  readonly #decoder: LogDecoder;
  /** Ticks of the last chunk that have not been asked for; `#given` of them have. */
  readonly #ticks: Tick[];
  #given = 0;
  readonly #devices = new Map<string, Device>();
  /** Of the tick given out last, which mostly has the same ones. */
  #last: Tick['devices'] = [];
  /** The same by index; null where one has come since. */
  #sorted: readonly Device[] | null = null;
  #isEnded = false;
  #isInputEnded = false;
  /** The next chunk, being waited for. */
  #chunk: Promise<Uint8Array | null> | null = null;
  /** What of the last chunk has not been decoded. */
  #rest: Uint8Array = new Uint8Array(0);
  /** Runs while the first lines of a pipe are held. */
  #deadline: { readonly timer: NodeJS.Timeout; readonly passed: Promise<'passed'> } | null = null;

  constructor(input: LogInput, decoder: LogDecoder, ticks: Tick[]) {
    this.#input = input;
    this.#decoder = decoder;
    this.#ticks = ticks;
  }

  /** Reads until the format is known and, in a file, the first row is found. */
  async recognise(path: string): Promise<void> {
    const decoder = this.#decoder;
    let searched = 0;
    const isFound = () => decoder.isRecognised && (this.#input.isLive || decoder.rows > 0);
    const isSearched = () => searched >= SEARCHED_BYTES && !decoder.isSparse;
    while (!this.#isEnded && !isFound() && !isSearched()) searched += await this.#advance();
    if (decoder.lineCount === 0 && this.#isEnded) throw new AppError('RECORDING_BLANK', { path });
    if (!decoder.isRecognised) throw new AppError('RECORDING_NOT_RECOGNISED', { path, rows: decoder.lineCount });
    const isEmpty = decoder.rows === 0 && (this.#isEnded || !this.#input.isLive);
    if (isEmpty) throw new AppError('RECORDING_EMPTY', { path, skipped: this.#skipped() });
  }

  /** `103 (wrong-columns 100, stray-text 3)` */
  #skipped(): string {
    const reasons = Object.entries(this.#decoder.report.skippedRows());
    const count = reasons.reduce((sum, [, rows]) => sum + rows, 0);
    return count === 0 ? '0' : `${count} (${reasons.map(([reason, rows]) => `${reason} ${rows}`).join(', ')})`;
  }

  async next(): Promise<Tick | null> {
    if (this.#given === this.#ticks.length && !(await this.#refill())) return null;
    const tick = this.#ticks[this.#given++]!;
    this.#meet(tick);
    return tick;
  }

  async nextTicks(): Promise<readonly Tick[] | null> {
    if (this.#given === this.#ticks.length && !(await this.#refill())) return null;
    const ticks = this.#ticks.slice(this.#given);
    this.#given = this.#ticks.length;
    for (const tick of ticks) this.#meet(tick);
    return ticks;
  }

  /** Reads on until there is a tick to give out; false at the end. */
  async #refill(): Promise<boolean> {
    while (this.#given === this.#ticks.length) {
      if (this.#isEnded) return false;
      this.#ticks.length = 0;
      this.#given = 0;
      await this.#advance();
    }
    return true;
  }

  recycle({ devices }: Tick): void {
    for (const { readings } of devices) giveBack(readings);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Tick> {
    try {
      for (let tick = await this.next(); tick !== null; tick = await this.next()) yield tick;
    } finally {
      await this.close();
    }
  }

  devices(): readonly Device[] {
    this.#sorted ??= [...this.#devices.values()].sort((a, b) => a.index - b.index);
    return this.#sorted;
  }

  summary(): RecordingSummary {
    const { report, timeline, rows } = this.#decoder;
    return {
      format: this.#decoder.formatId,
      rows,
      skippedRows: report.skippedRows(),
      faults: report.faults(),
      gpus: this.#decoder.devices().filter(({ mig }) => mig === undefined).length,
      from: timeline.from,
      to: timeline.to,
      restarts: timeline.restarts,
      seesXids: this.#decoder.seesXids,
    };
  }

  notices(): readonly Notice[] {
    return this.#decoder.report.notices();
  }

  close(): Promise<void> {
    this.#isEnded = true;
    this.#endHolding();
    return this.#input.close();
  }

  #meet({ devices }: Tick): void {
    const last = this.#last;
    this.#last = devices;
    for (let at = 0; at < devices.length; at++) {
      const { device } = devices[at]!;
      if (last[at]?.device === device) continue;
      if (this.#devices.get(device.uuid) === device) continue;
      this.#devices.set(device.uuid, device);
      this.#sorted = null;
    }
  }

  /** Decodes the next piece, or decides by what there is; the number of bytes. */
  async #advance(): Promise<number> {
    if (this.#rest.length > 0) return this.#decodePiece();
    if (this.#isInputEnded) {
      this.#finish();
      return 0;
    }
    this.#chunk ??= this.#input.next();
    const found = await (this.#deadline === null ? this.#chunk : Promise.race([this.#chunk, this.#deadline.passed]));
    if (found === 'passed') {
      this.#endHolding();
      this.#decoder.settle();
      return 0;
    }
    this.#chunk = null;
    if (found === null) {
      this.#isInputEnded = true;
      this.#endHolding();
      this.#finish();
      return 0;
    }
    this.#rest = found;
    return this.#decodePiece();
  }

  #decodePiece(): number {
    const piece = this.#rest.subarray(0, PIECE_BYTES);
    this.#rest = this.#rest.subarray(piece.length);
    this.#decoder.push(piece);
    if (!this.#decoder.isHolding) this.#endHolding();
    else if (this.#input.isLive) this.#deadline ??= deadline();
    return piece.length;
  }

  /** Gives out what the decoder still holds, a part at a time. */
  #finish(): void {
    if (this.#decoder.drain()) return;
    this.#isEnded = true;
    this.#decoder.end();
  }

  #endHolding(): void {
    clearTimeout(this.#deadline?.timer);
    this.#deadline = null;
  }
}

function deadline() {
  const { promise, resolve } = Promise.withResolvers<'passed'>();
  return { timer: setTimeout(() => resolve('passed'), HOLDING_MS), passed: promise };
}
