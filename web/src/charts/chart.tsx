import { memo, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { readingOf } from '../../../src/client/gpu-reading.ts';
import type { ApiEvent, ApiGpu } from '../../../src/model/api.ts';
import { useLang, useText } from '../state/app-context.ts';
import type { Span } from '../state/place.ts';
import { chartData, extremes } from './chart-data.ts';
import { type ChartLook, chartOptions } from './chart-options.ts';
import { ChartReadout, type ReadoutHandle } from './chart-readout.tsx';
import { type ChartSpec, valueRange } from './chart-spec.ts';
import { ChartTable } from './chart-table.tsx';
import type { ChartWindow } from './chart-window.ts';
import { eventsNear } from './event-clusters.ts';
import { drawEventBoundary, drawEventMarks, MARK_HEADROOM, pointedReach } from './event-marks.ts';
import type { Palette } from './palette.ts';
import { drawReasonLanes } from './reason-lanes.ts';

const HEIGHT = 116;
const HEADROOM = 8;
const TIME_AXIS_EXTRA = 30;

/** What the charts of a stack have in common. */
export interface StackState {
  readonly gpu: ApiGpu;
  readonly window: ChartWindow;
  /** Changes whenever there is something new to draw. */
  readonly version: number;
  readonly span: Span;
  readonly events: readonly ApiEvent[];
  /** Time of the first listed event where earlier ones of the range are not listed. */
  readonly eventsSince: number | null;
  readonly width: number;
  readonly onZoom: (span: Span) => void;
  readonly onUnzoom: () => void;
  /** Start of the bucket pointed at. */
  readonly onCursor: (at: number | null) => void;
}

interface ChartProps {
  readonly look: Omit<ChartLook, 'lang' | 'spec' | 'headroom'>;
  readonly spec: ChartSpec;
  readonly state: StackState;
  readonly first: boolean;
  readonly asTable: boolean;
  readonly onToggleTable: (id: string) => void;
}

/** One chart of the stack with its title, values and table view. */
export const Chart = memo(function Chart({ look, spec, state, first, asTable, onToggleTable }: ChartProps) {
  const t = useText();
  const readout = useRef<ReadoutHandle>(null);
  useEffect(() => {
    if (asTable) readout.current?.show(state.window, null);
  }, [asTable, state]);
  return (
    <section className="chart" aria-label={t(spec.title)}>
      <div className="chart-head">
        <h3>{t(spec.title)}</h3>
        <ChartReadout
          spec={spec}
          gpu={state.gpu}
          window={state.window}
          palette={look.palette}
          colours={look.colours}
          handle={readout}
        />
        <button type="button" className="plain" aria-pressed={asTable} onClick={() => onToggleTable(spec.id)}>
          {asTable ? t('web.chart.as-chart') : t('web.chart.as-table')}
        </button>
      </div>
      {asTable ? (
        <ChartTable spec={spec} window={state.window} version={state.version} />
      ) : (
        <Plot look={look} spec={spec} state={state} first={first} readout={readout} />
      )}
    </section>
  );
});

interface PlotProps extends Pick<ChartProps, 'look' | 'spec' | 'state' | 'first'> {
  readonly readout: React.RefObject<ReadoutHandle | null>;
}

function Plot({ look, spec, state, first, readout }: PlotProps) {
  const lang = useLang();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(state);
  latest.current = state;

  useEffect(() => {
    if (place.current === null) return undefined;
    const headroom = first ? MARK_HEADROOM : HEADROOM;
    const height = HEIGHT + headroom - HEADROOM + (look.timeAxis ? TIME_AXIS_EXTRA : 0);
    const hooks = {
      range: () => valueRange(spec, latest.current.gpu, ...extremes(spec, latest.current.window)),
      drawBelow: (u: uPlot) => {
        if (spec.reasons) drawReasonLanes(u, latest.current.window, look.palette);
      },
      drawAbove: (u: uPlot) => {
        drawThresholds(u, spec, latest.current.gpu, look.palette);
        drawEventBoundary(u, latest.current.eventsSince, look.palette);
        drawEventMarks(u, latest.current.events, look.palette, first);
      },
      onCursor: (u: uPlot) => point(u, latest.current, readout.current, first),
      onZoom: (from: number, to: number) => latest.current.onZoom({ from: Math.round(from), to: Math.round(to) }),
      onUnzoom: () => latest.current.onUnzoom(),
    };
    const options = chartOptions({ ...look, spec, lang, headroom }, hooks, latest.current.width, height);
    const made = new uPlot(options, [[]], place.current);
    plot.current = made;
    draw(made, spec, latest.current);
    return () => {
      plot.current = null;
      made.destroy();
      if (first) latest.current.onCursor(null);
    };
  }, [look, spec, lang, first, readout]);

  useEffect(() => {
    if (plot.current !== null && plot.current.width !== state.width) {
      plot.current.setSize({ width: state.width, height: plot.current.height });
    }
  }, [state.width]);

  useEffect(() => {
    if (plot.current !== null) draw(plot.current, spec, state);
    // The bucket below a resting pointer is another one once the data or the range have moved.
    if (plot.current !== null) point(plot.current, state, readout.current, first);
  }, [spec, state, first, readout]);

  return <div ref={place} className="plot" aria-hidden="true" />;
}

/** Shows what lies at the cursor of a chart: values, time and events. Without a cursor the newest values. */
function point(plot: uPlot, state: StackState, readout: ReadoutHandle | null, first: boolean): void {
  const { window, span, events, width, onCursor } = state;
  const left = plot.cursor.left ?? -1;
  const index = left < 0 || window.at.length === 0 ? null : plot.posToIdx(left);
  readout?.show(window, index);
  if (first) onCursor(index === null ? null : (window.at[index] ?? null));
  const at = left < 0 ? null : plot.posToVal(left, 'x');
  const near = at === null ? undefined : eventsNear(events, at, pointedReach(span, width, 0))[0];
  showEventLine(plot, near);
}

/** A line over the whole height at the event pointed at; while none is pointed at, events do not cross the curves. */
function showEventLine(plot: uPlot, event: ApiEvent | undefined): void {
  let line = plot.over.querySelector<HTMLElement>('.event-line');
  if (line === null) {
    line = document.createElement('div');
    plot.over.append(line);
  }
  line.className = event === undefined ? 'event-line' : `event-line event-line-${event.severity}`;
  line.hidden = event === undefined;
  if (event !== undefined) line.style.transform = `translateX(${plot.valToPos(event.at, 'x')}px)`;
}

/** Puts the newest data in and shows the time range. The data are many ticks, the drawing is one frame. */
function draw(plot: uPlot, spec: ChartSpec, { window, span }: StackState): void {
  plot.batch(() => {
    plot.setData(chartData(spec, window), false);
    plot.setScale('x', { min: span.from, max: span.to });
    if (plot.select.width > 0) plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  });
}

/** Values that do not change, as dashed lines. The legend names them. */
function drawThresholds(u: uPlot, spec: ChartSpec, gpu: ApiGpu, palette: Palette): void {
  const { ctx, bbox } = u;
  for (const { metric } of spec.thresholds) {
    const value = readingOf(gpu, metric);
    if (value === null) continue;
    const y = Math.round(u.valToPos(value, 'y', true));
    ctx.save();
    ctx.strokeStyle = palette.warning;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }
}
