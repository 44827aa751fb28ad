import { NumberCell } from './number-cell.ts';
import type { ZoneClock } from './time-zone.ts';

const ZERO = 48;
const SPACE = 32;
const DAY_MS = 86_400_000;

/** A plain number below this counts seconds from the start of the log; from here on it is a time since 1970. */
const LEAST_EPOCH_SECONDS = 1e8;

/** Digits of whole milliseconds that are kept of a fraction of a second. */
const MILLIS_DIGITS = 3;

/** Longer than any time that is read. */
const ROOM = 64;

/**
 * Reads time stamps: `2025/06/12 01:27:28.446` as nvidia-smi writes it, ISO 8601 with `T` or a blank, with or without a
 * zone, and seconds, milliseconds, microseconds or nanoseconds since 1970 as plain numbers.
 */
export class TimestampReader {
  /** True if the last time read was a small plain number: seconds from an unknown start. */
  isElapsed = false;
  /** True once a date without a zone has been read as local time. */
  hasReadLocalTime = false;
  readonly #zone: ZoneClock;
  readonly #number = new NumberCell();
  #previous = Number.NaN;
  #at = 0;
  /** The cell that was read last and what it was, since the rows of one instant mostly have the same; -1 before the first. */
  readonly #cell = new Uint8Array(ROOM);
  #length = -1;
  #time = Number.NaN;
  #wasElapsed = false;

  constructor(zone: ZoneClock) {
    this.#zone = zone;
  }

  /** Whole milliseconds, since 1970 or, if `isElapsed`, from the start; NaN where the cell is no time. */
  read(bytes: Uint8Array, start: number, end: number): number {
    if (this.#isSame(bytes, start, end)) return this.again();
    this.isElapsed = false;
    const time = isDate(bytes, start, end) ? this.#readDate(bytes, start, end) : this.#readNumber(bytes, start, end);
    if (Number.isNaN(time)) return time;
    if (!this.isElapsed) this.#previous = time;
    this.#remember(bytes, start, end, time);
    return time;
  }

  /** Where the cell at `start`, whose end is not known yet, ends if it is the one that was read last; else -1. */
  readAhead(bytes: Uint8Array, start: number, to: number): number {
    const end = start + this.#length;
    return this.#length > 0 && end <= to && this.#isSame(bytes, start, end) ? end : -1;
  }

  /** What the cell that was read last was. */
  again(): number {
    this.isElapsed = this.#wasElapsed;
    return this.#time;
  }

  #isSame(bytes: Uint8Array, start: number, end: number): boolean {
    const length = this.#length;
    if (end - start !== length) return false;
    // The last digits are those that change.
    let at = length - 1;
    while (at >= 0 && bytes[start + at] === this.#cell[at]) at--;
    return at < 0;
  }

  #remember(bytes: Uint8Array, start: number, end: number, time: number): void {
    this.#length = end - start > ROOM ? -1 : end - start;
    for (let at = 0; at < this.#length; at++) this.#cell[at] = bytes[start + at]!;
    this.#time = time;
    this.#wasElapsed = this.isElapsed;
  }

  /** A count of seconds (`unit` 1000) or milliseconds (`unit` 1) from the start. */
  readElapsed(bytes: Uint8Array, start: number, end: number, unit: number): number {
    const value = this.#number.read(bytes, start, end);
    if (this.#number.end !== end || !(value >= 0)) return Number.NaN;
    this.isElapsed = true;
    return Math.round(value * unit);
  }

  #readNumber(bytes: Uint8Array, start: number, end: number): number {
    const value = this.#number.read(bytes, start, end);
    if (this.#number.end !== end || !(value >= 0)) return Number.NaN;
    this.isElapsed = value < LEAST_EPOCH_SECONDS;
    const millis = Math.round(value * millisPer(value));
    return Number.isSafeInteger(millis) ? millis : Number.NaN;
  }

  #readDate(bytes: Uint8Array, start: number, end: number): number {
    const day = dayNumber(digits(bytes, start, 4), digits(bytes, start + 5, 2), digits(bytes, start + 8, 2));
    const hour = digits(bytes, start + 11, 2);
    const minute = digits(bytes, start + 14, 2);
    const second = digits(bytes, start + 17, 2);
    // A leap second is written as 60.
    if (!(hour < 24 && minute < 60 && second <= 60)) return Number.NaN;
    this.#at = start + 19;
    const millis = this.#readFraction(bytes, end);
    const wall = day * DAY_MS + hour * 3_600_000 + minute * 60_000 + second * 1000 + millis;
    if (Number.isNaN(wall)) return Number.NaN;
    if (this.#at === end) {
      this.hasReadLocalTime = true;
      return this.#zone.toUtc(wall, this.#previous);
    }
    return wall - zoneOffset(bytes, this.#at, end);
  }

  /** Milliseconds of `.446`, `,4` or `.446123` at the cursor; 0 where there is none. */
  #readFraction(bytes: Uint8Array, end: number): number {
    const separator = bytes[this.#at];
    if (this.#at >= end || (separator !== 46 && separator !== 44)) return 0;
    let millis = 0;
    let count = 0;
    for (this.#at++; this.#at < end; this.#at++, count++) {
      const digit = bytes[this.#at]! - ZERO;
      if (digit < 0 || digit > 9) break;
      if (count < MILLIS_DIGITS) millis = millis * 10 + digit;
    }
    if (count === 0) return Number.NaN;
    return count < MILLIS_DIGITS ? millis * 10 ** (MILLIS_DIGITS - count) : millis;
  }
}

function millisPer(value: number): number {
  if (value >= 1e17) return 1e-6;
  if (value >= 1e14) return 1e-3;
  return value >= 1e11 ? 1 : 1000;
}

/** `dddd/dd/dd dd:dd:dd` or with `-` and `T`; the digits themselves are checked when they are read. */
function isDate(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 19) return false;
  const separator = bytes[start + 4];
  const between = bytes[start + 10];
  return (
    (separator === 47 || separator === 45) &&
    bytes[start + 7] === separator &&
    (between === SPACE || between === 84 || between === 116) &&
    bytes[start + 13] === 58 &&
    bytes[start + 16] === 58
  );
}

/** A number of exactly `count` digits, or NaN. */
function digits(bytes: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let at = start; at < start + count; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

/** Days from 1970-01-01 in the Gregorian calendar; NaN for a day that does not exist. */
function dayNumber(year: number, month: number, day: number): number {
  if (!(month >= 1 && month <= 12 && day >= 1)) return Number.NaN;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const length = DAYS_BEFORE_MONTH[month]! - DAYS_BEFORE_MONTH[month - 1]! + (isLeap && month === 2 ? 1 : 0);
  if (day > length) return Number.NaN;
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - 477;
  return (year - 1970) * 365 + leapDays + DAYS_BEFORE_MONTH[month - 1]! + (isLeap && month > 2 ? 1 : 0) + day - 1;
}

/** Milliseconds that `Z`, ` UTC`, `+08:00`, `+0800` or `-05` is ahead of UTC; NaN for anything else. */
function zoneOffset(bytes: Uint8Array, from: number, end: number): number {
  const start = bytes[from] === SPACE ? from + 1 : from;
  const sign = bytes[start];
  const length = end - start;
  if (sign === 90 || sign === 122) return length === 1 ? 0 : Number.NaN;
  if (length === 3 && sign !== 43 && sign !== 45) return isUtcName(bytes, start) ? 0 : Number.NaN;
  if (sign !== 43 && sign !== 45) return Number.NaN;
  const hours = digits(bytes, start + 1, 2);
  const isColon = bytes[start + 3] === 58;
  const minutes = length === 3 ? 0 : digits(bytes, isColon ? start + 4 : start + 3, 2);
  if (length !== 3 && length !== (isColon ? 6 : 5)) return Number.NaN;
  if (!(hours <= 15 && minutes < 60)) return Number.NaN;
  return (sign === 45 ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function isUtcName(bytes: Uint8Array, start: number): boolean {
  const name = String.fromCharCode(bytes[start]!, bytes[start + 1]!, bytes[start + 2]!).toUpperCase();
  return name === 'UTC' || name === 'GMT';
}
