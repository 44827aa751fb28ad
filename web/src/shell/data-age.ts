import type { ApiHealth } from '../../../src/model/api.ts';
import type { Session } from '../session/session.ts';

/** Data older than so many sampling intervals are stale, but never before {@link LEAST_MS}. */
const STALE_INTERVALS = 3;
const LEAST_MS = 5000;

export interface DataAge {
  readonly ms: number;
  readonly stale: boolean;
}

/** How old the newest data are; null before the first. What has been played to its end does not age. */
export function dataAge(session: Session, health: ApiHealth | null): DataAge | null {
  const ms = session.dataAge();
  if (ms === null) return null;
  if (health?.source.state === 'ended') return { ms, stale: false };
  const interval = health?.source.intervalMs ?? 1000;
  return { ms, stale: ms > Math.max(LEAST_MS, interval * STALE_INTERVALS + 1000) };
}
