import type { ApiEvent } from '../../../src/model/api.ts';

/** Most events kept in the page. */
const MOST_EVENTS = 1000;

/** Two lists of events as one, oldest first, each event once: the stream may repeat what a request already brought. */
export function mergeEvents(held: readonly ApiEvent[], more: readonly ApiEvent[]): readonly ApiEvent[] {
  if (more.length === 0) return held;
  const byKey = new Map(held.map((event) => [eventKey(event), event]));
  for (const event of more) byKey.set(eventKey(event), event);
  return [...byKey.values()].sort((a, b) => a.at - b.at).slice(-MOST_EVENTS);
}

/** Tells two events apart, whatever language their text is in. */
export function eventKey({ at, kind, uuid, params }: ApiEvent): string {
  return JSON.stringify([at, kind, uuid, params]);
}
