import type { Clock } from '../model/clock.ts';
import type { TickReader } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { EngineConfig } from './history-config.ts';

interface Wanted {
  /** What the configuration says of the engine; without it the engine is asked without any login. */
  readonly engine?: EngineConfig | undefined;
  /** Nothing from then on is wanted, so that an engine that came later is not asked. */
  readonly until: Millis;
}

/**
 * Opens all ticks that are kept of a directory: those in it, and those in the engine that it leaves them to. Throws
 * NO_HISTORY, HISTORY_OLD_FORMAT, HISTORY_NEWER_FORMAT, HISTORY_UNUSABLE, HISTORY_ENGINE_UNANSWERED or _REFUSED.
 */
export async function openTicks(directory: string, { engine, until }: Wanted, clock: Clock): Promise<TickReader> {
  const { openTickReader } = await import('../history/tick-reader.ts');
  const { engineOf } = await import('../history/promql/note.ts');
  const note = engineOf(directory);
  if (note === null || until <= note.since) return openTickReader(directory);
  // Not needed by those who keep their history themselves.
  const { openRemoteTickReader } = await import('../history/promql/remote-tick-reader.ts');
  const { engineAt } = await import('./history-config.ts');
  const { identity, since, url } = note;
  return openRemoteTickReader({ directory, engine: engine ?? engineAt('engine.json', url), identity, since, clock });
}
