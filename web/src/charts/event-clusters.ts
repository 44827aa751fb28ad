import type { ApiEvent } from '../../../src/model/api.ts';
import type { Severity } from '../../../src/model/event.ts';
import type { Millis } from '../../../src/model/reading.ts';

/** Events that lie so close together on the screen that they are one mark. */
export interface EventCluster {
  /** Time of the first and of the last of them. */
  readonly from: Millis;
  readonly to: Millis;
  readonly count: number;
  /** The worst among them. */
  readonly severity: Severity;
}

const RANK: Readonly<Record<Severity, number>> = { critical: 2, warning: 1, info: 0 };

/**
 * Joins events whose marks would begin within `widthMs` of the first of them. `events` are oldest first; what lies
 * outside of `[from, to]` is left out. No two marks are closer than `widthMs`, so none covers another.
 */
export function clusterEvents(
  events: readonly ApiEvent[],
  from: Millis,
  to: Millis,
  widthMs: number,
): readonly EventCluster[] {
  const clusters: EventCluster[] = [];
  let last: { from: Millis; to: Millis; count: number; severity: Severity } | null = null;
  for (const { at, severity } of events) {
    if (at < from || at > to) continue;
    if (last === null || at - last.from >= widthMs) {
      last = { from: at, to: at, count: 0, severity };
      clusters.push(last);
    }
    last.to = at;
    last.count++;
    if (RANK[severity] > RANK[last.severity]) last.severity = severity;
  }
  return clusters;
}

/** The events a reader points at: those within `reach` of a time, the worst first, then the newest. */
export function eventsNear(events: readonly ApiEvent[], at: Millis, reach: number): readonly ApiEvent[] {
  return events
    .filter((event) => Math.abs(event.at - at) <= reach)
    .sort((a, b) => RANK[b.severity] - RANK[a.severity] || b.at - a.at);
}
