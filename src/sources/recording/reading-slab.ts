import { CATALOGUE } from '../../model/catalogue.ts';
import { absenceCode, ReadingSet } from '../../model/reading-set.ts';

/** Sets made at a time: a tick of an eight-GPU node. */
const SETS = 8;
const SLOTS = CATALOGUE.length;
const VALUE_BYTES = SETS * SLOTS * Float64Array.BYTES_PER_ELEMENT;
const NOT_COLLECTED = absenceCode('not-collected');

/**
 * Gives out fresh reading sets that share their memory in groups. Allocating the two arrays of every set apart takes
 * longer than reading the row they are for.
 */
export class ReadingSlab {
  #memory = new ArrayBuffer(0);
  #used = SETS;

  take(): ReadingSet {
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
