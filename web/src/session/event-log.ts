import { MOST_EVENTS } from '../../../src/client/api.ts';
import type { ApiEvent } from '../../../src/model/api.ts';
import type { Millis } from '../../../src/model/reading.ts';

/**
 * Two lists of events as one, oldest first, each event once: the stream may repeat what a request already brought. Of
 * too many the newest are kept. Only what is as new as the added ones is compared, so that a long list costs little.
 */
export function mergeEvents(held: readonly ApiEvent[], more: readonly ApiEvent[]): readonly ApiEvent[] {
  if (more.length === 0) return held;
  const from = more.reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY);
  const older = held.findLastIndex(({ at }) => at < from) + 1;
  const byKey = new Map(held.slice(older).map((event) => [eventKey(event), event]));
  for (const event of more) byKey.set(eventKey(event), event);
  return [...held.slice(0, older), ...[...byKey.values()].sort((a, b) => a.at - b.at)].slice(-MOST_EVENTS);
}

/** Tells two events apart, whatever language their text is in. */
export function eventKey({ at, kind, uuid, params }: ApiEvent): string {
  return JSON.stringify([at, kind, uuid, params]);
}

/** The events after a moment; the same list where all of them are. */
export function eventsSince(events: readonly ApiEvent[], after: Millis): readonly ApiEvent[] {
  const first = events.findIndex(({ at }) => at > after);
  if (first === 0) return events;
  return first < 0 ? [] : events.slice(first);
}

/** UUIDs of the GPUs to which something critical happened after a moment. */
export function troubledGpus(events: readonly ApiEvent[], after: Millis): ReadonlySet<string> {
  const troubled = new Set<string>();
  for (const { at, severity, uuid } of events) {
    if (severity === 'critical' && uuid !== null && at > after) troubled.add(uuid);
  }
  return troubled;
}
