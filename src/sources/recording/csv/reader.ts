import { LogHosts } from '../hosts.ts';
import { plainLine } from '../plain-line.ts';
import type { SkipReason } from '../report.ts';
import type { FormatContext, FormatReader, LogSection } from '../rows.ts';
import { skipLine } from '../stray-line.ts';
import { DatesBetween } from './dates-between.ts';
import { type CsvHeader, headerOf, parseHeader } from './header.ts';
import { hostAsCell } from './host-prefix.ts';
import { headerWithout } from './inference.ts';
import { planColumns } from './plan.ts';
import { remarkOn } from './remarks.ts';
import { CsvRowReader } from './row.ts';
import { gatherSamples, MAX_LINES_PER_RECORD } from './samples.ts';
import { isTableLine } from './stray-lines.ts';

/** How the records after a header are read is decided by so many lines of them. */
const PLANNING_LINES = 400;
const PLANNING_BYTES = 256 * 1024;

/** Headers whose plans are kept, for a log that alternates between several. */
const KEPT_SECTIONS = 16;

/** A header has a column about one of these. */
const SUBJECT = /util|mem|vram|fb_|temp|power|clock|pci|pstate|fan|ecc|gpu|index|idx|uuid|name|device|pid/i;

/** nvidia-smi cannot reach a device. */
const MESSAGE = /device handle for gpu/i;

const LONGEST_DATE = 80;

const QUOTE = 34;
const ESCAPE = 27;
const LF = Buffer.from('\n');

interface HeldLine {
  readonly bytes: Uint8Array;
  readonly number: number;
  readonly isWhole: boolean;
}

/** Records of one header. */
interface Section {
  /** Its rows have no times of their own. */
  readonly isTimeless: boolean;
  /** Bus ids name the devices; null where only the order of the rows tells them. */
  readonly hasBusIds: boolean | null;
  readonly headerBytes: Uint8Array;
  readonly section: LogSection;
  readonly rows: CsvRowReader;
}

/**
 * Holds the lines after a header until there are enough to decide how they are read, then reads them and what follows,
 * until another header comes. Lines before the first header may be records without one, or no records at all.
 */
export class CsvReader implements FormatReader {
  readonly #context: FormatContext;
  readonly #sections = new Map<string, Section>();
  /** Null while lines are being held. */
  #current: Section | null = null;
  #header: { readonly header: CsvHeader; readonly bytes: Uint8Array } | null = null;
  #held: HeldLine[] = [];
  #heldBytes = 0;
  /** Lines of a record whose quoted cell has not been closed. */
  #open: HeldLine[] = [];
  #hasDevices = false;
  /** Lines have the name of their machine in front; null while none has been seen. */
  #isPrefixed: boolean | null = null;
  readonly #hosts = new LogHosts();
  readonly #dates: DatesBetween;
  #clock: LogSection['clock'] | null = null;
  /** Messages about devices in front of the first header. */
  #early: HeldLine[] = [];

  constructor(context: FormatContext) {
    this.#context = context;
    this.#dates = new DatesBetween(context);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    const prefixed = this.#isPrefixed === false ? null : hostAsCell(textOf(bytes.subarray(start, end)));
    if (prefixed === null) {
      this.#take(bytes, start, end, number, isWhole);
      return;
    }
    this.#isPrefixed = true;
    const line = new TextEncoder().encode(prefixed);
    this.#take(line, 0, line.length, number, isWhole);
  }

  #take(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    if (this.#current === null) this.#hold({ bytes: uncoloured(bytes, start, end), number, isWhole });
    else this.#read(this.#current, bytes, start, end, number, isWhole);
  }

  get isHolding(): boolean {
    return this.#current === null && this.#held.length > 0;
  }

  settle(): void {
    const { header } = this.#header ?? {};
    const texts = this.#held.map(({ bytes }) => textOf(bytes));
    // A header alone does not tell how its rows are read.
    if (gatherSamples(texts, header ?? null).length > 0) this.#settle();
  }

  end(): void {
    while (this.#held.length > 0 || this.#header !== null || this.#open.length > 0) {
      if (this.#current === null) this.#settle();
      if (this.#open.length > 0) this.#giveUpRecord();
    }
    this.#tellEarly();
  }

  #hold(line: HeldLine): void {
    const header = headerIn(textOf(line.bytes));
    if (header !== null && !isSame(this.#header?.bytes ?? null, line.bytes, 0, line.bytes.length)) {
      this.#settle();
      this.#begin(header, line.bytes);
      return;
    }
    this.#held.push(line);
    this.#heldBytes += line.bytes.length;
    if (this.#held.length >= PLANNING_LINES || this.#heldBytes >= PLANNING_BYTES) this.#settle();
  }

  /** A header that was not the current one. */
  #begin(found: CsvHeader, bytes: Uint8Array): void {
    const known = this.#sections.get(textOf(bytes));
    this.#context.sink.header();
    this.#header = null;
    this.#current = null;
    if (known !== undefined) {
      this.#enter(known);
      return;
    }
    // Processes beside the readings of devices would come as ticks in which nothing was read.
    const isBeside = found.kind === 'processes' && this.#hasDevices;
    const header: CsvHeader = isBeside ? { ...found, kind: 'other' } : found;
    this.#header = { header, bytes };
    if (header.kind === 'other') this.#settle();
  }

  /** Decides how the held lines are read, and reads them. */
  #settle(): void {
    const held = this.#held;
    const header = this.#header;
    this.#held = [];
    this.#heldBytes = 0;
    if (header === null && held.length === 0) return;
    const lines = held.map(({ bytes }) => textOf(bytes));
    const texts = lines.filter((text) => !this.#dates.isDate(text));
    const hasDates = lines.some((text, at) => this.#dates.isDate(text) && !isTableLine(lines[at + 1] ?? ''));
    const samples = gatherSamples(texts, header?.header ?? null);
    const found = header?.header ?? this.#headerOf(samples);
    if (found === null) {
      for (const line of held) this.#skip(line.bytes, 0, line.bytes.length, 'stray-text', line);
      return;
    }
    const isCut = held.at(-1)?.isWhole === false;
    this.#enter(this.#plan(found, samples, header?.bytes ?? null, isCut), hasDates);
    for (const { bytes, number, isWhole } of held) this.line(bytes, 0, bytes.length, number, isWhole);
  }

  #headerOf(samples: readonly string[][]): CsvHeader | null {
    const { columns } = this.#context;
    if (this.#isPrefixed !== true) return headerWithout(samples, columns);
    const rest = samples.map((cells) => cells.slice(1));
    const found = headerWithout(rest, columns);
    return found === null ? null : headerOf(['hostname', ...found.columns.map(({ title }) => title)], ',');
  }

  #plan(header: CsvHeader, samples: readonly string[][], headerBytes: Uint8Array | null, lastIsCut: boolean): Section {
    const isInferred = headerBytes === null && this.#context.columns === null;
    const plan = planColumns(header, samples, this.#context.zone, { isInferred, lastIsCut });
    remarkOn(plan, isInferred ? header.columns.map(({ title }) => title) : null, this.#context);
    this.#hasDevices ||= plan.kind === 'gpus';
    const section: Section = {
      headerBytes: headerBytes ?? new Uint8Array(0),
      section: plan.section,
      isTimeless: plan.time === null && plan.kind === 'gpus' && plan.section.places === null,
      hasBusIds: plan.section.places === null ? plan.identity.busId !== -1 : null,
      rows: new CsvRowReader(plan, this.#context, { hosts: this.#hosts, dates: this.#dates }),
    };
    if (this.#sections.size >= KEPT_SECTIONS) this.#sections.clear();
    if (headerBytes !== null) this.#sections.set(textOf(headerBytes), section);
    return section;
  }

  /** `hasDates` if dates stand between the first rows of the section. */
  #enter(section: Section, hasDates = false): void {
    this.#header = null;
    this.#current = section;
    this.#isPrefixed ??= false;
    const isDated = section.isTimeless && (hasDates || this.#dates.isWaiting);
    this.#clock = isDated ? 'absolute' : section.section.clock;
    this.#context.sink.section({ ...section.section, clock: this.#clock });
    this.#tellEarly();
  }

  #tellEarly(): void {
    const early = this.#early;
    this.#early = [];
    for (const line of early) this.#tell(textOf(line.bytes), 'stray-text', line);
  }

  /** True if the line is the time of the rows behind it. */
  #takeDate(text: string, number: number): boolean {
    const current = this.#current;
    if ((current !== null && !current.isTimeless) || !this.#dates.take(text, number)) return false;
    this.#context.sink.instant();
    if (current !== null && this.#clock === 'none') this.#enter(current);
    return true;
  }

  #read(current: Section, bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    if (this.#open.length > 0) {
      this.#continueRecord(current, { bytes: bytes.slice(start, end), number, isWhole });
      return;
    }
    if (isSame(current.headerBytes, bytes, start, end)) {
      this.#context.sink.header();
      return;
    }
    if (current.isTimeless && end - start <= LONGEST_DATE && this.#takeDate(textOf(bytes.subarray(start, end)), number))
      return;
    const outcome = current.rows.read(bytes, start, end, number, isWhole);
    if (outcome === 'read') return;
    if (outcome === 'open') {
      this.#open = [{ bytes: bytes.slice(start, end), number, isWhole }];
      return;
    }
    if (bytes[start] === ESCAPE) {
      const plain = uncoloured(bytes, start, end);
      this.#read(current, plain, 0, plain.length, number, isWhole);
      return;
    }
    const header = headerIn(textOf(bytes.subarray(start, end)));
    if (header === null) this.#skip(bytes, start, end, outcome, { number, isWhole });
    else this.#begin(header, bytes.slice(start, end));
  }

  #continueRecord(current: Section, line: HeldLine): void {
    this.#open.push(line);
    if (line.bytes.includes(QUOTE)) {
      const first = this.#open[0]!;
      const record = new Uint8Array(Buffer.concat(this.#open.flatMap(({ bytes }) => [bytes, LF])));
      const outcome = current.rows.read(record, 0, record.length - 1, first.number, line.isWhole);
      if (outcome === 'read') this.#open = [];
      else if (outcome !== 'open') this.#giveUpRecord();
    }
    if (this.#open.length >= MAX_LINES_PER_RECORD) this.#giveUpRecord();
  }

  /** What looked like the first line of a record is none: the lines behind it are read on their own. */
  #giveUpRecord(): void {
    const [first, ...rest] = this.#open;
    this.#open = [];
    if (first !== undefined) this.#skip(first.bytes, 0, first.bytes.length, 'open-quote', first);
    for (const { bytes, number, isWhole } of rest) this.line(bytes, 0, bytes.length, number, isWhole);
  }

  #skip(
    bytes: Uint8Array,
    start: number,
    end: number,
    outcome: SkipReason,
    { number, isWhole }: Pick<HeldLine, 'number' | 'isWhole'>,
  ): void {
    const text = textOf(bytes.subarray(start, end));
    if (this.#current !== null) this.#tell(text, outcome, { number, isWhole });
    else if (MESSAGE.test(text)) this.#early.push({ bytes: bytes.slice(start, end), number, isWhole });
    else if (!this.#takeDate(text, number)) this.#tell(text, outcome, { number, isWhole });
  }

  #tell(text: string, outcome: SkipReason, line: Pick<HeldLine, 'number' | 'isWhole'>): void {
    if (isTableLine(text)) this.#dates.drop();
    skipLine(text, outcome, line, this.#context, this.#current === null ? false : this.#current.hasBusIds);
  }
}

/** Most lines that are no record are no header either, which their first look shows. */
function headerIn(line: string): CsvHeader | null {
  return SUBJECT.test(line) && !/^\s*[\d[-]/.test(line) ? parseHeader(line) : null;
}

/** A copy of a line; without the colours of a terminal where it is wrapped in them. */
function uncoloured(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const line = bytes.slice(start, end);
  if (line[0] !== ESCAPE) return line;
  return new TextEncoder().encode(plainLine(line, 0, line.length));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}

/** False for an empty `known`: no header. */
function isSame(known: Uint8Array | null, bytes: Uint8Array, start: number, end: number): boolean {
  if (known === null || known.length === 0 || known.length !== end - start || known[0] !== bytes[start]) return false;
  return Buffer.compare(known, bytes.subarray(start, end)) === 0;
}
