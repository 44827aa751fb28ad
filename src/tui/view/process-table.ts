import { readingOf } from '../../client/gpu-reading.ts';
import { holderOf } from '../../client/holder.ts';
import type { ApiProcess } from '../../model/api-process.ts';
import { quantityText } from '../../model/format.ts';
import { ownerLabel } from '../../model/owner-label.ts';
import { fitLine, type Line, onGround, span, withTarget } from '../text/span.ts';
import { harmless, scrolled, textWidth } from '../text/width.ts';
import { type ProcessEntry, type ProcessOrder, type ProcessRow, SORTS, type SortId } from '../ui/process-rows.ts';
import { type Brush, figure } from './brush.ts';
import { type Column, headLine, placeColumns, rowLine } from './columns.ts';
import { gpuLabel } from './gpu-words.ts';

export interface ProcessTable {
  readonly rows: readonly ProcessRow[];
  readonly order: ProcessOrder;
  /** Position of the chosen line; -1 for none. */
  readonly chosen: number;
  /** The keys act on this table. */
  readonly isActive: boolean;
  /** Said in place of the lines of an empty table, and below the last one. */
  readonly remarks: readonly string[];
  readonly scroll: number;
  readonly width: number;
  /** Lines there are, the one of headings included. */
  readonly lines: number;
  readonly brush: Brush;
}

const SORT_COLUMNS: Readonly<Record<SortId, string>> = {
  ...{ gpu: 'gpu', pid: 'pid', user: 'owner', utilisation: 'gpu-share', memory: 'memory', cpu: 'cpu' },
  ...{ 'host-memory': 'host-memory', time: 'time', command: 'command' },
};

const COLUMN_SORTS = new Map(SORTS.map((sort) => [SORT_COLUMNS[sort], sort]));

/** The processes, with the chosen one always in sight. */
export function processTable(table: ProcessTable): readonly Line[] {
  const { rows, order, chosen, isActive, remarks, width, lines, brush } = table;
  if (lines < 1) return [];
  const { mark, ascending, descending } = brush.glyphs;
  const columns = placeColumns(processColumns(table), width).map((column) => {
    const sort = COLUMN_SORTS.get(column.id);
    return sort === undefined ? column : { ...column, sort };
  });
  const sign = order.isDescending ? descending : ascending;
  const head = headLine(columns, mark, { id: SORT_COLUMNS[order.sort], sign });
  const room = lines - 1;
  const first = firstShown(chosen, rows.length, rows.length + remarks.length, room);
  const shown = rows.slice(first, first + room).map((row, i) => {
    const line = withTarget(fitLine(rowLine(columns, row, mark), width, mark), { kind: 'process', key: row.key });
    return first + i === chosen && isActive ? onGround(line, 'selected') : line;
  });
  const told = remarks.slice(Math.max(0, first - rows.length)).map((remark): Line => [span(remark, 'quiet')]);
  return [fitLine(head, width, mark, 'bar'), ...[...shown, ...told].slice(0, room)];
}

/** Scrolls by as little as keeps the chosen line in sight; where everything fits nothing is scrolled. */
function firstShown(chosen: number, rows: number, body: number, room: number): number {
  if (body <= room) return 0;
  // With the last process the remarks below it come into sight.
  const wanted = chosen >= rows - 1 ? body - 1 : chosen;
  return Math.max(0, Math.min(body - room, wanted - Math.floor(room / 2)));
}

/**
 * Shares of a process, by column: those that nearly no process has are shown where one does. `sum` tells how they add up
 * for an owner: on each GPU, once for a process that is on several, or not at all.
 */
const SHARES = [
  { id: 'gpu-share', rank: 2, isRare: false, sum: 'each', read: ({ process }: ProcessEntry) => process.smRatio },
  { id: 'memory-share', rank: 8, isRare: false, sum: 'none', read: memoryShareOf },
  { id: 'encoder', rank: 11, isRare: true, sum: 'each', read: ({ process }: ProcessEntry) => process.encoderRatio },
  { id: 'decoder', rank: 12, isRare: true, sum: 'each', read: ({ process }: ProcessEntry) => process.decoderRatio },
  { id: 'cpu', rank: 5, isRare: false, sum: 'once', read: ({ process }: ProcessEntry) => process.cpuRatio },
] as const;

const BYTES = [
  { id: 'memory', rank: 4, sum: 'each', read: ({ process }: ProcessEntry) => process.memoryBytes },
  { id: 'host-memory', rank: 7, sum: 'once', read: ({ process }: ProcessEntry) => process.hostMemoryBytes },
] as const;

/** The order of the columns. */
const PLACES: readonly string[] = [
  ...['gpu', 'pid', 'owner', 'gpu-share', 'memory', 'memory-share', 'encoder', 'decoder', 'cpu', 'host-memory'],
  ...['time', 'command'],
];

function processColumns({ rows, scroll, brush }: ProcessTable): readonly Column<ProcessRow>[] {
  const { t } = brush;
  const entries = rows.flatMap((row) => (row.kind === 'process' ? [row.entry] : []));
  const widest = (read: (entry: ProcessEntry) => string, least: number): number =>
    entries.reduce((width, entry) => Math.max(width, textWidth(read(entry))), least);
  const shares = SHARES.filter(({ isRare, read }) => !isRare || entries.some((entry) => (read(entry) ?? 0) > 0));
  const indent = rows.some(({ kind }) => kind === 'owner') ? 2 : 0;
  const columns: readonly Column<ProcessRow>[] = [
    textColumn(
      'gpu',
      0,
      widest(({ gpu }) => gpuLabel(gpu), 3),
      'GPU',
      ({ gpu }) => gpuLabel(gpu),
      brush,
    ),
    textColumn('pid', 1, widest(pidText, 6), t('top.column.pid'), pidText, brush),
    {
      ...{
        id: 'owner',
        rank: 3,
        min: 8,
        good: Math.min(14, widest(ownerText, 8) + indent),
        max: Math.min(30, widest(ownerText, 8) + indent),
        align: 'left',
      },
      head: t('top.column.owner'),
      cell: (row) => ownerCell(row, brush),
    },
    ...shares.map((share) => figureColumn(share, 5, (value) => percent(value), brush)),
    ...BYTES.map((bytes) => figureColumn(bytes, 8, (value) => quantityText(value, 'bytes', brush.lang), brush)),
    textColumn('time', 9, 9, t('top.column.time'), ({ process }) => runningFor(process, brush), brush),
    {
      ...{ id: 'command', rank: 6, min: 20, good: 24, max: 400, align: 'left', head: t('top.column.command') },
      cell: (row) => commandCell(row, scroll, brush),
    },
  ];
  return [...columns].sort((a, b) => PLACES.indexOf(a.id) - PLACES.indexOf(b.id));
}

/** Columns in which no process of the table has a value, by their headings: said once, instead of by every dash. */
export function absentColumns(entries: readonly ProcessEntry[], { t }: Brush): readonly string[] {
  if (entries.length === 0) return [];
  const figures = [...SHARES.filter(({ isRare }) => !isRare), ...BYTES];
  const absent = figures.filter(({ read }) => entries.every((entry) => read(entry) === null));
  const hasTime = entries.some(({ process }) => process.startedAt !== null);
  return [...absent.map(({ id }) => t(`top.column.${id}`)), ...(hasTime ? [] : [t('top.column.time')])];
}

function figureColumn(
  { id, rank, sum, read }: (typeof SHARES | typeof BYTES)[number],
  width: number,
  words: (value: number) => string,
  brush: Brush,
): Column<ProcessRow> {
  return {
    ...{ id, rank, min: width, good: width, max: width, align: 'right', head: brush.t(`top.column.${id}`) },
    cell: (row) => {
      if (row.kind === 'owner' && sum === 'none') return [];
      const value = sumOf(row, read, sum === 'once');
      return [figure(value === null ? null : words(value), brush)];
    },
  };
}

function textColumn(
  id: string,
  rank: number,
  width: number,
  head: string,
  read: (entry: ProcessEntry) => string | null,
  brush: Brush,
): Column<ProcessRow> {
  return {
    ...{ id, rank, min: width, good: width, max: width, align: 'right', head },
    cell: (row) => (row.kind === 'owner' ? [] : [figure(read(row.entry), brush)]),
  };
}

function pidText({ process }: ProcessEntry): string {
  return String(process.pid);
}

/** The holder, and what the process works for where that is another word. */
export function ownerText({ process }: ProcessEntry): string {
  const holder = holderOf(process);
  const label = ownerLabel(process.owner);
  if (label === null || label.kind === 'unit') return harmless(holder ?? '?');
  const place = label.kind === 'job' ? `job-${label.text}` : label.text;
  if (label.text === holder) return harmless(process.user === null ? place : `${process.user}@${place}`);
  return harmless(`${holder ?? '?'}@${place}`);
}

function ownerCell(row: ProcessRow, { t, glyphs }: Brush): Line {
  if (row.kind === 'owner')
    return [span(row.group.owner === null ? t('top.nobody') : harmless(row.group.owner), 'strong')];
  if (row.isLast === null) return [span(ownerText(row.entry))];
  return [span(row.isLast ? glyphs.lastBranch : glyphs.branch, 'quiet'), span(ownerText(row.entry), 'quiet')];
}

function commandCell(row: ProcessRow, scroll: number, { t }: Brush): Line {
  if (row.kind === 'owner') {
    const gpus = new Set(row.group.entries.map(({ gpu }) => gpu.uuid)).size;
    return [span(t('top.owner-row', { n: row.group.entries.length, gpus }), 'quiet')];
  }
  const { command, name } = row.entry.process;
  return [span(scrolled(harmless(command ?? name ?? '?'), scroll))];
}

/** The value of a process, or the sum over those of an owner that have one. */
function sumOf(row: ProcessRow, read: (entry: ProcessEntry) => number | null, countsOnce: boolean): number | null {
  if (row.kind === 'process') return read(row.entry);
  const { entries } = row.group;
  const counted = countsOnce ? [...new Map(entries.map((entry) => [entry.process.pid, entry])).values()] : entries;
  const values = counted.flatMap((entry) => read(entry) ?? []);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

function memoryShareOf({ gpu, process }: ProcessEntry): number | null {
  const total = readingOf(gpu, 'memory_total_bytes');
  return process.memoryBytes === null || total === null || total <= 0 ? null : process.memoryBytes / total;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** `12:05`, `3:12:05`, from a day on `2d 03:12`. */
export function runningFor({ startedAt }: ApiProcess, { now }: Pick<Brush, 'now'>): string | null {
  if (startedAt === null) return null;
  const seconds = Math.max(0, Math.floor((now - startedAt) / 1000));
  const two = (n: number): string => String(n).padStart(2, '0');
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days}d ${two(hours)}:${two(minutes)}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
