/** Rows within one instant of a machine with more devices than this are not searched for. */
const MAX_ROWS_PER_INSTANT = 64;

/** The pause between two instants is at least so many times the pause between two rows of one. */
const LEAST_CONTRAST = 5;

/** Rows this close together, with nothing before and after, are one instant. Milliseconds. */
const ONE_CALL_MS = 10;

/**
 * How many rows belong to one sampling instant in a log that names no devices: the smallest number of consecutive rows
 * that are always close together and always far from the next ones. 1 where there is no such rhythm.
 */
export function rowsPerInstant(times: readonly number[]): number {
  const gaps = times.slice(1).map((time, row) => Math.abs(time - times[row]!));
  if (gaps.length === 0) return 1;
  if (Math.max(...gaps) <= ONE_CALL_MS) return times.length <= MAX_ROWS_PER_INSTANT ? times.length : 1;
  const most = Math.min(MAX_ROWS_PER_INSTANT, Math.floor(times.length / 2));
  for (let rows = 2; rows <= most; rows++) {
    const within = gaps.filter((_, row) => (row + 1) % rows !== 0);
    const between = gaps.filter((_, row) => (row + 1) % rows === 0);
    if (Math.max(...within) * LEAST_CONTRAST < Math.min(...between)) return rows;
  }
  return 1;
}

/** The period with which names come round in a log without times: 2 for `A B A B`, 1 where there is none. */
export function namePeriod(names: readonly string[]): number {
  if (new Set(names).size < 2) return 1;
  const most = Math.min(MAX_ROWS_PER_INSTANT, Math.floor(names.length / 2));
  for (let rows = 2; rows <= most; rows++) {
    if (names.every((name, row) => row < rows || name === names[row - rows])) return rows;
  }
  return 1;
}

/**
 * Median distance of consecutive samples of the same device that are apart at all, the lower one of two: missing rows
 * only make distances longer. Null where there are none.
 */
export function typicalInterval(times: readonly number[], deviceOf: (row: number) => string): number | null {
  const last = new Map<string, number>();
  const distances: number[] = [];
  for (const [row, time] of times.entries()) {
    if (Number.isNaN(time)) continue;
    const device = deviceOf(row);
    const distance = time - (last.get(device) ?? Number.NaN);
    last.set(device, time);
    if (distance > 0) distances.push(distance);
  }
  distances.sort((a, b) => a - b);
  return distances[Math.floor((distances.length - 1) / 2)] ?? null;
}
