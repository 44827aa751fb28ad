import type { Look } from '../../app/look.ts';
import type { Context } from '../context.ts';
import { statHead, statLine } from '../gpu-text.ts';

/** One aligned line per GPU, in gpulse's own layout. */
export function ownLines({ snapshot }: Look, context: Context): string[] {
  const width = Math.max(0, ...snapshot.devices.map(({ device }) => statHead(device).length));
  return snapshot.devices.map((view) => statLine(view, width, context));
}
