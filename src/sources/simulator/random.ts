/**
 * Random numbers by position instead of in sequence: the number behind (stream, counter) is always the same, so what the
 * simulation does at a given time cannot depend on when it was looked at. The mixer is a 32-bit xor-shift-multiply hash
 * with the "lowbias32" constants (C. Wellons, public domain).
 */
export function hash32(stream: number, counter: number): number {
  let x = stream ^ Math.imul(counter, 0x9e3779b9);
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** A number in [0, 1). */
export function uniform(stream: number, counter: number): number {
  return hash32(stream, counter) / 2 ** 32;
}

/** A continuous curve between −1 and 1 that turns about once per unit of `x`. */
export function drift(stream: number, x: number): number {
  const cell = Math.floor(x);
  const into = x - cell;
  const weight = into * into * (3 - 2 * into);
  const left = uniform(stream, cell);
  return 2 * (left + (uniform(stream, cell + 1) - left) * weight) - 1;
}
