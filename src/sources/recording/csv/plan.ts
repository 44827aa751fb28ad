import type { MetricId } from '../../../model/catalogue.ts';
import type { LogSection } from '../rows.ts';
import type { ZoneClock } from '../time-zone.ts';
import type { CsvColumn, CsvHeader } from './header.ts';
import { chooseIdentity, type IdentityColumns } from './identity.ts';
import { namePeriod, rowsPerInstant, typicalInterval } from './instants.ts';
import { MetricColumn } from './metric.ts';
import { chooseTime, type TimeColumn } from './time-column.ts';

/** How the records of one header are read. */
export interface CsvPlan {
  readonly kind: CsvHeader['kind'];
  readonly columnCount: number;
  readonly section: LogSection;
  readonly time: TimeColumn | null;
  readonly identity: IdentityColumns;
  /** Rows do not say which device they are about, and the log has several: their place tells. */
  readonly isByPlace: boolean;
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
 * there may be none. `isInferred` marks columns that were guessed from the values of a log without a header.
 */
export function planColumns(
  header: CsvHeader,
  samples: readonly string[][],
  zone: ZoneClock,
  isInferred: boolean,
): CsvPlan {
  const { columns, kind } = header;
  const positionOf = (wanted: string): number => columns.find(({ meaning }) => meaning.kind === wanted)?.position ?? -1;
  const { time, times, clock, hasLocalTime } = chooseTime(columns, samples, zone);
  const identity = chooseIdentity(columns, samples);
  const { metrics, ambiguous } = chooseMetrics(columns, samples);
  const place = kind === 'gpus' ? placeOf(identity, samples, times) : 1;
  const hasMask = metrics.some(({ metric }) => metric.unit === 'bits');
  return {
    kind,
    columnCount: columns.length,
    section: { clock, intervalMs: intervalOf(kind, identity, place, samples, times), rowsPerInstant: place },
    time,
    identity,
    isByPlace: place > 1,
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

/** Rows per instant where neither a column nor the name tells the device; else 1. */
function placeOf(identity: IdentityColumns, samples: readonly string[][], times: readonly number[]): number {
  if (identity.uuid !== -1 || identity.busId !== -1 || identity.index !== -1) return 1;
  const names = samples.map((cells) => cells[identity.name] ?? '');
  const readable = times.filter((time) => !Number.isNaN(time));
  const rows = readable.length > 0 ? rowsPerInstant(readable) : namePeriod(names);
  const namesTell = identity.name !== -1 && new Set(names.slice(0, rows)).size === rows;
  return namesTell ? 1 : rows;
}

function intervalOf(
  kind: CsvHeader['kind'],
  { uuid, busId, index, name }: IdentityColumns,
  place: number,
  samples: readonly string[][],
  times: readonly number[],
): number | null {
  if (kind !== 'gpus') return typicalInterval(times, () => '');
  const tells = [uuid, busId, index, name].find((position) => position !== -1) ?? -1;
  return typicalInterval(times, (row) => (place > 1 ? String(row % place) : (samples[row]?.[tells] ?? '')));
}

/** One column per metric, the one whose name says it best, and the titles that may be a ratio or a percentage. */
function chooseMetrics(columns: readonly CsvColumn[], samples: readonly string[][]) {
  const best = new Map<MetricId, { rank: number; column: MetricColumn }>();
  const ambiguous = new Set<string>();
  for (const { position, title, meaning } of columns) {
    if (meaning.kind !== 'metric') continue;
    const { metric, scale, rank, isOwnName } = meaning;
    if (isOwnName && metric.unit === 'ratio' && mayBeRatio(title, position, samples)) {
      ambiguous.add(title);
    } else if (rank < (best.get(metric.id)?.rank ?? Number.POSITIVE_INFINITY)) {
      best.set(metric.id, { rank, column: new MetricColumn({ position, title, metric, scale }) });
    }
  }
  return { metrics: [...best.values()].map(({ column }) => column), ambiguous };
}

/** `0.35` in a column that somebody called `gpu_util` is 35 % or 0.35 %. */
function mayBeRatio(title: string, position: number, samples: readonly string[][]): boolean {
  if (/%|pct|percent/i.test(title)) return false;
  const values = samples.map((cells) => cells[position] ?? '').filter((cell) => /^\d*\.?\d+$/.test(cell));
  return (
    values.some((value) => value.includes('.') && Number(value) % 1 !== 0) &&
    values.every((value) => Number(value) <= 1)
  );
}
