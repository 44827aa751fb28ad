import type { Device } from '../../model/device.ts';
import type { Millis } from '../../model/reading.ts';
import type { Tick } from '../../model/tick.ts';
import { LineSplitter, searchable } from './lines.ts';
import { LogDevices } from './log-devices.ts';
import { withoutEscapes } from './plain-line.ts';
import { RecordingReport } from './report.ts';
import type { FormatReader } from './rows.ts';
import { Utf16Converter } from './text-encoding.ts';
import { TickBuilder } from './tick-builder.ts';
import type { ZoneClock } from './time-zone.ts';
import { Timeline } from './timeline.ts';
import { recogniseLines, Unwrapper } from './unwrapper.ts';

/** A format is recognised by so many lines; if they are all strange, by the next ones. */
const HEAD_LINES = 400;
const HEAD_BYTES = 256 * 1024;

const ESCAPE = 27;
const ENCODER = new TextEncoder();

export interface DecoderOptions {
  /** Start of a log whose rows do not tell it. */
  readonly anchor: Millis;
  readonly zone: ZoneClock;
  /** Names of the columns for a log without a header, or null. */
  readonly columns: string | null;
  readonly publish: (tick: Tick) => void;
}

interface HeldLine {
  readonly bytes: Uint8Array;
  readonly number: number;
  readonly isWhole: boolean;
  /** A piece of a long line, or the place of its end; null for a line as a whole. */
  readonly part: 'first' | 'further' | 'end' | null;
}

/** Turns the bytes of a log into ticks, wherever the bytes are cut into chunks. */
export class LogDecoder {
  readonly report = new RecordingReport();
  readonly timeline: Timeline;
  readonly #devices = new LogDevices();
  readonly #options: DecoderOptions;
  readonly #builder: TickBuilder;
  readonly #lines: LineSplitter;
  readonly #text: Utf16Converter;
  #reader: FormatReader | null = null;
  /** What the lines go through first: the reader itself, unless something stands in front of each. */
  #lineReader: Pick<FormatReader, 'line'> | null = null;
  #unwrapper: Unwrapper | null = null;
  #hasEscapes = false;
  #formatId: string | null = null;
  #isSparse = false;
  #isAtEnd = false;
  #head: HeldLine[] = [];
  #headBytes = 0;
  #lineCount = 0;

  constructor(options: DecoderOptions) {
    this.#options = options;
    this.timeline = new Timeline(options.anchor, this.report);
    this.#builder = new TickBuilder(this.#devices, this.timeline, this.report, options.publish);
    this.#lines = new LineSplitter({
      line: (bytes, start, end, number, isWhole) => this.#line(bytes, start, end, number, isWhole),
      tooLong: (number) => this.#tooLong(number),
      part: (bytes, start, end, number, isFirst) => this.#part(bytes, start, end, number, isFirst),
    });
    this.#text = new Utf16Converter((bytes) => {
      this.#hasEscapes ||= searchable(bytes).includes(ESCAPE);
      this.#lines.push(bytes);
    });
  }

  get isRecognised(): boolean {
    return this.#reader !== null;
  }

  /** Id of the format; null while it is not known. */
  get formatId(): string | null {
    return this.#formatId;
  }

  /** True where rows may come after any number of other lines. */
  get isSparse(): boolean {
    return this.#isSparse;
  }

  /** Lines with anything on them that were seen before the format was known. */
  get lineCount(): number {
    return this.#lineCount;
  }

  /** See {@link FormatReader.seesXids}. */
  get seesXids(): boolean {
    return this.#reader?.seesXids === true;
  }

  get rows(): number {
    return this.#builder.rows;
  }

  /** By index. */
  devices(): readonly Device[] {
    return this.#devices.all.map(({ device }) => device).sort((a, b) => a.index - b.index);
  }

  push(chunk: Uint8Array): void {
    this.#text.push(chunk);
  }

  /** True while lines wait for more, so that there are enough to decide how they are read. */
  get isHolding(): boolean {
    return this.#reader === null ? this.#head.length > 0 : this.#reader.isHolding;
  }

  /** Decides by the lines there are: no more come for now. */
  settle(): void {
    this.#recognise();
    this.#reader?.settle();
  }

  /** No bytes follow: gives out a part of the ticks that are left, and true while there are more. */
  drain(): boolean {
    if (!this.#isAtEnd) {
      this.#isAtEnd = true;
      this.#text.end();
      this.#lines.end();
      this.#recognise();
      this.#unwrapper?.end();
    }
    return this.#reader?.drain?.() === true;
  }

  /** No bytes follow: gives out all ticks that are left. */
  end(): void {
    while (this.drain());
    this.#reader?.end();
    this.#builder.end();
    const { nulBytes, isNulRun } = this.#lines;
    if (nulBytes === 0) return;
    this.report.remark(isNulRun ? 'notice.nul-bytes' : 'notice.utf16-mixed', { count: nulBytes });
  }

  #line(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    const isEscaped = this.#hasEscapes && bytes.includes(ESCAPE, start);
    if (isEscaped && bytes.subarray(start, end).includes(ESCAPE)) {
      const plain = ENCODER.encode(withoutEscapes(Buffer.from(bytes.subarray(start, end)).toString()));
      this.#plainLine(plain, 0, plain.length, number, isWhole);
      return;
    }
    this.#plainLine(bytes, start, end, number, isWhole);
  }

  #plainLine(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    if (this.#lineReader !== null) {
      this.#lineReader.line(bytes, start, end, number, isWhole);
      return;
    }
    // Blank lines at the start tell nothing, further ones may end something.
    if (start === end && this.#head.length === 0) return;
    if (start !== end) this.#lineCount++;
    this.#hold({ bytes: bytes.slice(start, end), number, isWhole, part: null });
  }

  /** A piece of a line that is too long for most formats. */
  #part(bytes: Uint8Array, start: number, end: number, number: number, isFirst: boolean): void {
    if (this.#reader !== null) this.#reader.part?.(bytes, start, end, number, isFirst);
    else this.#hold({ bytes: bytes.slice(start, end), number, isWhole: true, part: isFirst ? 'first' : 'further' });
  }

  /** The end of such a line. */
  #tooLong(number: number): void {
    if (this.#reader === null) {
      this.#lineCount++;
      this.#hold({ bytes: new Uint8Array(0), number, isWhole: true, part: 'end' });
    } else if (this.#reader.part === undefined) {
      this.report.skip('too-long', number);
    }
  }

  #hold(line: HeldLine): void {
    this.#head.push(line);
    this.#headBytes += line.bytes.length;
    if (this.#head.length >= HEAD_LINES || this.#headBytes >= HEAD_BYTES) this.#recognise();
  }

  /** Looks for a format that can read the held lines, and lets it read them. */
  #recognise(): void {
    if (this.#reader !== null || this.#head.length === 0) return;
    const head = this.#head;
    this.#head = [];
    this.#headBytes = 0;
    const { zone, columns, anchor } = this.#options;
    // Of a long line only the start may tell what it is.
    const isTelling = ({ part, bytes }: HeldLine) =>
      part === null ? bytes.length > 0 : part === 'first' && isBracket(bytes[0]);
    const whole = head.filter(isTelling);
    const texts = whole.map(({ bytes }) => Buffer.from(bytes).toString());
    const recognised = recogniseLines(texts, columns, anchor);
    if (recognised === null) {
      for (const { number, part, bytes } of head) {
        if (part === null ? bytes.length > 0 : part === 'end')
          this.report.skip(part === null ? 'stray-text' : 'too-long', number);
      }
      return;
    }
    const { report } = this;
    const { format, wrapping } = recognised;
    this.#formatId = format.id;
    this.#isSparse = format.isSparse === true;
    const reader = format.open({ sink: this.#builder, devices: this.#devices, report, zone, anchor, columns });
    this.#reader = reader;
    this.#unwrapper = wrapping === null ? null : new Unwrapper(wrapping, format, reader, texts);
    const lineReader = this.#unwrapper ?? reader;
    this.#lineReader = lineReader;
    for (const { bytes, number, isWhole, part } of head) {
      if (part === null) lineReader.line(bytes, 0, bytes.length, number, isWhole);
      else if (reader.part === undefined && part === 'end') report.skip('too-long', number);
      else if (part !== 'end') reader.part?.(bytes, 0, bytes.length, number, part === 'first');
    }
  }
}

/** JSON or XML of any length may be in one line. */
function isBracket(byte: number | undefined): boolean {
  return byte === 91 || byte === 123 || byte === 60;
}
