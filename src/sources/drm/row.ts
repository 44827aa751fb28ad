import type { MetricId } from '../../model/catalogue.ts';
import { ABSENCE_REASONS, type AbsenceReason, type Reading } from '../../model/reading.ts';

/** Slot per metric, handed to the worker so that it need not load the catalogue. */
export type Slots = Readonly<Record<MetricId, number>>;

const CODES = Object.fromEntries(ABSENCE_REASONS.map((reason, i) => [reason, i + 1])) as Record<AbsenceReason, number>;

/** The readings of one GPU in the worker. It lasts from tick to tick, so that what is read rarely is carried on. */
export class Row {
  readonly values: Float64Array;
  /** As in a ReadingSet: 0 for a present value, else the position of a reason plus one. */
  readonly codes: Uint8Array;
  readonly #slots: Slots;

  /** Nothing is supported until it is put: most of the catalogue is about what other vendors have. */
  constructor(slots: Slots, size: number) {
    this.#slots = slots;
    this.values = new Float64Array(size);
    this.codes = new Uint8Array(size).fill(CODES['not-supported']);
  }

  put(id: MetricId, reading: Reading): void {
    const slot = this.#slots[id];
    const isNumber = typeof reading === 'number';
    this.values[slot] = isNumber ? reading : 0;
    this.codes[slot] = isNumber ? 0 : CODES[reading.absent];
  }

  get(id: MetricId): number | null {
    const slot = this.#slots[id];
    return this.codes[slot] === 0 ? this.values[slot]! : null;
  }

  clear(): void {
    this.values.fill(0);
    this.codes.fill(CODES['not-supported']);
  }
}

/** Storage code of a reason. */
export function codeOf(reason: AbsenceReason): number {
  return CODES[reason];
}
