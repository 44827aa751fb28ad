import { CATALOGUE, type MetricId, slotOf } from './catalogue.ts';
import { ABSENCE_REASONS, type AbsenceReason, absent, type Reading } from './reading.ts';

const NOT_COLLECTED = ABSENCE_REASONS.indexOf('not-collected') + 1;

/** Storage code of a reason: its position plus one. Code 0 marks a present value. */
export function absenceCode(reason: AbsenceReason): number {
  return ABSENCE_REASONS.indexOf(reason) + 1;
}

/** The reason behind a storage code above 0. */
export function absenceReason(code: number): AbsenceReason {
  const reason = ABSENCE_REASONS[code - 1];
  if (reason === undefined) throw new RangeError(`absence code ${code} is not one of 1…${ABSENCE_REASONS.length}`);
  return reason;
}

/**
 * All readings of one device at one moment, one slot per catalogue metric.
 *
 * Two typed arrays rather than an object of values: a tick of 64 devices costs no allocation per value, and the arrays
 * travel between threads without copying. A new set holds `not-collected` everywhere.
 */
export class ReadingSet {
  readonly values: Float64Array;
  /** 0 where `values` holds a number, else the code of an absence reason. */
  readonly codes: Uint8Array;
  /** The only slots about which anything is said, in any order, where the source knows them; null where it may be any. */
  slots: readonly number[] | null = null;

  constructor(
    values: Float64Array = new Float64Array(CATALOGUE.length),
    codes: Uint8Array = new Uint8Array(CATALOGUE.length).fill(NOT_COLLECTED),
  ) {
    this.values = values;
    this.codes = codes;
  }

  get(id: MetricId): Reading {
    return this.at(slotOf(id));
  }

  at(slot: number): Reading {
    const code = this.codes[slot]!;
    return code === 0 ? this.values[slot]! : absent(absenceReason(code));
  }

  /** The value in base units, or null where absent. */
  number(slot: number): number | null {
    return this.codes[slot] === 0 ? this.values[slot]! : null;
  }

  set(slot: number, reading: Reading): void {
    if (typeof reading === 'number') this.setValue(slot, reading);
    else this.setAbsent(slot, reading.absent);
  }

  /** Stores a number. One that is not finite is a fault of the source and is kept as absent, reason `error`. */
  setValue(slot: number, value: number): void {
    if (Number.isFinite(value)) {
      this.#open(slot);
      this.values[slot] = value;
      this.codes[slot] = 0;
    } else {
      this.setAbsent(slot, 'error');
    }
  }

  setAbsent(slot: number, reason: AbsenceReason): void {
    this.#open(slot);
    this.values[slot] = 0;
    this.codes[slot] = absenceCode(reason);
  }

  #open(slot: number): void {
    if (this.slots !== null && !this.slots.includes(slot)) this.slots = null;
  }

  /** True where at least one value is present: a device of which nothing can be read is not well, whatever its state. */
  isReadable(): boolean {
    return this.codes.includes(0);
  }

  /** Every slot absent for one reason: a lost or sleeping device. */
  static allAbsent(reason: AbsenceReason): ReadingSet {
    const set = new ReadingSet();
    set.codes.fill(absenceCode(reason));
    return set;
  }

  clone(): ReadingSet {
    return new ReadingSet(this.values.slice(), this.codes.slice());
  }
}
