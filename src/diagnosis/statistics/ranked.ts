/** So few are sorted. */
const SORTED_AT_MOST = 256;

/** The bits of a float are three digits, of 11, 11 and 10 bits: the counts of so many stay in the cache next to the processor. */
const TOP = new Uint32Array(2 ** 11);
const MIDDLE = new Uint32Array(2 ** 11);
const LOW = new Uint32Array(2 ** 10);

/**
 * The numbers of some ranks, counted from 0. Exact, and in linear time: the order of floats is that of their bits, of which
 * one digit after the other is found by counting how often each comes behind those found before it.
 */
export function ranked(numbers: Float32Array, ranks: readonly number[]): number[] {
  const { length } = numbers;
  if (length <= SORTED_AT_MOST) {
    const sorted = numbers.slice().sort();
    return ranks.map((rank) => sorted[rank]!);
  }
  const bits = new Int32Array(numbers.buffer, numbers.byteOffset, length);
  const negative = countTop(bits);
  return ranks.map((rank) => {
    // Negative numbers come first, and the more of a digit they have the earlier.
    const isDown = rank < negative;
    const top = digitAt(TOP, isDown ? rank : rank - negative, isDown);
    countMiddle(bits, top.digit);
    const middle = digitAt(MIDDLE, top.rest, isDown);
    const both = (top.digit << 11) | middle.digit;
    countLow(bits, both);
    const low = digitAt(LOW, middle.rest, isDown);
    return floatOf((both << 10) | low.digit);
  });
}

// One loop each, with shifts that are known: with one loop for all it takes twice as long.

/** Counts the first digits; how many of the numbers are negative, which is the first bit of that digit. */
function countTop(bits: Int32Array): number {
  TOP.fill(0);
  for (let i = 0; i < bits.length; i++) TOP[bits[i]! >>> 21]!++;
  let negative = 0;
  for (let digit = TOP.length / 2; digit < TOP.length; digit++) negative += TOP[digit]!;
  return negative;
}

function countMiddle(bits: Int32Array, top: number): void {
  MIDDLE.fill(0);
  for (let i = 0; i < bits.length; i++) {
    const number = bits[i]!;
    if (number >>> 21 === top) MIDDLE[(number >>> 10) & 0x7ff]!++;
  }
}

function countLow(bits: Int32Array, topAndMiddle: number): void {
  LOW.fill(0);
  for (let i = 0; i < bits.length; i++) {
    const number = bits[i]!;
    if (number >>> 10 === topAndMiddle) LOW[number & 0x3ff]!++;
  }
}

/** The digit of the number of a rank, and its rank among those that have this digit. */
function digitAt(
  counts: Uint32Array,
  rank: number,
  isDown: boolean,
): { readonly digit: number; readonly rest: number } {
  const step = isDown ? -1 : 1;
  let digit = isDown ? counts.length - 1 : 0;
  let rest = rank;
  while (rest >= counts[digit]!) {
    rest -= counts[digit]!;
    digit += step;
  }
  return { digit, rest };
}

function floatOf(bits: number): number {
  return new Float32Array(new Int32Array([bits]).buffer)[0]!;
}
