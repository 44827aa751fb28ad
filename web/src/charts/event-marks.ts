import type uPlot from 'uplot';
import type { ApiEvent } from '../../../src/model/api.ts';
import { type Palette, withAlpha } from './palette.ts';

/** More events than this that are mere information would hide the curves, so none of them is drawn. */
const MOST_INFO_MARKS = 40;

/** Draws a line at the time of each event, over the whole height; trouble in its colour, the rest faintly. */
export function drawEventMarks(u: uPlot, events: readonly ApiEvent[], palette: Palette, heads: boolean): void {
  const { ctx, bbox } = u;
  const isCrowded = events.filter(({ severity }) => severity === 'info').length > MOST_INFO_MARKS;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.lineWidth = ratio;
  for (const { at, severity } of events) {
    const x = Math.round(u.valToPos(at, 'x', true));
    if (isCrowded && severity === 'info') continue;
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    const colour = palette[severity];
    ctx.strokeStyle = severity === 'info' ? withAlpha(colour, 0.35) : withAlpha(colour, 0.8);
    ctx.setLineDash(severity === 'info' ? [2 * ratio, 3 * ratio] : []);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (!heads) continue;
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.moveTo(x - 4 * ratio, bbox.top - 6 * ratio);
    ctx.lineTo(x + 4 * ratio, bbox.top - 6 * ratio);
    ctx.lineTo(x, bbox.top);
    ctx.fill();
  }
  ctx.restore();
}

/** The events a reader points at: those within `reach` of a time. */
export function eventsNear(events: readonly ApiEvent[], at: number, reach: number): readonly ApiEvent[] {
  return events.filter((event) => Math.abs(event.at - at) <= reach);
}
