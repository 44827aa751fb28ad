import { readingOf, temperatureMargin, utilisationOf } from '../../client/gpu-reading.ts';
import type { ApiGpu } from '../../model/api.ts';
import { duration } from '../../model/format.ts';
import type { FleetRow } from '../data/fleet.ts';
import { memoryShare, type TopHistory } from '../data/history.ts';
import { meter } from '../draw/meter.ts';
import { type Line, span } from '../text/span.ts';
import { textWidth } from '../text/width.ts';
import { type Brush, conditionWord, figure } from './brush.ts';
import type { Column } from './columns.ts';
import { CONDITION_TONES } from './glyphs.ts';
import {
  gpuLabel,
  memoryText,
  powerText,
  shortReading,
  slowingSpans,
  trafficText,
  userSpans,
  whySpans,
} from './gpu-words.ts';

export interface GpuColumns {
  /** The GPUs that the table lists: columns are as wide as what is in them. */
  readonly rows: readonly FleetRow[];
  readonly history: TopHistory;
  readonly spanMs: number;
  readonly brush: Brush;
}

/** From this distance to the limit of the device on a temperature is shown as a warning. */
const CLOSE_DEGREES = 3;
/** Places of a bar that stands for utilisation. */
const METER_PLACES = 8;
/** From so many places on there is room for that bar. */
const WIDE = 120;
/** From so many on what slows a GPU has a column of its own. */
const WIDEST = 140;

/** The columns of the table of GPUs, in their order. */
export function gpuColumns(table: GpuColumns, width: number): readonly Column<FleetRow>[] {
  return [...identityColumns(table), ...loadColumns(table, width), ...rateColumns(table), ...noteColumns(table, width)];
}

function identityColumns({ rows, brush }: GpuColumns): readonly Column<FleetRow>[] {
  const label = Math.max(...rows.map(({ gpu }) => gpuLabel(gpu).length));
  const word = Math.max(8, ...rows.map(({ condition }) => textWidth(conditionWord(condition, brush))));
  return [
    {
      ...sized('gpu', 0, label, 'right', 'GPU'),
      ...{ good: Math.max(3, label), max: Math.max(3, label) },
      cell: ({ gpu }) => [span(gpuLabel(gpu), 'strong')],
    },
    {
      ...sized('glyph', 1, 1, 'left', ''),
      cell: ({ condition }) => [span(brush.glyphs.condition[condition], CONDITION_TONES[condition])],
    },
    {
      ...sized('state', 5, word, 'left', brush.t('top.column.state')),
      cell: ({ condition }) => [span(conditionWord(condition, brush), CONDITION_TONES[condition])],
    },
  ];
}

function loadColumns({ history, spanMs, brush }: GpuColumns, width: number): readonly Column<FleetRow>[] {
  const { t, lang, glyphs, now } = brush;
  const shown = duration(spanMs, lang);
  return [
    {
      ...sized('utilisation', 2, 4, 'right', t('top.column.utilisation')),
      max: width >= WIDE ? METER_PLACES : 4,
      cell: (row, places) => {
        const share = utilisationOf(row.gpu);
        const tone = isOld(row) ? 'quiet' : 'strong';
        if (share === null || places < METER_PLACES) {
          return [figure(share === null ? null : `${Math.round(share * 100)}%`, brush, tone)];
        }
        return meter(`${Math.round(share * 100)}%`, share, places, tone);
      },
    },
    {
      ...sized('chart', 8, 11, 'left', t('top.column.chart', { span: shown })),
      max: 24,
      cell: ({ gpu }, width) => {
        const columns = history.columns(gpu.uuid, 'utilisation', now, spanMs, width * 2);
        return [span(glyphs.chart(columns, 1)[0] ?? '', 'chart')];
      },
    },
    {
      ...sized('memory', 3, 5, 'right', t('top.column.memory')),
      ...{ good: 14, max: 14 },
      cell: (row, width) => {
        const text = memoryText(row.gpu, width, brush);
        if (text === null) return value(row, null, brush);
        return meter(text, memoryShare(row.gpu), width, isOld(row) ? 'quiet' : 'text');
      },
    },
    {
      ...sized('temperature', 4, 5, 'right', t('top.column.temperature')),
      cell: (row) => {
        const degrees = readingOf(row.gpu, 'temperature_celsius');
        const isClose = (temperatureMargin(row.gpu) ?? CLOSE_DEGREES + 1) <= CLOSE_DEGREES;
        const text = degrees === null ? null : `${degrees.toFixed(0)}${glyphs.degrees}`;
        return isClose && !isOld(row) ? [figure(text, brush, 'warning')] : value(row, text, brush);
      },
    },
    {
      ...sized('power', 6, 5, 'right', t('top.column.power')),
      ...{ good: 9, max: 9 },
      cell: (row, width) => value(row, powerText(row.gpu, width), brush),
    },
  ];
}

/** Columns that only some devices have; they are left out where none of the listed ones does. */
function rateColumns({ rows, brush }: GpuColumns): readonly Column<FleetRow>[] {
  const { t } = brush;
  const all: readonly (readonly [Column<FleetRow>, (gpu: ApiGpu) => string | null])[] = (
    [
      ['clock', 10, 8, (gpu: ApiGpu) => shortReading(gpu, 'sm_clock_hertz', brush)],
      ['pcie', 11, 13, (gpu: ApiGpu) => trafficText(gpu, 'pcie', brush)],
      ['nvlink', 12, 13, (gpu: ApiGpu) => trafficText(gpu, 'nvlink', brush)],
      ['fan', 13, 4, (gpu: ApiGpu) => shortReading(gpu, 'fan_speed_ratio', brush)],
    ] as const
  ).map(([id, rank, width, read]) => [
    {
      ...sized(id, rank, width, 'right', t(`top.column.${id}`)),
      cell: (row: FleetRow): Line => value(row, read(row.gpu), brush),
    },
    read,
  ]);
  return all.filter(([, read]) => rows.some(({ gpu }) => read(gpu) !== null)).map(([column]) => column);
}

function noteColumns({ rows, brush }: GpuColumns, width: number): readonly Column<FleetRow>[] {
  const { t } = brush;
  const hasOwn = width >= WIDEST && rows.some(({ gpu }) => slowingSpans(gpu, brush).length > 0);
  const note: Column<FleetRow> = {
    ...sized('note', 7, 12, 'left', t('top.column.used-by')),
    ...{ good: 12, max: 60 },
    cell: (row) => noteSpans(row, brush, !hasOwn),
  };
  if (!hasOwn) return [note];
  const slowed: Column<FleetRow> = {
    ...sized('slowed', 9, 12, 'left', t('top.column.slowed-by')),
    max: 24,
    cell: ({ gpu }) => slowingSpans(gpu, brush),
  };
  return [slowed, note];
}

/** What explains the state, who uses it, and what slows it: trouble before the users, a power cap after them. */
function noteSpans(row: FleetRow, brush: Brush, namesReasons: boolean): Line {
  const slowed = namesReasons ? slowingSpans(row.gpu, brush) : [];
  const isTrouble = slowed.some(({ tone }) => tone === 'warning');
  const users = userSpans(row.gpu, brush);
  const parts = [whySpans(row, brush), ...(isTrouble ? [slowed, users] : [users, slowed])];
  return parts.filter((part) => part.length > 0).flatMap((part, i) => (i === 0 ? part : [span('  '), ...part]));
}

function sized(id: string, rank: number, width: number, align: 'left' | 'right', head: string) {
  return { id, rank, min: width, good: width, max: width, align, head };
}

/** Values of a GPU that has stopped answering are the last known ones. */
function isOld({ gpu }: FleetRow): boolean {
  return gpu.state !== 'ok';
}

function value(row: FleetRow, text: string | null, brush: Brush): Line {
  return [figure(text, brush, isOld(row) ? 'quiet' : 'text')];
}
