/**
 * Ways to foresee a value from those before it. What is left over is small where the guess is good, and small numbers are
 * cheap to code. Which way suits a column is tried out.
 */

/** Guesses, by the number that is written to the disk. */
const ZERO = 0;
const LAST = 1;
/** As far on as from the one before last to the last. */
const TREND = 2;
/** An average of all before, in which the newest counts a half; behind it comes one in which it counts an eighth. */
const QUICK_AVERAGE = 3;
const GUESSES = 5;

function paceOf(kind: number): number {
  return kind === QUICK_AVERAGE ? 2 : 8;
}

/** Writes what a guess leaves over of the first `count` values into `out`. */
function leaveOver(kind: number, values: Float64Array, count: number, out: Float64Array): void {
  let last = 0;
  let trend = 0;
  if (kind === ZERO) {
    for (let i = 0; i < count; i++) out[i] = values[i]!;
  } else if (kind === LAST) {
    for (let i = 0; i < count; i++) {
      out[i] = values[i]! - last;
      last = values[i]!;
    }
  } else if (kind === TREND) {
    for (let i = 0; i < count; i++) {
      const value = values[i]!;
      out[i] = value - last - trend;
      trend = i === 0 ? 0 : value - last;
      last = value;
    }
  } else {
    const pace = paceOf(kind);
    for (let i = 0; i < count; i++) {
      out[i] = values[i]! - Math.round(last);
      last += (values[i]! - last) / pace;
    }
  }
}

/** Turns what a guess left over into the values again, in place. Throws a RangeError for a guess that is none. */
export function restore(kind: number, values: Float64Array, count: number): void {
  if (kind >= GUESSES) throw new RangeError(`guess ${kind} is not known`);
  let last = 0;
  let trend = 0;
  if (kind === LAST) {
    for (let i = 0; i < count; i++) {
      last += values[i]!;
      values[i] = last;
    }
  } else if (kind === TREND) {
    for (let i = 0; i < count; i++) {
      const value = last + (trend + values[i]!);
      trend = i === 0 ? 0 : value - last;
      last = value;
      values[i] = value;
    }
  } else if (kind > TREND) {
    const pace = paceOf(kind);
    for (let i = 0; i < count; i++) {
      const value = values[i]! + Math.round(last);
      last += (value - last) / pace;
      values[i] = value;
    }
  }
}

/** The number of the guess that leaves the least, which is then in `out`; `scratch` is as long. */
export function bestGuess(values: Float64Array, count: number, out: Float64Array, scratch: Float64Array): number {
  let best = ZERO;
  let least = Number.POSITIVE_INFINITY;
  for (let kind = ZERO; kind < GUESSES; kind++) {
    leaveOver(kind, values, count, scratch);
    const digits = digitsLeft(scratch, count);
    if (digits >= least) continue;
    least = digits;
    best = kind;
  }
  leaveOver(best, values, count, out);
  return best;
}

/** About how many binary digits the numbers take. */
function digitsLeft(values: Float64Array, count: number): number {
  let product = 1;
  let digits = 0;
  for (let i = 0; i < count; i++) {
    product *= 1 + Math.abs(values[i]!);
    // One logarithm for many numbers.
    if (product > 1e200) {
      digits += Math.log2(product);
      product = 1;
    }
  }
  return digits + Math.log2(product);
}
