/** Readings come in steps: whole percent, milliwatts, MiB, 15 MHz. Counted in its steps a reading is a small whole number. */

const POWERS: readonly number[] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];
/** Differences of differences of whole numbers up to this stay exact. */
const LARGEST = 2 ** 50;

/** `value = (base + step · n) / 10^power` with whole numbers throughout. */
export interface Steps {
  readonly power: number;
  readonly base: number;
  readonly step: number;
}

/**
 * Writes the whole numbers n into `out` and returns how to turn them back, or null where the values are not all decimal
 * fractions of few digits. They turn back into exactly the same values.
 */
export function quantise(values: Float64Array, count: number, out: Float64Array): Steps | null {
  for (let power = 0; power < POWERS.length; power++) {
    if (!scale(values, count, POWERS[power]!, out)) continue;
    const base = median(out, count);
    const step = commonStep(out, count, base);
    for (let i = 0; i < count; i++) out[i] = (out[i]! - base) / step;
    return { power, base, step };
  }
  return null;
}

/** Turns whole numbers back into values, in place. */
export function unquantise({ power, base, step }: Steps, values: Float64Array, count: number): void {
  const divisor = POWERS[power];
  if (divisor === undefined) throw new RangeError(`power ${power} is not known`);
  for (let i = 0; i < count; i++) values[i] = (base + step * values[i]!) / divisor;
}

function scale(values: Float64Array, count: number, factor: number, out: Float64Array): boolean {
  for (let i = 0; i < count; i++) {
    const whole = Math.round(values[i]! * factor);
    if (whole / factor !== values[i]! || Math.abs(whole) > LARGEST) return false;
    out[i] = whole;
  }
  return true;
}

let sorted = new Float64Array(1024);

/** One of the middle values: what is around it has both signs, and is smallest. */
function median(values: Float64Array, count: number): number {
  if (sorted.length < count) sorted = new Float64Array(2 * count);
  const copy = sorted.subarray(0, count);
  copy.set(values.subarray(0, count));
  return copy.sort()[count >> 1] ?? 0;
}

/** The largest number that divides the distances of all values from `base`. */
function commonStep(values: Float64Array, count: number, base: number): number {
  let step = 0;
  for (let i = 0; i < count && step !== 1; i++) {
    let rest = Math.abs(values[i]! - base);
    while (rest !== 0) [step, rest] = [rest, step % rest];
  }
  return step === 0 ? 1 : step;
}
