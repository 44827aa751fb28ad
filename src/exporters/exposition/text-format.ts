import type { Family, SampleSink } from '../family.ts';
import type { LabelSet } from '../labels.ts';

/** The two forms of a page. */
export const TEXT_FORMATS = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const;

export type TextFormat = keyof typeof TEXT_FORMATS;

/** Text is moved to the page in pieces of about this many characters: a longer one would outlive young garbage. */
const PIECE = 16_384;
const FIRST_BYTES = 65_536;
/** Most bytes that one character of a string takes. */
const BYTES_PER_CHARACTER = 3;

/** Writes a page of the Prometheus text format 0.0.4 or of OpenMetrics 1.0. */
export class TextWriter implements SampleSink {
  readonly #header: (family: Family) => string;
  readonly #end: string;
  #page: Buffer;
  #length = 0;
  #piece = '';
  #name = '';
  /** Written before the next sample; empty once the family has one. */
  #pending = '';

  /** The page is written into `room`, or into more where that is too little. */
  constructor(format: TextFormat, room: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)) {
    this.#header = HEADERS[format];
    this.#end = format === 'openmetrics' ? '# EOF\n' : '';
    this.#page = room;
  }

  begin(family: Family): void {
    this.#name = family.name;
    this.#pending = this.#header(family);
  }

  add(labels: LabelSet, value: number): void {
    if (!Number.isFinite(value)) return;
    if (this.#piece.length > PIECE) this.#move();
    if (this.#pending !== '') {
      this.#piece += this.#pending;
      this.#pending = '';
    }
    this.#piece += `${this.#name}${labels.text}${value}\n`;
  }

  /** The page. Nothing can be added any more. */
  finish(): Buffer {
    this.#piece += this.#end;
    this.#move();
    return this.#page.subarray(0, this.#length);
  }

  #move(): void {
    const most = this.#length + this.#piece.length * BYTES_PER_CHARACTER;
    if (most > this.#page.length) {
      const larger = Buffer.allocUnsafeSlow(most * 2);
      this.#page.copy(larger, 0, 0, this.#length);
      this.#page = larger;
    }
    this.#length += this.#page.write(this.#piece, this.#length);
    this.#piece = '';
  }
}

const headers = { prometheus: new WeakMap<Family, string>(), openmetrics: new WeakMap<Family, string>() };

/** Headers of a family, made once. */
const HEADERS: Readonly<Record<TextFormat, (family: Family) => string>> = {
  prometheus: (family) => remembered(headers.prometheus, family, prometheusHeader),
  openmetrics: (family) => remembered(headers.openmetrics, family, openMetricsHeader),
};

function remembered(memory: WeakMap<Family, string>, family: Family, make: (family: Family) => string): string {
  let text = memory.get(family);
  if (text === undefined) {
    text = make(family);
    memory.set(family, text);
  }
  return text;
}

function prometheusHeader({ name, type, help }: Family): string {
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${escaped}\n# TYPE ${name} ${type === 'info' ? 'gauge' : type}\n`;
}

/** A counter or info is named without its suffix here; one that has no such suffix is of no known type. */
function openMetricsHeader({ name, type, unit, help }: Family): string {
  const suffix = { counter: '_total', info: '_info', gauge: '' }[type];
  const isProper = name.endsWith(suffix);
  const stem = isProper ? name.slice(0, name.length - suffix.length) : name;
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
  const unitLine = unit === null || !isProper ? '' : `# UNIT ${stem} ${unit}\n`;
  return `# TYPE ${stem} ${isProper ? type : 'unknown'}\n${unitLine}# HELP ${stem} ${escaped}\n`;
}
