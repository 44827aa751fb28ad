import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { NamingOptions } from '../exporters/metric-profiles.ts';
import type { Retention } from '../history/retention.ts';
import { AppError } from '../model/errors.ts';
import type { EngineConfig } from './history-config.ts';
import type { SinkConfig } from './sinks.ts';

/** Everything `serve` can be told. */
export interface ServeConfig {
  readonly host: string;
  readonly port: number;
  /** '' or a path such as `/gpulse`, without a slash at its end. */
  readonly basePath: string;
  readonly allowAnonymous: boolean;
  /** Host names under which a reverse proxy forwards requests. */
  readonly allowedHosts: readonly string[];
  /** Where the history is kept; null for the default place. */
  readonly data: string | null;
  /** What is kept of the history; null for the usual. */
  readonly keep: Retention | null;
  readonly intervalMs: number;
  readonly source: string;
  /** Seconds of a recording per second; Infinity reads it as fast as it can be stored. */
  readonly speed: number;
  readonly nvmlLibrary: string | null;
  /** IANA zone of the times in a recording that carry none; null for the zone of this host. */
  readonly timeZone: string | null;
  /** Play a simulated demonstration where no GPU is found, instead of waiting for one. */
  readonly demoWithoutGpu: boolean;
  /** Under which names readings are exported; gpulse's own where it is missing. */
  readonly naming?: NamingOptions;
  /** Where readings are pushed to. */
  readonly sinks?: readonly SinkConfig[];
  /** The engine that keeps the history; missing where it is kept on this host. */
  readonly history?: EngineConfig;
}

/** Splits `HOST:PORT`, `[::1]:PORT`, `:PORT` or `PORT`; throws BAD_OPTION. */
export function parseListen(value: string): { host: string; port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::|^)(\d{1,5})$/.exec(value) ?? /^()()(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (match === null || !(port <= 65_535)) {
    throw new AppError('BAD_OPTION', { option: '--listen', value, expected: 'HOST:PORT (127.0.0.1:9400)' });
  }
  return { host: match[1] || match[2] || '127.0.0.1', port };
}

/** A factor above 0 or `max`; throws BAD_OPTION. */
export function parseSpeed(value: string): number {
  if (value === 'max') return Number.POSITIVE_INFINITY;
  const speed = Number(value);
  if (!(speed > 0)) {
    throw new AppError('BAD_OPTION', { option: '--speed', value, expected: 'max, 1, 60, …' });
  }
  return speed;
}

/** A sub-path with a slash before it and none behind; '' for the root. Throws BAD_OPTION. */
export function parseBasePath(value: string): string {
  const path = `/${value}`.replace(/\/+/g, '/').replace(/\/$/, '');
  if (!/^[\w./~-]*$/.test(path) || path.split('/').includes('..')) {
    throw new AppError('BAD_OPTION', { option: '--base-path', value, expected: '/gpulse, …' });
  }
  return path;
}

/** Where history goes by default: the XDG data directory of this user. */
export function defaultDataDirectory(env: NodeJS.ProcessEnv): string {
  // An empty HOME is no home.
  const home = homedir() || userInfo().homedir;
  return join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'gpulse');
}
