import type { LogSection } from '../rows.ts';
import type { ZoneClock } from '../time-zone.ts';
import { TimestampReader } from '../timestamps.ts';
import type { CsvColumn } from './header.ts';

export interface TimeColumn {
  readonly position: number;
  /** Milliseconds in a unit of a column of elapsed time; null where the cells themselves tell what they are. */
  readonly unitMs: number | null;
}

export interface ChosenTime {
  /** Null where the log has no times that can be read. */
  readonly time: TimeColumn | null;
  readonly clock: LogSection['clock'];
  /** Of the samples; NaN where unreadable or not there. */
  readonly times: readonly number[];
  /** True if dates without a zone are among them. */
  readonly hasLocalTime: boolean;
}

/** A time of day, or a date in a form that is not known. */
const OTHER_TIME = /\d[:/.-]\d/;

/** The first column of times that can be read in at least half of the samples. */
export function chooseTime(columns: readonly CsvColumn[], samples: readonly string[][], zone: ZoneClock): ChosenTime {
  const candidates = columns.flatMap(({ position, meaning }): TimeColumn[] => {
    if (meaning.kind === 'elapsed') return [{ position, unitMs: meaning.unitMs }];
    return meaning.kind === 'time' || meaning.kind === 'epoch' ? [{ position, unitMs: null }] : [];
  });
  const isCount = ({ time, clock }: ChosenTime): boolean =>
    clock === 'elapsed' &&
    columns.some(({ position, meaning }) => position === time?.position && meaning.kind === 'epoch');
  const tried = candidates.map((column) => tryColumn(column, samples, zone)).filter((chosen) => !isCount(chosen));
  const found = tried.find(({ readable }) => readable > 0 && readable * 2 >= samples.length);
  if (found !== undefined) return found;
  const isOtherTime = candidates.some(({ position }) =>
    samples.some((cells) => OTHER_TIME.test(cells[position] ?? '')),
  );
  // Rows whose times are not even written are no rows; the next ones may have them.
  const [first] = tried;
  if (first !== undefined && !isOtherTime) return first;
  return { time: null, clock: 'none', times: samples.map(() => Number.NaN), hasLocalTime: false };
}

function tryColumn(time: TimeColumn, samples: readonly string[][], zone: ZoneClock): ChosenTime & { readable: number } {
  const reader = new TimestampReader(zone);
  const encoder = new TextEncoder();
  let readable = 0;
  let elapsed = 0;
  const times = samples.map((cells) => {
    const value = readTime(reader, time, encoder.encode(cells[time.position]));
    if (!Number.isNaN(value)) {
      readable++;
      if (reader.isElapsed) elapsed++;
    }
    return value;
  });
  const isElapsed = readable === 0 ? time.unitMs !== null : elapsed * 2 > readable;
  return { time, clock: isElapsed ? 'elapsed' : 'absolute', times, hasLocalTime: reader.hasReadLocalTime, readable };
}

/** The time in a whole cell; see {@link TimestampReader.read}. */
function readTime(reader: TimestampReader, { unitMs }: TimeColumn, cell: Uint8Array): number {
  return unitMs === null ? reader.read(cell, 0, cell.length) : reader.readElapsed(cell, 0, cell.length, unitMs);
}
