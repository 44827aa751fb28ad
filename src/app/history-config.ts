import * as z from 'zod';
import type { Credentials, Secret } from '../history/promql/engine.ts';
import { CONFIG_WORDS } from '../model/i18n/config-words.ts';
import { badOption, filled } from './bad-option.ts';
import { HEADERS, isHeaderValue, labelsBeside, TOKEN, written } from './config-values.ts';
import { parseInterval } from './interval.ts';
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

/** The section `history` of a configuration file. */
export const HISTORY_SCHEMA = z.strictObject({
  engine: z.enum(['embedded', 'prometheus']).default('embedded'),
  url: z.string().optional(),
  writeUrl: z.string().optional(),
  queryUrl: z.string().optional(),
  host: z.string().min(1).optional(),
  labels: labelsBeside(OWN_LABELS),
  queue: written('1GB'),
  timeout: written('10s'),
  headers: HEADERS,
  token: TOKEN,
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
  // What is written is checked before it is needed.
  const queueBytes = parseSize('history.queue', section.queue);
  const timeoutMs = parseInterval('history.timeout', section.timeout, TIMEOUT);
  const credentials = credentialsOf(section);
  if (engine === 'embedded') {
    const key = Object.entries(section).find(([name, value]) => /url$/i.test(name) && value !== undefined)?.[0];
    if (key !== undefined) throw badOption('history.engine', engine, filled(CONFIG_WORDS['takes.engine'], { key }));
    return undefined;
  }
  const base = url?.replace(/\/+$/, '');
  const { writeUrl = base === undefined ? undefined : base + WRITE_PATH, queryUrl = base } = section;
  if (writeUrl === undefined) throw badOption('history.writeUrl', '', `http://HOST:PORT${WRITE_PATH}`);
  if (queryUrl === undefined) throw badOption('history.queryUrl', '', 'http://HOST:PORT');
  const write = endpoint('history.writeUrl', writeUrl);
  const query = endpoint('history.queryUrl', queryUrl.replace(/\/api\/v1\/?$/, '').replace(/\/+$/, ''));
  return {
    writeUrl: write.url,
    queryUrl: query.url.replace(/\/+$/, ''),
    host,
    labels,
    queueBytes,
    timeoutMs,
    // What stands in the addresses; both are of one engine.
    headers: { ...query.headers, ...write.headers, ...headers },
    credentials,
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
    throw badOption('history.token', '…', CONFIG_WORDS['takes.one-login']);
  }
  if (token !== null && 'text' in token && !isHeaderValue(token.text)) {
    throw badOption('history.tokenEnv', section.tokenEnv ?? '…', CONFIG_WORDS['takes.token']);
  }
  if (token !== null) return { kind: 'bearer', token };
  if (username === undefined && password === null) return { kind: 'none' };
  if (username === undefined) throw badOption('history.username', '', CONFIG_WORDS['takes.username']);
  if (password === null) throw badOption('history.password', '', CONFIG_WORDS['takes.password']);
  return { kind: 'basic', username, password };
}

function secretOf(key: string, text?: string, file?: string, variable?: string): Secret | null {
  const given = [text, file, variable].filter((value) => value !== undefined);
  if (given.length > 1) throw badOption(`history.${key}`, '…', filled(CONFIG_WORDS['takes.one-secret'], { key }));
  if (text !== undefined) return { text };
  if (file !== undefined) return { file };
  if (variable === undefined) return null;
  const value = process.env[variable];
  if (value === undefined || value === '')
    throw badOption(`history.${key}Env`, variable, CONFIG_WORDS['takes.variable']);
  return { text: value };
}
