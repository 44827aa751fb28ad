/** Rows within one instant of a machine with more devices than this are not searched for. */
const MAX_ROWS_PER_INSTANT = 64;

/** The pause between two instants is at least so many times the pause between two rows of one. */
const LEAST_CONTRAST = 5;

/** Rows this close together are one call of nvidia-smi, whatever else the log shows. Milliseconds. */
const SAME_CALL_MS = 2;
/** Rows this close together, with nothing before and after, are one instant. Milliseconds. */
const ONE_CALL_MS = 10;
/** Typical pauses from here on are between samples: a burst of them is no instant. Milliseconds. */
const LEAST_SAMPLING_MS = 1000;

/** How often names must repeat at a distance to come round with it. */
const LEAST_REPEATED = 0.75;

/** The rhythm in which the rows of a log that names no devices come. */
export interface Rhythm {
  /** Rows per sampling instant; 1 where there is no rhythm. */
  readonly rows: number;
  /** A longer pause than this, in milliseconds, is between two instants. */
  readonly gapMs: number;
  /** Distance of instants in milliseconds, see {@link typicalInterval}. */
  readonly intervalMs: number | null;
  /** The row with which the first instant begins that has all its rows. */
  readonly start: number;
}

/**
 * Finds how many rows belong to one sampling instant: rows are close together and far from the next ones, and most
 * instants have the same number of them. Single ones may have more or fewer.
 */
export function rhythmOf(times: readonly number[]): Rhythm {
  const gaps = times.slice(1).map((time, row) => Math.abs(time - times[row]!));
  const none: Rhythm = { rows: 1, gapMs: 0, intervalMs: typicalInterval(times, () => ''), start: 0 };
  if (gaps.length === 0) return none;
  if (Math.max(...gaps) <= ONE_CALL_MS) {
    const isInstant = times.length <= MAX_ROWS_PER_INSTANT;
    return isInstant ? { rows: times.length, gapMs: ONE_CALL_MS * LEAST_CONTRAST, intervalMs: null, start: 0 } : none;
  }
  const lengths = [...new Set(gaps)].sort((a, b) => a - b);
  let best: (Rhythm & { readonly fitting: number }) | null = null;
  for (const [place, within] of lengths.entries()) {
    const between = lengths[place + 1];
    if (between === undefined || Math.max(within, SAME_CALL_MS) * LEAST_CONTRAST >= between) continue;
    const found = rhythmWith((within + between) / 2, times, gaps);
    if (found === null || (best !== null && (found.rows !== best.rows || found.fitting <= best.fitting))) continue;
    best = found;
  }
  return best ?? none;
}

/** The rhythm if pauses over `gapMs` are between instants; null if most instants do not have the same number of rows. */
function rhythmWith(gapMs: number, times: readonly number[], gaps: readonly number[]) {
  const starts = [0, ...gaps.flatMap((gap, row) => (gap > gapMs ? [row + 1] : []))];
  const sizes = starts.map((start, instant) => (starts[instant + 1] ?? times.length) - start);
  const rows = mostFrequent(sizes);
  const fitting = sizes.filter((size) => size === rows).length;
  if (rows === 1 || rows > MAX_ROWS_PER_INSTANT || fitting * 2 <= sizes.length) return null;
  const within = gaps.filter((gap) => gap <= gapMs).sort((a, b) => a - b);
  if (within[Math.floor(within.length / 2)]! >= LEAST_SAMPLING_MS) return null;
  return {
    rows,
    gapMs,
    intervalMs: typicalInterval(
      starts.map((start) => times[start]!),
      () => '',
    ),
    start: starts[sizes.indexOf(rows)]!,
    fitting,
  };
}

function mostFrequent(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 1;
}

/**
 * The names of one round in a log without times in which they come round: `A B` for `A B A B`, or null where they do
 * not. Single rows may be missing.
 */
export function roundOfNames(names: readonly string[]): readonly string[] | null {
  if (new Set(names).size < 2) return null;
  const most = Math.min(MAX_ROWS_PER_INSTANT, Math.floor(names.length / 2));
  let [rows, fewest] = [0, 1 - LEAST_REPEATED];
  for (let distance = 2; distance <= most; distance++) {
    const others = names.filter((name, row) => row >= distance && name !== names[row - distance]).length;
    const share = others / (names.length - distance);
    // The first distance may be any that is good enough, a longer one must be much better.
    if (rows === 0 ? share <= fewest : share * 2 < fewest) [rows, fewest] = [distance, share];
  }
  return rows === 0 ? null : commonRound(names, rows);
}

/** The first `rows` names, unless a row is missing among them: then those that follow each other most often. */
function commonRound(names: readonly string[], rows: number): readonly string[] {
  const counts = new Map<string, { count: number; readonly round: readonly string[] }>();
  for (let start = 0; start + rows <= names.length; start++) {
    const round = names.slice(start, start + rows);
    const found = counts.get(round.join('\n'));
    if (found === undefined) counts.set(round.join('\n'), { count: 1, round });
    else found.count++;
  }
  const rounds = [...counts.values()];
  const most = rounds.reduce((best, other) => (other.count > best.count ? other : best));
  const [first = most] = rounds;
  return first.count * 2 >= most.count ? first.round : most.round;
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
