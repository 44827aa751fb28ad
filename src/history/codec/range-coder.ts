/**
 * Adaptive binary range coding: a decision that was foreseen costs far less than a bit. State is kept in 24 bits, so that
 * everything in the inner loops is a small integer of the engine.
 *
 * A model is the estimated probability of a 1, in 65536ths, and how often it has been used: a young estimate learns fast,
 * an old one slowly.
 */

const TOP = 2 ** 16;
const FULL = 2 ** 24;
const HALF = 2 ** 15;
/** No decision is ever taken for certain: coding the other side of it must stay possible, and cheap enough. */
const LEAST = 24;
const MOST = 2 ** 16 - LEAST;
const SCALE = 2 ** -16;

/** By its age, how far an estimate moves towards what happened: by the distance shifted right by so much. */
const SHIFTS = Uint8Array.from([1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, ...new Array(18).fill(4), 5]);
const OLDEST = SHIFTS.length - 1;

/** Estimates for so many kinds of decision. */
export class Models {
  readonly probability: Uint16Array;
  readonly age: Uint8Array;

  constructor(count: number) {
    this.probability = new Uint16Array(count).fill(HALF);
    this.age = new Uint8Array(count);
  }

  reset(): void {
    this.probability.fill(HALF);
    this.age.fill(0);
  }
}

/** Moves the estimate at `model`, which was `old`, towards the decision taken. */
function learn({ probability, age }: Models, model: number, old: number, bit: number): void {
  const years = age[model]!;
  const shift = SHIFTS[years]!;
  if (bit === 1) {
    const next = old + ((65_536 - old) >> shift);
    probability[model] = Math.min(next, MOST);
  } else {
    const next = old - (old >> shift);
    probability[model] = Math.max(next, LEAST);
  }
  if (years < OLDEST) age[model] = years + 1;
}

/** Writes decisions; used again and again. */
export class RangeEncoder {
  #bytes = new Uint8Array(4096);
  #length = 0;
  #low = 0;
  #range = FULL - 1;

  bit(models: Models, model: number, bit: number): void {
    const estimate = models.probability[model]!;
    const bound = (this.#range * estimate * SCALE) | 0;
    learn(models, model, estimate, bit);
    if (bit === 1) {
      this.#range = bound;
    } else {
      this.#low += bound;
      this.#range -= bound;
    }
    while (this.#range < TOP) this.#shift();
  }

  #shift(): void {
    if (this.#low >= FULL) this.#carry();
    if (this.#length === this.#bytes.length) this.#grow();
    this.#bytes[this.#length++] = this.#low >>> 16;
    this.#low = (this.#low & 0xffff) << 8;
    this.#range <<= 8;
  }

  #carry(): void {
    this.#low -= FULL;
    let at = this.#length - 1;
    for (; this.#bytes[at] === 255; at--) this.#bytes[at] = 0;
    this.#bytes[at]!++;
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  /** The bytes of everything since the last time. Zeros at the end are left out: a decoder reads them anyway. */
  finish(): Uint8Array {
    const end = this.#low + this.#range;
    for (let kept = 24 - 8; ; kept -= 8) {
      const unit = 2 ** kept;
      const value = Math.ceil(this.#low / unit) * unit;
      if (value >= end && kept > 0) continue;
      this.#low = value;
      break;
    }
    for (let i = 0; i < 3; i++) {
      this.#range = TOP;
      this.#shift();
    }
    let length = this.#length;
    while (length > 0 && this.#bytes[length - 1] === 0) length--;
    const result = this.#bytes.slice(0, length);
    this.#length = 0;
    this.#low = 0;
    this.#range = FULL - 1;
    return result;
  }
}

/** Reads what a {@link RangeEncoder} wrote, with the same models in the same order. */
export class RangeDecoder {
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #end = 0;
  #code = 0;
  #range = 0;

  open(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#range = FULL - 1;
    this.#code = 0;
    for (let i = 0; i < 3; i++) this.#code = (this.#code << 8) | this.#next();
  }

  #next(): number {
    return this.#at < this.#end ? this.#bytes[this.#at++]! : 0;
  }

  bit(models: Models, model: number): number {
    return this.tree(models, model - 1, 1);
  }

  /**
   * So many decisions, each of which depends on those before it, as a number. Its models follow `base`. All in one loop:
   * this is where decoding spends its time.
   */
  tree(models: Models, base: number, decisions: number): number {
    const { probability, age } = models;
    let range = this.#range;
    let code = this.#code;
    let node = 1;
    for (let i = 0; i < decisions; i++) {
      const model = base + node;
      const old = probability[model]!;
      const years = age[model]!;
      const bound = (range * old * SCALE) | 0;
      if (code < bound) {
        range = bound;
        const next = old + ((65_536 - old) >> SHIFTS[years]!);
        probability[model] = Math.min(next, MOST);
        node = 2 * node + 1;
      } else {
        code -= bound;
        range -= bound;
        const next = old - (old >> SHIFTS[years]!);
        probability[model] = Math.max(next, LEAST);
        node = 2 * node;
      }
      if (years < OLDEST) age[model] = years + 1;
      while (range < TOP) {
        range <<= 8;
        code = (code << 8) | this.#next();
      }
    }
    this.#range = range;
    this.#code = code;
    return node - (1 << decisions);
  }
}
