import type { EventKind, GpuEvent } from '../../model/event.ts';
import { eventText } from '../../model/i18n/event-text.ts';
import type { Context } from '../context.ts';
import type { Calendar } from './calendar.ts';
import type { SmiRequest } from './request.ts';

/** What nvidia-smi prints between two rounds of a loop, as its manual has it under `-l`. */
const TOLD: ReadonlySet<EventKind> = new Set(['xid', 'sxid', 'ecc-corrected', 'ecc-uncorrected']);

/**
 * Tells of Xids and ECC errors while a loop waits for its next round, on standard error, where they break no table and no
 * CSV. Nothing beside XML, as in nvidia-smi. `isChosen` tells whether a device was asked for.
 */
export function errorTeller(
  { what, intervalMs }: SmiRequest,
  calendar: Calendar,
  isChosen: (uuid: string) => boolean,
  { warn, lang }: Pick<Context, 'warn' | 'lang'>,
): (event: GpuEvent) => void {
  if (intervalMs === null || what.kind === 'xml') return () => {};
  const told = new Set<string>();
  return (event) => {
    const { kind, at, uuid, key } = event;
    if (!TOLD.has(kind) || (uuid !== null && !isChosen(uuid))) return;
    // One that is repeated comes again and again with its count.
    if (key !== undefined && told.has(key)) return;
    if (key !== undefined) told.add(key);
    warn(`${calendar.query(at)}, ${eventText(event, lang)}`);
  };
}
