import { MOST_EVENTS } from '../../../src/client/api.ts';
import type { ApiEvent } from '../../../src/model/api.ts';
import type { Millis } from '../../../src/model/reading.ts';

/**
 * Two lists of events as one, oldest first, each event once: the stream may repeat what a request already brought, or
 * bring the newer state of an event that goes on. Of too many the newest are kept. Only what is as new as the added ones
 * is compared, so that a long list costs little.
 */
export function mergeEvents(held: readonly ApiEvent[], more: readonly ApiEvent[]): readonly ApiEvent[] {
  if (more.length === 0) return held;
  const kept = withoutOldStates(held, more);
  const from = more.reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY);
  const older = kept.findLastIndex(({ at }) => at < from) + 1;
  const byKey = new Map(kept.slice(older).map((event) => [eventKey(event), event]));
  for (const event of more) byKey.set(eventKey(event), event);
  return [...kept.slice(0, older), ...[...byKey.values()].sort((a, b) => a.at - b.at)].slice(-MOST_EVENTS);
}

/** The times of two states of an event may differ a little, so they are found by the key alone. */
function withoutOldStates(held: readonly ApiEvent[], more: readonly ApiEvent[]): readonly ApiEvent[] {
  const keys = new Set(more.flatMap(({ key }) => key ?? []));
  return keys.size === 0 ? held : held.filter(({ key }) => key === undefined || !keys.has(key));
}

/** Tells two events apart, whatever language their text is in; states of one event that goes on are the same. */
export function eventKey({ key, at, kind, uuid, params }: ApiEvent): string {
  return key ?? JSON.stringify([at, kind, uuid, params]);
}

/** The events after a moment; the same list where all of them are. */
export function eventsSince(events: readonly ApiEvent[], after: Millis): readonly ApiEvent[] {
  const first = events.findIndex(({ at }) => at > after);
  if (first === 0) return events;
  return first < 0 ? [] : events.slice(first);
}

/** The newest critical event of each GPU, by UUID, that happened after a moment. */
export function criticalEvents(events: readonly ApiEvent[], after: Millis): ReadonlyMap<string, ApiEvent> {
  const newest = new Map<string, ApiEvent>();
  for (const event of events) {
    const { at, severity, uuid } = event;
    if (severity === 'critical' && uuid !== null && at > after) newest.set(uuid, event);
  }
  return newest;
}
