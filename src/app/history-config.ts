import * as z from 'zod';
import type { Credentials, Secret } from '../history/promql/engine.ts';
import { AppError } from '../model/errors.ts';
import { parseInterval } from './config.ts';
import { parseSize } from './keep.ts';
import { endpoint } from './sinks.ts';

/** An engine elsewhere that keeps the history, as Prometheus, VictoriaMetrics, Mimir and Thanos are. */
export interface EngineConfig {
  readonly writeUrl: string;
  readonly queryUrl: string;
  /** Name of this host in the engine; null for that of the machine. */
  readonly host: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Bytes that may wait on the disk. */
  readonly queueBytes: number;
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
}

/** Names that every series has already. */
const OWN_LABELS: readonly string[] = [
  '__name__',
  'host',
  'origin',
  'pass',
  'uuid',
  'metric',
  'bit',
  'device',
  'index',
];
const TIMEOUT = { min: 1000, max: 30_000, expected: '1s … 30s' };
const WRITE_PATH = '/api/v1/write';

const label = z
  .string()
  .regex(/^[a-zA-Z_]\w*$/)
  .refine((name) => !OWN_LABELS.includes(name), { message: 'gpulse gives this label itself' });

/** The section `history` of a configuration file. */
export const HISTORY_SCHEMA = z.strictObject({
  engine: z.enum(['embedded', 'prometheus']).default('embedded'),
  url: z.string().optional(),
  writeUrl: z.string().optional(),
  queryUrl: z.string().optional(),
  host: z.string().min(1).optional(),
  labels: z.record(label, z.string()).default({}),
  queue: z.string().default('1GB'),
  timeout: z.string().default('10s'),
  headers: z.record(z.string(), z.string()).default({}),
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  tokenEnv: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  passwordFile: z.string().optional(),
  passwordEnv: z.string().optional(),
});

type Section = z.output<typeof HISTORY_SCHEMA>;

/** What the section says; undefined where the history is kept on this host. Throws BAD_OPTION. */
export function engineOf(section: Section): EngineConfig | undefined {
  const { engine, url, host = null, labels, headers } = section;
  if (engine === 'embedded') {
    const key = Object.entries(section).find(([name, value]) => /url$/i.test(name) && value !== undefined)?.[0];
    if (key !== undefined) throw fault('history.engine', engine, `prometheus, since history.${key} is given`);
    return undefined;
  }
  const base = url?.replace(/\/+$/, '');
  const { writeUrl = base === undefined ? undefined : base + WRITE_PATH, queryUrl = base } = section;
  if (writeUrl === undefined) throw fault('history.writeUrl', '', `http://HOST:PORT${WRITE_PATH}`);
  if (queryUrl === undefined) throw fault('history.queryUrl', '', 'http://HOST:PORT');
  const write = endpoint('history.writeUrl', writeUrl);
  const query = endpoint('history.queryUrl', queryUrl.replace(/\/api\/v1\/?$/, '').replace(/\/+$/, ''));
  return {
    writeUrl: write.url,
    queryUrl: query.url.replace(/\/+$/, ''),
    host,
    labels,
    queueBytes: parseSize('history.queue', section.queue),
    timeoutMs: parseInterval('history.timeout', section.timeout, TIMEOUT),
    // What stands in the addresses; both are of one engine.
    headers: { ...query.headers, ...write.headers, ...headers },
    credentials: credentialsOf(section),
  };
}

/** An engine of which only the address is known: `http://HOST:PORT`. Throws BAD_OPTION naming `option`. */
export function engineAt(option: string, url: string): EngineConfig {
  endpoint(option, url);
  return engineOf(HISTORY_SCHEMA.parse({ engine: 'prometheus', url }))!;
}

function credentialsOf(section: Section): Credentials {
  const token = secretOf('token', section.token, section.tokenFile, section.tokenEnv);
  const password = secretOf('password', section.password, section.passwordFile, section.passwordEnv);
  const { username } = section;
  if (token !== null && (username !== undefined || password !== null)) {
    throw fault('history.token', '…', 'either a token, or username and password');
  }
  if (token !== null) return { kind: 'bearer', token };
  if (username === undefined && password === null) return { kind: 'none' };
  if (username === undefined) throw fault('history.username', '', 'a name beside the password');
  if (password === null) throw fault('history.password', '', 'password, passwordFile or passwordEnv beside username');
  return { kind: 'basic', username, password };
}

function secretOf(key: string, text?: string, file?: string, variable?: string): Secret | null {
  const given = [text, file, variable].filter((value) => value !== undefined);
  if (given.length > 1) throw fault(`history.${key}`, '…', `one of ${key}, ${key}File and ${key}Env`);
  if (text !== undefined) return { text };
  if (file !== undefined) return { file };
  if (variable === undefined) return null;
  const value = process.env[variable];
  if (value === undefined || value === '') throw fault(`history.${key}Env`, variable, 'a variable that is set');
  return { text: value };
}

function fault(option: string, value: string, expected: string): AppError {
  return new AppError('BAD_OPTION', { option, value, expected });
}
