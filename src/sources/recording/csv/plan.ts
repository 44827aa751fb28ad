import type { Metric, MetricId } from '../../../model/catalogue.ts';
import type { LogSection, RowPlaces } from '../rows.ts';
import type { ZoneClock } from '../time-zone.ts';
import type { Separator } from './cells.ts';
import { freeTextColumn } from './free-text.ts';
import type { CsvColumn, CsvHeader } from './header.ts';
import { chooseIdentity, type IdentityColumns } from './identity.ts';
import { rhythmOf, roundOfNames, typicalInterval } from './instants.ts';
import { LastCell } from './last-cell.ts';
import { MetricColumn } from './metric.ts';
import { chooseTime, type TimeColumn } from './time-column.ts';

/** How the records of one header are read. */
export interface CsvPlan {
  readonly kind: CsvHeader['kind'];
  readonly columnCount: number;
  readonly section: LogSection;
  readonly time: TimeColumn | null;
  readonly identity: IdentityColumns;
  readonly separator: Separator;
  /** The only column whose cells may hold commas of their own, or -1. */
  readonly freeText: number;
  readonly lastCell: LastCell;
  readonly metrics: readonly MetricColumn[];
  /** Columns that hold one bit each of the clock event reasons. */
  readonly reasons: readonly { readonly position: number; readonly bit: number }[];
  /** Position of `mig.mode.current`, or -1. */
  readonly migMode: number;
  /** Columns without a known meaning in a log without a header: looked at for errors of the driver only. */
  readonly opaque: readonly number[];
  readonly process: { readonly pid: number; readonly name: number; readonly memory: number } | null;
  /** Titles of columns that were left out because they may mean several things. */
  readonly ignored: readonly string[];
  /** True if the sample rows have local times without a zone. */
  readonly hasLocalTime: boolean;
}

/**
 * Decides how records are read, from their header and the first of them. `samples` have as many cells as the header;
 * there may be none. With `lastIsCut` the last one may have been cut. `isInferred` marks columns that were guessed from
 * the values of a log without a header.
 */
export function planColumns(
  header: CsvHeader,
  samples: readonly string[][],
  zone: ZoneClock,
  { isInferred, lastIsCut }: { readonly isInferred: boolean; readonly lastIsCut: boolean },
): CsvPlan {
  const { columns, kind } = header;
  const positionOf = (wanted: string): number => columns.find(({ meaning }) => meaning.kind === wanted)?.position ?? -1;
  const { time, times, clock, hasLocalTime } = chooseTime(columns, samples, zone);
  const identity = chooseIdentity(columns, samples);
  const { metrics, ambiguous } = chooseMetrics(columns, samples);
  const { places, intervalMs } = orderOf(kind, identity, samples, times);
  const hasMask = metrics.some(({ metric }) => metric.unit === 'bits');
  return {
    kind,
    columnCount: columns.length,
    section: { clock, intervalMs, places },
    time,
    identity,
    separator: header.separator,
    freeText: kind === 'processes' ? positionOf('process-name') : freeTextColumn(columns),
    lastCell: new LastCell(columns, lastIsCut ? samples.slice(0, -1) : samples),
    metrics,
    reasons: hasMask
      ? []
      : columns.flatMap(({ position, meaning }) => (meaning.kind === 'reason' ? [{ position, bit: meaning.bit }] : [])),
    migMode: positionOf('mig-mode'),
    opaque: isInferred
      ? columns.flatMap(({ position, meaning }) => (meaning.kind === 'unknown' ? [position] : []))
      : [],
    process:
      kind === 'processes'
        ? { pid: positionOf('pid'), name: positionOf('process-name'), memory: positionOf('process-memory') }
        : null,
    ignored: columns
      .filter(({ title, meaning }) => title !== '' && (meaning.kind === 'unknown' || ambiguous.has(title)))
      .map(({ title }) => title),
    hasLocalTime,
  };
}

/** How rows come: by place where neither a column nor the name tells the device. */
function orderOf(
  kind: CsvHeader['kind'],
  { uuid, busId, index, name, host }: IdentityColumns,
  samples: readonly string[][],
  times: readonly number[],
): { readonly places: RowPlaces | null; readonly intervalMs: number | null } {
  if (kind !== 'gpus') return { places: null, intervalMs: typicalInterval(times, () => '') };
  const tells = [uuid, busId, index, name].find((position) => position !== -1) ?? -1;
  const named = {
    places: null,
    intervalMs: typicalInterval(times, (row) => `${samples[row]?.[host] ?? ''}\n${samples[row]?.[tells] ?? ''}`),
  };
  if (uuid !== -1 || busId !== -1 || index !== -1) return named;
  const timed = samples.flatMap((cells, row) => (Number.isNaN(times[row]) ? [] : [cells[name] ?? '']));
  if (timed.length === 0) {
    const names = roundOfNames(samples.map((cells) => cells[name] ?? ''));
    if (names === null || new Set(names).size === names.length) return named;
    return { places: { count: names.length, gapMs: 0, names }, intervalMs: null };
  }
  const { rows: count, gapMs, start, intervalMs } = rhythmOf(times.filter((time) => !Number.isNaN(time)));
  const names = timed.slice(start, start + count);
  const hosts = samples.filter((_, row) => !Number.isNaN(times[row])).slice(start, start + count);
  // One device in each machine.
  if (host !== -1 && new Set(hosts.map((cells) => cells[host])).size === count) return named;
  if (count === 1 || (name !== -1 && new Set(names).size === count)) return named;
  return { places: { count, gapMs, names }, intervalMs };
}

/** One column per metric, the one whose name says it best, and the titles of those whose unit cannot be told. */
function chooseMetrics(columns: readonly CsvColumn[], samples: readonly string[][]) {
  const best = new Map<MetricId, { rank: number; column: MetricColumn }>();
  const ambiguous = new Set<string>();
  const standIns: MetricColumn[] = [];
  const isInGigabytes = areSizesTooSmall(columns, samples);
  for (const { position, title, meaning } of columns) {
    if (meaning.kind !== 'metric') continue;
    const { metric, scale, rank, standsFor } = meaning;
    const isUnclear =
      (metric.unit === 'ratio' && mayBeRatio(title, position, samples)) ||
      (isInGigabytes && isPlainSize(metric, title));
    if (isUnclear) {
      ambiguous.add(title);
      continue;
    }
    if (standsFor !== undefined) standIns.push(new MetricColumn({ position, title, metric: standsFor, scale }));
    if (rank < (best.get(metric.id)?.rank ?? Number.POSITIVE_INFINITY)) {
      best.set(metric.id, { rank, column: new MetricColumn({ position, title, metric, scale }) });
    }
  }
  const missing = standIns.filter(({ metric }, place) => {
    const isFirst = standIns.findIndex((other) => other.metric === metric) === place;
    return isFirst && !best.has(metric.id);
  });
  return { metrics: [...[...best.values()].map(({ column }) => column), ...missing], ambiguous };
}

const PLAIN_NUMBER = /^\d*\.?\d+$/;

function plainNumbers(position: number, samples: readonly string[][]): string[] {
  return samples.map((cells) => cells[position] ?? '').filter((cell) => PLAIN_NUMBER.test(cell));
}

function hasFraction(value: string): boolean {
  return value.includes('.') && Number(value) % 1 !== 0;
}

/** `0.35` in a column `gpu_util` is 35 % or 0.35 %: nvidia-smi itself writes whole numbers. */
function mayBeRatio(title: string, position: number, samples: readonly string[][]): boolean {
  if (/%|pct|percent/i.test(title)) return false;
  const values = plainNumbers(position, samples);
  return values.some(hasFraction) && values.every((value) => Number(value) <= 1);
}

/** No GPU has less memory than this in MiB, and none has more in GiB. */
const LEAST_TOTAL = 512;

/** True for a size of memory whose title says no unit. */
function isPlainSize({ id, unit }: Metric, title: string): boolean {
  return unit === 'bytes' && id.startsWith('memory_') && !/[kmg]i?b(?![a-z])|byte/i.test(title);
}

/** True if sizes without a unit are no MiB, which nvidia-smi would mean: the total is too small, or they are fractions. */
function areSizesTooSmall(columns: readonly CsvColumn[], samples: readonly string[][]): boolean {
  const sizes = columns.filter(({ meaning, title }) => meaning.kind === 'metric' && isPlainSize(meaning.metric, title));
  const isTotal = ({ meaning }: CsvColumn) => meaning.kind === 'metric' && meaning.metric.id === 'memory_total_bytes';
  const totals = sizes.filter(isTotal).flatMap(({ position }) => plainNumbers(position, samples));
  if (totals.length > 0) return totals.every((value) => Number(value) < LEAST_TOTAL);
  const values = sizes.flatMap(({ position }) => plainNumbers(position, samples));
  return values.some(hasFraction) && values.every((value) => Number(value) < LEAST_TOTAL);
}
