import type uPlot from 'uplot';
import type { ApiEvent } from '../../../src/model/api.ts';
import type { Millis } from '../../../src/model/reading.ts';
import { clusterEvents } from './event-clusters.ts';
import type { Palette } from './palette.ts';

/** Marks are at least so many CSS pixels apart: room for a count. */
const MARK_WIDTH = 24;
/** Height of a mark above the upper edge of a chart, where no curve runs. */
const MARK_HEIGHT = 4;
/** Room above the first chart, in which the counts are written. */
export const MARK_HEADROOM = 16;
const MOST_COUNTED = 99;

/**
 * Draws a small mark above the upper edge for the events of a moment, in the colour of the worst of them; with `counts`
 * how many there are, where it is more than one.
 */
export function drawEventMarks(u: uPlot, events: readonly ApiEvent[], palette: Palette, counts: boolean): void {
  const { ctx, bbox } = u;
  const { min, max } = u.scales['x'] ?? {};
  if (min == null || max == null || max <= min) return;
  const ratio = devicePixelRatio;
  const perMs = bbox.width / (max - min);
  ctx.save();
  ctx.font = `${9 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'bottom';
  for (const { from, to, count, severity } of clusterEvents(events, min, max, (MARK_WIDTH * ratio) / perMs)) {
    const left = Math.round(bbox.left + (from - min) * perMs);
    const width = Math.max(2 * ratio, Math.round((to - from) * perMs));
    ctx.fillStyle = palette[severity];
    ctx.fillRect(left - ratio, bbox.top - MARK_HEIGHT * ratio, width, MARK_HEIGHT * ratio);
    if (!counts || count === 1) continue;
    const text = count > MOST_COUNTED ? `${MOST_COUNTED}+` : String(count);
    ctx.fillText(text, left - ratio + width / 2, bbox.top - (MARK_HEIGHT + 1) * ratio);
  }
  ctx.restore();
}

/** Draws where the listed events begin, if not all of the range are listed. */
export function drawEventBoundary(u: uPlot, since: Millis | null, palette: Palette): void {
  const { ctx, bbox } = u;
  if (since === null) return;
  const x = Math.round(u.valToPos(since, 'x', true));
  if (x <= bbox.left || x > bbox.left + bbox.width) return;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = palette.quiet;
  ctx.lineWidth = ratio;
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.moveTo(bbox.left, bbox.top + 0.5 * ratio);
  ctx.lineTo(x, bbox.top + 0.5 * ratio);
  ctx.stroke();
  ctx.restore();
}

/** Events within this time of the pointer are meant by it. */
export function pointedReach({ from, to }: { from: Millis; to: Millis }, width: number, bucketMs: number): number {
  return Math.max(bucketMs, ((MARK_WIDTH / 2) * (to - from)) / Math.max(1, width));
}
