import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { openHistory } from '../history/history.ts';
import { forgetEngine } from '../history/promql/note.ts';
import type { Clock } from '../model/clock.ts';
import type { History, Origin } from '../model/ports.ts';
import { defaultDataDirectory, type ServeConfig } from './config.ts';
import { remoteHost } from './open-source.ts';

/** The history that `serve` writes. */
export interface OpenedHistory {
  readonly history: History;
  /** Resolves once what came much faster than real time has been taken in. */
  readonly drained: () => Promise<void>;
  /** False where a simulated past has no place: it would come again with every start. */
  readonly takesSimulatedPast: boolean;
}

/** Opens the history where the configuration says. A recording is never sent to an engine: its times are of another machine. */
export async function historyFor(config: ServeConfig, origin: Origin, clock: Clock): Promise<OpenedHistory> {
  const retention = config.keep === null ? {} : { retention: config.keep };
  const { history: engine, source } = config;
  if (engine === undefined || origin === 'recorded') {
    const directory = directoryFor(config, origin);
    const history = await openHistory({ directory, origin, clock, ...retention });
    if (directory !== null) await forgetEngine(directory);
    return { history, drained: () => history.flush(), takesSimulatedPast: true };
  }
  // Not needed by those who keep their history themselves.
  const { openRemoteHistory } = await import('../history/promql/remote-history.ts');
  const host = engine.host ?? remoteHost(source) ?? (process.env['NODE_NAME'] || hostname());
  // What waits must outlive the process, whatever it is.
  const directory = directoryFor(config, origin) ?? resolve(defaultDataDirectory(process.env), origin);
  const history = await openRemoteHistory({ ...engine, directory, host, origin, clock, ...retention });
  return { history, drained: () => history.queued(), takesSimulatedPast: false };
}

/** History of a machine has a place; anything else is kept only where the user names one. Whole, so that it can be shown. */
function directoryFor({ data, source }: ServeConfig, origin: Origin): string | null {
  if (data !== null) return resolve(data);
  if (origin !== 'live') return null;
  const remote = remoteHost(source);
  const directory = resolve(defaultDataDirectory(process.env));
  // A machine's past is never mixed with that of another one.
  return remote === null ? directory : join(directory, 'remote', remote.replaceAll(/[^\w.@-]/g, '_'));
}
