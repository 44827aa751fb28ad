import { ABSENCE_REASONS, type AbsenceReason } from '../../model/reading.ts';

/** Storage code of a reason, as ReadingSet has it: its position plus one, since 0 marks a present value. */
export function codeOf(reason: AbsenceReason): number {
  return ABSENCE_REASONS.indexOf(reason) + 1;
}

const ERROR = codeOf('error');
const NOT_COLLECTED = codeOf('not-collected');

/** The readings of one GPU in the worker. It lasts from tick to tick, so that what is read rarely is carried on. */
export class Row {
  readonly values: Float64Array;
  readonly codes: Uint8Array;

  /** Codes of a row of which nothing has been read yet. */
  readonly #blank: Uint8Array;

  constructor(size: number, blank: Uint8Array = new Uint8Array(size).fill(NOT_COLLECTED)) {
    this.values = new Float64Array(size);
    this.codes = blank.slice();
    this.#blank = blank;
  }

  put(slot: number, value: number, min: number, max: number): void {
    if (value >= min && value <= max) {
      this.values[slot] = value;
      this.codes[slot] = 0;
    } else {
      this.putAbsent(slot, ERROR);
    }
  }

  putAbsent(slot: number, code: number): void {
    this.values[slot] = 0;
    this.codes[slot] = code;
  }

  clear(): void {
    this.values.fill(0);
    this.codes.set(this.#blank);
  }
}
