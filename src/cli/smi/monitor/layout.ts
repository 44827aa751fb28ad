import type { Millis } from '../../../model/reading.ts';
import type { Calendar } from '../calendar.ts';

/** How a monitor prints its rows. */
export interface MonitorLayout {
  readonly hasDate: boolean;
  readonly hasTime: boolean;
  readonly isCsv: boolean;
  readonly hasHeader: boolean;
  readonly hasUnits: boolean;
}

/** A column by its two titles. `lead` widens the titles of a column beyond its rows, as nvidia-smi does. */
export interface Title {
  readonly name: string;
  readonly unit: string;
}

/** The two lines of titles come again after this many rows. */
export const ROWS_PER_HEADER = 44;

/** The two lines of titles; `table` are those behind the index, set as text. */
export function headerLines(
  titles: readonly Title[],
  table: (words: readonly string[]) => string,
  layout: MonitorLayout,
) {
  if (!layout.hasHeader) return [];
  const names = titles.map(({ name }) => name);
  const units = titles.map(({ unit }) => unit);
  const dates = layout.hasDate ? [['Date', 'YYYYMMDD']] : [];
  const times = layout.hasTime ? [['Time', 'HH:MM:SS']] : [];
  const stamps = [...dates, ...times];
  if (layout.isCsv) {
    const line = (i: 0 | 1, first: string, words: readonly string[]): string =>
      `#${[...stamps.map((stamp) => stamp[i]), first, ...words].join(', ')}`;
    return layout.hasUnits ? [line(0, 'gpu', names), line(1, 'Idx', units)] : [line(0, 'gpu', names)];
  }
  const lead = (i: 0 | 1, first: string): string =>
    stamps.length === 0 ? `# ${first}` : `#${stampText(stamps.map((stamp) => stamp[i]!))}${first}`;
  const lines = [`${lead(0, 'gpu')}${table(names)}`];
  return layout.hasUnits ? [...lines, `${lead(1, 'Idx')}${table(units)}`] : lines;
}

/** What stands before the cells of a row: the time where it is wanted, and the index of the GPU. */
export function rowStart(index: number, at: Millis, layout: MonitorLayout, calendar: Calendar): string {
  const stamps = stampsOf(at, layout, calendar);
  if (stamps.length === 0) return String(index).padStart(5);
  return ` ${stampText(stamps)}${String(index).padStart(3)}`;
}

export function csvRow(
  index: number,
  cells: readonly string[],
  at: Millis,
  layout: MonitorLayout,
  calendar: Calendar,
): string {
  return ` ${[...stampsOf(at, layout, calendar), String(index), ...cells].join(', ')}`;
}

function stampsOf(at: Millis, { hasDate, hasTime }: MonitorLayout, calendar: Calendar): string[] {
  return [...(hasDate ? [calendar.date(at)] : []), ...(hasTime ? [calendar.time(at)] : [])];
}

/** The date is set in eleven columns, the time in twelve. */
function stampText(stamps: readonly string[]): string {
  return stamps
    .map((stamp) => (stamp.includes(':') || stamp === 'Time' ? stamp.padEnd(12) : stamp.padEnd(11)))
    .join('');
}
