import { recogniseFormat } from './formats.ts';
import { unwrapAll, type Wrapping, wrappingsOf } from './line-wrapping.ts';
import type { Unwrapped } from './piece-joiner.ts';
import { PieceJoiner } from './piece-joiner.ts';
import type { FormatReader, LogFormat } from './rows.ts';

/** Lines further apart than this, in milliseconds, were not written in one go. */
const BURST_MS = 300;
const DAY_MS = 86_400_000;
const CLOCK = /(\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,3}))?/;

const ENCODER = new TextEncoder();

/** What a log is, once what stands in front of its lines is taken off. */
export interface Recognised {
  readonly format: LogFormat;
  /** Null where nothing does. */
  readonly wrapping: Wrapping | null;
}

/** The format that makes the most of the first lines, as they are or unwrapped; null if none can read any of them. */
export function recogniseLines(head: readonly string[], columns: string | null, anchor: number): Recognised | null {
  const plain = recogniseFormat(head, columns);
  let best: Recognised | null = plain === null ? null : { format: plain.format, wrapping: null };
  let most = plain?.lines ?? 0;
  for (const wrapping of wrappingsOf(head, anchor)) {
    const found = recogniseFormat(unwrapAll(head, wrapping), columns);
    if (found === null) continue;
    // The stamps of a log that has its own are what it is about.
    const isOwn = found.format.hasOwnStamps === true && wrapping.hasStamps && plain?.format === found.format;
    // Of several ways to take the lines apart the more telling ones come first.
    const isFirst = best === null || best.wrapping === null;
    const isSame = isFirst && wrapping.isSure && (plain === null || plain.format === found.format);
    // Behind what was taken off stands something more that no tool writes.
    const isDeeper =
      wrapping.outer !== undefined && wrapping.outer === best?.wrapping && !hasStampsTwice(found, wrapping);
    const isEqual = (isFirst || isDeeper) && wrapping.isSure && found.lines === most;
    if (isOwn || !(isSame || found.lines > most || isEqual)) continue;
    [best, most] = [{ format: found.format, wrapping }, found.lines];
  }
  return best;
}

function hasStampsTwice({ format }: { readonly format: LogFormat }, { hasStamps }: Wrapping): boolean {
  return format.hasOwnStamps === true && hasStamps;
}

/** Passes lines on without what stands in front of them. Times that stood there come as dates on lines of their own. */
export class Unwrapper {
  readonly #wrapping: Wrapping;
  readonly #reader: FormatReader;
  readonly #stampPlace: ((line: string) => 'start' | 'row' | null) | null;
  readonly #pieces = new PieceJoiner();
  #lastNumber = 0;
  #lastStamp = '';
  /** Time of day of the line before. */
  #lastClock = Number.NaN;

  constructor(wrapping: Wrapping, format: LogFormat, reader: FormatReader, head: readonly string[]) {
    this.#wrapping = wrapping;
    this.#reader = reader;
    this.#stampPlace = wrapping.hasStamps ? (format.stampPlaces?.(unwrapAll(head, wrapping)) ?? null) : null;
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    const found = this.#wrapping.unwrap(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString());
    if (found === null) {
      this.#reader.line(bytes, start, end, number, isWhole);
      return;
    }
    this.#lastNumber = number;
    const joined = this.#pieces.take(found);
    if (joined !== null) this.#take(joined, number, isWhole);
  }

  /** No line follows: a line of which not all pieces came is cut off. */
  end(): void {
    for (const rest of this.#pieces.rest()) this.#take(rest, this.#lastNumber, false);
  }

  #take({ text, stamp }: Unwrapped, number: number, isWhole: boolean): void {
    if (stamp !== null && this.#stampPlace !== null) this.#passStamp(this.#stampPlace(text), stamp, number);
    this.#pass(text, number, isWhole);
  }

  #passStamp(place: 'start' | 'row' | null, stamp: string, number: number): void {
    if (place === null) return;
    const clock = clockOf(stamp);
    const isApart = Number.isNaN(this.#lastClock) || Math.abs(clock - this.#lastClock) % DAY_MS > BURST_MS;
    this.#lastClock = clock;
    const isWanted = place === 'start' || (place === 'row' && isApart);
    if (!isWanted || stamp === this.#lastStamp) return;
    this.#lastStamp = stamp;
    this.#pass(stamp, number, true);
  }

  #pass(text: string, number: number, isWhole: boolean): void {
    const bytes = ENCODER.encode(text);
    this.#reader.line(bytes, 0, bytes.length, number, isWhole);
  }
}

/** Milliseconds since midnight, or since 1970 for a stamp that counts from there. */
function clockOf(stamp: string): number {
  const found = CLOCK.exec(stamp);
  if (found === null) return Number(stamp) * 1000;
  const [, hour, minute, second, fraction = '0'] = found;
  return ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + Number(fraction.padEnd(3, '0'));
}
