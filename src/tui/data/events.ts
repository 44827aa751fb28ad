import type { ApiEvent } from '../../model/api.ts';
import type { Millis } from '../../model/reading.ts';

/** Events older than this say nothing of the state of a GPU now. */
export const EVENTS_MS = 60 * 60_000;
/** So many are held for the list. */
const MOST_EVENTS = 1000;

/** Held events with more of them, oldest first, each once; a later state of one that goes on takes its place. */
export function withEvents(held: readonly ApiEvent[], more: readonly ApiEvent[]): readonly ApiEvent[] {
  if (more.length === 0) return held;
  const byKey = new Map<string, ApiEvent>();
  for (const event of [...held, ...more]) {
    const key = event.key ?? JSON.stringify([event.at, event.kind, event.uuid, event.params]);
    byKey.set(key, event);
  }
  return [...byKey.values()].sort((a, b) => a.at - b.at).slice(-MOST_EVENTS);
}

/** The newest critical event of each GPU, by UUID, that happened after a moment. */
export function criticalEvents(events: readonly ApiEvent[], after: Millis): ReadonlyMap<string, ApiEvent> {
  const newest = new Map<string, ApiEvent>();
  for (const event of events) {
    if (event.severity === 'critical' && event.uuid !== null && event.at > after) newest.set(event.uuid, event);
  }
  return newest;
}
