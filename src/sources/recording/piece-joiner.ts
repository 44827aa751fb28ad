import { MAX_JSON_BYTES } from './json-documents.ts';

/** Streams of one container are two; pieces of more than these are not waited for. */
const MOST_STREAMS = 8;

/** What stands in front of a line, taken off. */
export interface Unwrapped {
  readonly text: string;
  /** The time that stood there, as it was written, with its date; null where there was none. */
  readonly stamp: string | null;
  /** The text goes on in the next line of the same `stream`. */
  readonly isPartial?: boolean;
  readonly stream?: string;
}

/** Puts the pieces together into which the log of a container cuts a long line; streams are told apart. */
export class PieceJoiner {
  readonly #open = new Map<string, Unwrapped>();

  /** The line that ends with this piece, with the time of its first one; null while there is more to come. */
  take(piece: Unwrapped): Unwrapped | null {
    const { stream = '', isPartial = false } = piece;
    const before = this.#open.get(stream);
    if (before === undefined && !isPartial) return piece;
    const joined = before === undefined ? piece : { ...before, text: before.text + piece.text };
    const isTooMuch = joined.text.length >= MAX_JSON_BYTES || (before === undefined && this.#open.size >= MOST_STREAMS);
    if (isPartial && !isTooMuch) {
      this.#open.set(stream, joined);
      return null;
    }
    this.#open.delete(stream);
    return joined;
  }

  /** Lines whose end has not come. */
  rest(): readonly Unwrapped[] {
    const rest = [...this.#open.values()];
    this.#open.clear();
    return rest;
  }
}
