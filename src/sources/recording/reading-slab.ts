import { CATALOGUE } from '../../model/catalogue.ts';
import { absenceCode, ReadingSet } from '../../model/reading-set.ts';

/** Sets made at a time: a tick of an eight-GPU node. */
const SETS = 8;
const SLOTS = CATALOGUE.length;
const VALUE_BYTES = SETS * SLOTS * Float64Array.BYTES_PER_ELEMENT;
const NOT_COLLECTED = absenceCode('not-collected');

/** Sets that wait to be given out again: those of the ticks of a large chunk of a log. */
const MOST_SPARE = 4096;
const spare: ReadingSet[] = [];

/**
 * Takes back a set that nobody looks at any more, so that the next row need not clear new memory: of a long log that is a
 * fifth of the time. Sets that did not come from a slab are left alone: they may be shared.
 */
export function giveBack(set: ReadingSet): void {
  const { values, codes, slots } = set;
  if (slots !== null && spare.length < MOST_SPARE) {
    for (let at = 0; at < slots.length; at++) {
      values[slots[at]!] = 0;
      codes[slots[at]!] = NOT_COLLECTED;
    }
    spare.push(set);
    return;
  }
  if (codes.buffer.byteLength === codes.byteLength || spare.length === MOST_SPARE) return;
  values.fill(0);
  codes.fill(NOT_COLLECTED);
  spare.push(set);
}

/**
 * Gives out fresh reading sets that share their memory in groups. Allocating the two arrays of every set apart takes
 * longer than reading the row they are for.
 */
export class ReadingSlab {
  #memory = new ArrayBuffer(0);
  #used = SETS;
  readonly #slots: readonly number[] | null;

  /** `slots` are the only ones that will be filled, where that is known. */
  constructor(slots: readonly number[] | null = null) {
    this.#slots = slots;
  }

  take(): ReadingSet {
    const set = spare.pop() ?? this.#new();
    set.slots = this.#slots;
    return set;
  }

  #new(): ReadingSet {
    if (this.#used === SETS) {
      this.#memory = new ArrayBuffer(VALUE_BYTES + SETS * SLOTS);
      new Uint8Array(this.#memory, VALUE_BYTES).fill(NOT_COLLECTED);
      this.#used = 0;
    }
    const first = this.#used++ * SLOTS;
    return new ReadingSet(
      new Float64Array(this.#memory, first * Float64Array.BYTES_PER_ELEMENT, SLOTS),
      new Uint8Array(this.#memory, VALUE_BYTES + first, SLOTS),
    );
  }
}
