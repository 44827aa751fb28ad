import type { Metric } from '../../../model/catalogue.ts';
import type { AbsenceReason } from '../../../model/reading.ts';
import { asciiText, NumberCell, POWERS_OF_TEN } from '../number-cell.ts';
import { absenceOf } from './absence-words.ts';
import { isSentinel, rangeOf, unitScale } from './units.ts';

const SPACE = 32;
const LF = 10;
const UPPER_P = 80;
const ZERO = 48;
const DOT = 46;
/** So many fit into an integer of the machine, with which counting is fastest. */
const MOST_DIGITS = 9;
const LONGEST_UNIT = 16;
const LONGEST_WORD = 64;

/** The cells of one column as readings of one metric. */
export class MetricColumn {
  readonly position: number;
  readonly title: string;
  readonly slot: number;
  readonly metric: Metric;

  /** What {@link readAhead} has read, in base units. */
  value = 0;
  /** Why the last cell that gave no value did not. */
  absence: AbsenceReason = 'not-collected';
  /** What was wrong with that cell: it could not be read, or what it says cannot be. */
  fault: 'none' | 'unreadable' | 'impossible' = 'none';
  /** The last quoted cell held several lines, of which the first was read. */
  isMultiLine = false;

  readonly #isMask: boolean;
  readonly #isState: boolean;
  readonly #isCount: boolean;
  readonly #mayHaveFraction: boolean;
  /** What nvidia-smi prints for the values of a state, in lower case. */
  readonly #words: ReadonlyMap<string, number>;
  readonly #plain: Scale;
  readonly #min: number;
  readonly #max: number;
  readonly #number = new NumberCell();
  /** The unit as the cells of this column write it; empty until one has been seen. */
  #suffix: Uint8Array = new Uint8Array(0);
  #suffixScale: Scale = ONE;

  /** `scale` turns a number without a unit into the base unit. */
  constructor(column: { position: number; title: string; metric: Metric; scale: number }) {
    const { position, title, metric, scale } = column;
    this.position = position;
    this.title = title;
    this.metric = metric;
    this.slot = metric.slot;
    this.#isMask = metric.unit === 'bits';
    this.#isState = metric.unit === 'pstate';
    this.#isCount = metric.unit === 'count';
    this.#words = smiWords(metric);
    this.#mayHaveFraction = !this.#isMask && this.#words.size === 0;
    this.#plain = scaleOf(scale);
    const { min, max } = rangeOf(metric.id, metric.unit);
    this.#min = min;
    this.#max = max;
  }

  /** The value in base units, or NaN: then `absence` and `fault` say why. */
  read(bytes: Uint8Array, start: number, end: number): number {
    return this.readAhead(bytes, start, end) === end ? this.value : this.#readAny(bytes, start, end);
  }

  /**
   * Reads the cell at `start`, whose end is not known yet, if it is what most are: a number without sign and exponent that
   * can be, with the unit that the cell above had, or none. Gives the end of that, at most `to`, and leaves the number in
   * `value`; if more follows in the cell, that is not what it says. -1 for anything else.
   */
  readAhead(bytes: Uint8Array, start: number, to: number): number {
    let at = this.#isState && bytes[start] === UPPER_P ? start + 1 : start;
    const from = at;
    let whole = 0;
    let point = -1;
    for (; at < to; at++) {
      const digit = bytes[at]! - ZERO;
      if (digit >= 0 && digit <= 9) whole = (whole * 10 + digit) | 0;
      else if (digit === DOT - ZERO && point === -1 && this.#mayHaveFraction) point = at + 1;
      else break;
    }
    const decimals = point === -1 ? 0 : at - point;
    const digits = at - from - (point === -1 ? 0 : 1);
    if (digits === 0 || digits > MOST_DIGITS) return -1;
    let scale = this.#plain;
    const suffix = this.#suffix;
    const { length } = suffix;
    const unit = at < to && bytes[at] === SPACE ? at + 1 : at;
    if (length > 0 && unit + length <= to) {
      let same = 0;
      while (same < length && bytes[unit + same] === suffix[same]) same++;
      if (same === length) {
        at = unit + length;
        scale = this.#suffixScale;
      }
    }
    const value = inBaseUnit(decimals === 0 ? whole : whole / POWERS_OF_TEN[decimals]!, scale);
    if (!this.#isPossible(value)) return -1;
    this.value = value;
    return at;
  }

  #isPossible(value: number): boolean {
    return value >= this.#min && value <= this.#max && !(this.#isCount && isSentinel(value));
  }

  #readAny(bytes: Uint8Array, start: number, end: number): number {
    if (this.#words.size > 0) {
      const value = this.#words.get(asciiText(bytes, start, Math.min(end, start + LONGEST_WORD)).toLowerCase());
      if (value !== undefined) return value;
    }
    if (this.#isMask) return this.#checked(readMask(bytes, start, end), bytes, start, end);
    const from = this.#isState && bytes[start] === UPPER_P ? start + 1 : start;
    const value = this.#number.read(bytes, from, end);
    const after = this.#number.end;
    let scale: Scale | null = this.#plain;
    if (after !== end && !Number.isNaN(value)) {
      const unit = bytes[after] === SPACE ? after + 1 : after;
      scale = isSame(bytes, unit, end, this.#suffix) ? this.#suffixScale : this.#scaleOfSuffix(bytes, after, end);
    }
    return scale === null ? this.#failed('unreadable') : this.#checked(inBaseUnit(value, scale), bytes, start, end);
  }

  #checked(value: number, bytes: Uint8Array, start: number, end: number): number {
    if (this.#isPossible(value)) return value;
    if (!Number.isNaN(value)) return this.#failed('impossible');
    const absence = absenceOf(bytes, start, end);
    if (absence === null) return this.#failed('unreadable');
    this.absence = absence;
    this.fault = 'none';
    return Number.NaN;
  }

  #failed(fault: 'unreadable' | 'impossible'): number {
    this.fault = fault;
    this.absence = 'error';
    return Number.NaN;
  }

  /** What follows a number: its unit, with or without a blank, or the next line of the cell. */
  #scaleOfSuffix(bytes: Uint8Array, from: number, to: number): Scale | null {
    let start = from;
    while (start < to && bytes[start]! <= SPACE && bytes[start] !== LF) start++;
    const lineEnd = bytes.subarray(start, to).indexOf(LF);
    this.isMultiLine = lineEnd !== -1;
    let end = lineEnd === -1 ? to : start + lineEnd;
    while (end > start && bytes[end - 1]! <= SPACE) end--;
    if (end === start) return this.#plain;
    if (end - start > LONGEST_UNIT) return null;
    const written = bytes.slice(start, end);
    const scale = unitScale(this.metric.unit, Buffer.from(written).toString());
    if (scale === null) return null;
    this.#suffix = written;
    this.#suffixScale = scaleOf(scale);
    return this.#suffixScale;
  }
}

/** Other words that nvidia-smi has for the same, in its table and in newer groups of `-q`. */
const SAME_WORDS: ReadonlyMap<string, string> = new Map([
  ['enabled', 'on'],
  ['disabled', 'off'],
  ['yes', 'true'],
  ['no', 'false'],
]);

/** The values of a state by the words that nvidia-smi prints for them, in lower case. */
export function smiWords({ states = [] }: Metric): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  for (const { value, smi } of states) {
    const word = smi?.toLowerCase();
    if (word === undefined) continue;
    words.set(word, value);
    const other = SAME_WORDS.get(word);
    if (other !== undefined) words.set(other, value);
  }
  return words;
}

/** A factor kept as a ratio of whole numbers, so that `29 %` is 0.29 and not 0.29000000000000004. */
interface Scale {
  readonly factor: number;
  readonly divisor: number;
}

const ONE: Scale = { factor: 1, divisor: 1 };

function scaleOf(scale: number): Scale {
  return scale < 1 ? { factor: 1, divisor: Math.round(1 / scale) } : { factor: scale, divisor: 1 };
}

/** Dividing by 1 would take as long as by anything else. */
function inBaseUnit(value: number, { factor, divisor }: Scale): number {
  return divisor === 1 ? value * factor : (value * factor) / divisor;
}

function isSame(bytes: Uint8Array, start: number, end: number, suffix: Uint8Array): boolean {
  if (suffix.length === 0 || suffix.length !== end - start) return false;
  for (let at = 0; at < suffix.length; at++) {
    if (bytes[start + at] !== suffix[at]) return false;
  }
  return true;
}

/** `0x0000000000000004`, or the same in decimal; NaN for anything else. */
function readMask(bytes: Uint8Array, start: number, end: number): number {
  const isHex = end - start > 2 && bytes[start] === 48 && (bytes[start + 1]! | 0x20) === 120;
  const base = isHex ? 16 : 10;
  let value = 0;
  for (let at = isHex ? start + 2 : start; at < end; at++) {
    const digit = hexDigit(bytes[at]!);
    if (digit >= base) return Number.NaN;
    value = value * base + digit;
  }
  return end > start ? value : Number.NaN;
}

/** Value of a digit; more than any base for a byte that is none. */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 0x20;
  return letter >= 97 && letter <= 102 ? letter - 87 : 99;
}
