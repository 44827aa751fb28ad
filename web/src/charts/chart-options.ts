import type uPlot from 'uplot';
import { quantityText } from '../../../src/model/format.ts';
import type { Lang } from '../../../src/model/i18n/text.ts';
import type { Unit } from '../../../src/model/metrics/entry.ts';
import type { Drawable } from './bridge-gaps.ts';
import type { ChartSpec } from './chart-spec.ts';
import { type LineColours, type Palette, withAlpha } from './palette.ts';
import { timeLabels } from './time-axis.ts';

/** All charts of a stack share a cursor by this name. */
const SYNC_KEY = 'gpu';
const AXIS_FONT = '11px system-ui, sans-serif';
const VALUE_AXIS_WIDTH = 64;
const TIME_AXIS_HEIGHT = 34;

/** What a chart looks like, apart from its data. */
export interface ChartLook {
  readonly spec: ChartSpec;
  readonly palette: Palette;
  readonly colours: LineColours;
  readonly lang: Lang;
  /** Room above the chart in CSS pixels. */
  readonly headroom: number;
  /** Whether the times are written below. */
  readonly timeAxis: boolean;
}

/** Callbacks of a chart. */
interface ChartHooks {
  readonly range: (u: uPlot) => [min: number, max: number];
  readonly drawBelow: (u: uPlot) => void;
  readonly drawAbove: (u: uPlot) => void;
  /** The pointer moved, here or in a chart of the same stack. */
  readonly onCursor: (u: uPlot) => void;
  readonly onZoom: (from: number, to: number) => void;
  readonly onUnzoom: () => void;
}

export function chartOptions(look: ChartLook, hooks: ChartHooks, width: number, height: number): uPlot.Options {
  const { spec, palette, lang } = look;
  const grid = { stroke: palette.grid, width: 1 };
  const axis = { stroke: palette.quiet, font: AXIS_FONT, grid, ticks: { show: false } };
  return {
    width,
    height,
    ms: 1,
    padding: [look.headroom, 8, look.timeAxis ? null : 6, 0],
    legend: { show: false },
    cursor: cursorOptions(hooks),
    scales: { x: { time: true }, y: { range: hooks.range } },
    axes: [
      {
        ...axis,
        space: 70,
        size: look.timeAxis ? TIME_AXIS_HEIGHT : 0,
        values: (_, ticks, _axis, _space, step) => (look.timeAxis ? timeLabels(ticks, step) : []),
      },
      {
        ...axis,
        space: 26,
        size: VALUE_AXIS_WIDTH,
        incrs: increments(spec.unit),
        values: (_, ticks) => ticks.map((value) => valueLabel(value, spec.unit, lang)),
      },
    ],
    series: [{}, ...chartSeries(look)],
    bands: chartBands(look),
    hooks: {
      drawAxes: [hooks.drawBelow],
      draw: [hooks.drawAbove],
      setCursor: [hooks.onCursor],
      setSelect: [
        (u) => {
          const { left, width: selected } = u.select;
          if (selected > 0) hooks.onZoom(u.posToVal(left, 'x'), u.posToVal(left + selected, 'x'));
        },
      ],
    },
  };
}

function cursorOptions({ onUnzoom }: ChartHooks): uPlot.Cursor {
  return {
    y: false,
    points: { size: 6 },
    drag: { x: true, y: false, setScale: false, dist: 4 },
    sync: { key: SYNC_KEY, setSeries: false },
    bind: {
      dblclick: () => () => {
        onUnzoom();
        return null;
      },
    },
  };
}

/** Per line smallest and largest without a stroke, which carry the band, and the mean; a limit is one dashed line. */
function chartSeries({ spec, palette, colours }: ChartLook): uPlot.Series[] {
  return spec.lines.flatMap(({ style }, line): uPlot.Series[] => {
    if (style === 'limit') return [{ stroke: palette.quiet, width: 1, dash: [4, 4], points: { show: false } }];
    const stroke = colours[style];
    const mean: uPlot.Series = { stroke, width: 1.5, points: { show: true, size: 4, filter: lonePoints } };
    if (spec.filled && line === 0) mean.fill = withAlpha(stroke, 0.1);
    const edge: uPlot.Series = { width: 0, points: { show: false } };
    return [edge, { ...edge }, mean];
  });
}

function chartBands({ spec, colours }: ChartLook): uPlot.Band[] {
  const bands: uPlot.Band[] = [];
  let series = 1;
  for (const { style } of spec.lines) {
    if (style === 'limit') {
      series += 1;
      continue;
    }
    // Bands of several lines lie above each other.
    const fill = withAlpha(colours[style], spec.lines.length > 2 ? 0.12 : 0.22);
    bands.push({ series: [series + 1, series], fill });
    series += 3;
  }
  return bands;
}

/** A value with a gap on both sides has no line to show it, so it is drawn as a point. */
function lonePoints(u: uPlot, series: number): number[] {
  const values = u.data[series] as Drawable[];
  const endsAt = (i: number) => i < 0 || i >= values.length || values[i] === null;
  return values.flatMap((value, i) => (value != null && endsAt(i - 1) && endsAt(i + 1) ? [i] : []));
}

/** A round number without the zeros that keep changing figures in place: `64 GiB`. */
function valueLabel(value: number, unit: Unit, lang: Lang): string {
  return value === 0 ? '0' : quantityText(value, unit, lang).replace(/\.0+(?=\s|$)/, '');
}

const DECIMAL = [1, 2, 2.5, 5];

/** Distances of the labels of a value axis that give round numbers in the unit people read. */
function increments(unit: Unit): number[] {
  if (unit === 'bytes' || unit === 'bytes-per-second') return Array.from({ length: 60 }, (_, power) => 2 ** power);
  if (unit === 'ratio') return [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1];
  const scale = unit === 'hertz' ? 1e6 : 1;
  return [0, 1, 2, 3, 4, 5].flatMap((power) => DECIMAL.map((step) => step * 10 ** power * scale));
}
