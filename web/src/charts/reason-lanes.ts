import type uPlot from 'uplot';
import { CLOCK_EVENT_REASONS, type ClockEventReason } from '../../../src/model/clock-events.ts';
import type { ChartWindow } from './chart-window.ts';
import { type Palette, withAlpha } from './palette.ts';

const LANE_HEIGHT = 5;
const LANE_STEP = 7;

/** The colour of a reason. Trouble has the colours of states, the rest series colours or grey. */
export function reasonColour(reason: ClockEventReason, palette: Palette): string {
  switch (reason.id) {
    case 'hw-slowdown':
    case 'hw-thermal':
      return palette.critical;
    case 'sw-thermal':
    case 'power-brake':
      return palette.warning;
    case 'power-cap':
      return palette.series[5] ?? palette.quiet;
    case 'sync-boost':
      return palette.series[3] ?? palette.quiet;
    case 'gpu-idle':
      return withAlpha(palette.info, 0.5);
    default:
      return palette.info;
  }
}

/** The reasons that occur in the window, lowest bit first. */
export function reasonsInWindow(window: ChartWindow): readonly ClockEventReason[] {
  const mask = window.column('clock_event_reasons')?.max.reduce<number>((bits, each) => bits | (each ?? 0), 0) ?? 0;
  return CLOCK_EVENT_REASONS.filter((reason) => (mask & reason.bit) !== 0);
}

/** Draws a lane per reason at the foot of the chart, and tints the chart while one of them is trouble. */
export function drawReasonLanes(u: uPlot, window: ChartWindow, palette: Palette): void {
  const column = window.column('clock_event_reasons');
  if (column === undefined) return;
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  for (const [lane, reason] of reasonsInWindow(window).entries()) {
    const colour = reasonColour(reason, palette);
    const top = bbox.top + bbox.height - (lane * LANE_STEP + LANE_HEIGHT + 2) * ratio;
    for (const [from, to] of runsOf(window, column.max, reason.bit)) {
      const left = Math.max(bbox.left, u.valToPos(from, 'x', true));
      const right = Math.min(bbox.left + bbox.width, u.valToPos(to, 'x', true));
      if (right <= left) continue;
      // The least width keeps a single bucket of a long range in sight.
      const width = Math.max(right - left, ratio);
      if (reason.trouble) {
        ctx.fillStyle = withAlpha(colour, 0.1);
        ctx.fillRect(left, bbox.top, width, bbox.height);
      }
      ctx.fillStyle = colour;
      ctx.fillRect(left, top, width, LANE_HEIGHT * ratio);
    }
  }
  ctx.restore();
}

/** Stretches of time in which a bit is set. Sparse data are joined like lines are. */
function* runsOf(window: ChartWindow, masks: readonly (number | null)[], bit: number): Generator<[number, number]> {
  const { at, bucketMs, intervalMs } = window;
  let from: number | null = null;
  let to = 0;
  for (const [i, mask] of masks.entries()) {
    const start = at[i]!;
    if (mask === null) {
      if (from !== null && start - to > 3 * intervalMs) {
        yield [from, to];
        from = null;
      }
      continue;
    }
    const isSet = (mask & bit) !== 0;
    if (from !== null) to = isSet ? start + bucketMs : start;
    else if (isSet) [from, to] = [start, start + bucketMs];
    if (!isSet && from !== null) {
      yield [from, to];
      from = null;
    }
  }
  if (from !== null) yield [from, to];
}
