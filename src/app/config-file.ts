import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import { METRIC_PROFILES, type NamingOptions } from '../exporters/metric-profiles.ts';
import { AppError, detailOf } from '../model/errors.ts';
import { CONFIG_WORDS } from '../model/i18n/config-words.ts';
import { wordedDetail } from '../model/i18n/errno-words.ts';
import type { Text } from '../model/i18n/text.ts';
import { WordedError } from '../server/worded-error.ts';
import { badOption, filled } from './bad-option.ts';
import { issueText, refusalText, yamlFault } from './config-issue.ts';
import { HEADERS, isHeaderValue, labelsBeside, TOKEN, written } from './config-values.ts';
import { type EngineConfig, engineOf, HISTORY_SCHEMA } from './history-config.ts';
import { parseInterval } from './interval.ts';
import { DEFAULT_NAMING } from './naming.ts';
import { endpoint, gatewayAddress, influxTarget, SINK_DEFAULTS, type SinkConfig } from './sinks.ts';

/** What a configuration file says of reporting, and of where the history is kept. */
export interface ReportingConfig {
  readonly naming: NamingOptions;
  readonly sinks: readonly SinkConfig[];
  /** Missing where it is kept on this host. */
  readonly history?: EngineConfig;
}

const common = {
  url: z.string(),
  interval: written('15s'),
  queue: z.number().int().min(1).max(100_000).default(SINK_DEFAULTS.queue),
  headers: HEADERS,
  token: TOKEN,
  'token-file': z.string().optional(),
};

const SCHEMA = z.strictObject({
  history: HISTORY_SCHEMA.prefault({}),
  metrics: z
    .strictObject({
      profiles: z
        .array(z.enum(METRIC_PROFILES))
        .min(1)
        .default([...DEFAULT_NAMING.profiles]),
      'owner-labels': z.boolean().default(DEFAULT_NAMING.ownerLabels),
      dcgm: z
        .strictObject({
          'host-label': z.enum(['Hostname', 'hostname', 'both']).default('Hostname'),
          names: z.enum(['legacy', 'renamed', 'both']).default('legacy'),
          fields: z.enum(['common', 'all']).default('common'),
        })
        .prefault({}),
    })
    .prefault({}),
  push: z
    .strictObject({
      pushgateway: z
        .strictObject({ ...common, job: z.string().min(1).default('gpulse'), instance: z.string().min(1).optional() })
        .optional(),
      influx: z.strictObject({ ...common, measurement: z.string().min(1).default('gpulse') }).optional(),
      'remote-write': z.strictObject({ ...common, labels: labelsBeside([]) }).optional(),
      otlp: z.strictObject(common).optional(),
    })
    .prefault({}),
});

type File = z.output<typeof SCHEMA>;
type Common = Pick<NonNullable<File['push']['otlp']>, keyof typeof common>;

/** Reads a configuration file; throws CONFIG_UNREADABLE or CONFIG_INVALID. */
export function readConfigFile(path: string): ReportingConfig {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new AppError('CONFIG_UNREADABLE', { path, detail: detailOf(error) }, { cause: error });
  }
  return parseConfig(path, text);
}

/** Reads the text of a configuration file; `path` is for messages. Throws CONFIG_INVALID. */
export function parseConfig(path: string, text: string): ReportingConfig {
  let document: unknown;
  try {
    document = withoutNulls(parse(text)) ?? {};
  } catch (error) {
    throw invalid(path, yamlFault(error));
  }
  const result = SCHEMA.safeParse(document);
  // Zod reports nothing without an issue.
  if (!result.success) throw invalid(path, issueText(result.error.issues[0]!, document, keysAt));
  try {
    return toConfig(result.data);
  } catch (error) {
    // Flags are told the same, but of a file one has to know which.
    if (error instanceof AppError && error.code === 'BAD_OPTION') throw invalid(path, refusalText(error));
    throw error;
  }
}

function invalid(path: string, detail: Text): AppError {
  return new WordedError('CONFIG_INVALID', { path }, { detail });
}

/** A key with nothing behind it is as if it were not there. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}

function toConfig({ metrics, push, history }: File): ReportingConfig {
  const { dcgm } = metrics;
  const engine = engineOf(history);
  const { pushgateway, influx, otlp, 'remote-write': remote } = push;
  const sinks: SinkConfig[] = [];
  if (pushgateway !== undefined) {
    const { job, instance = null } = pushgateway;
    gatewayAddress('push.pushgateway.url', pushgateway.url);
    sinks.push({ kind: 'pushgateway', ...commonOf('push.pushgateway', pushgateway), job, instance });
  }
  if (influx !== undefined) {
    const target = influxTarget('push.influx.url', influx.url);
    const sink = commonOf('push.influx', influx, 'bucket' in target ? 'Token' : 'Bearer');
    sinks.push({ kind: 'influx', ...sink, target, measurement: influx.measurement });
  }
  if (remote !== undefined) {
    sinks.push({ kind: 'remote-write', ...commonOf('push.remote-write', remote), labels: remote.labels });
  }
  if (otlp !== undefined) sinks.push({ kind: 'otlp', ...commonOf('push.otlp', otlp) });
  return {
    naming: {
      profiles: metrics.profiles,
      ownerLabels: metrics['owner-labels'],
      dcgm: { hostLabel: dcgm['host-label'], names: dcgm.names, fields: dcgm.fields },
    },
    sinks,
    ...(engine === undefined ? {} : { history: engine }),
  };
}

function commonOf(key: string, sink: Common, scheme = 'Bearer') {
  const { url, headers } = endpoint(`${key}.url`, sink.url);
  const { 'token-file': file } = sink;
  const token = sink.token ?? (file === undefined ? null : readToken(`${key}.token-file`, file));
  const authorization = token === null ? {} : { authorization: `${scheme} ${token}` };
  return {
    url,
    intervalMs: parseInterval(`${key}.interval`, sink.interval),
    queue: sink.queue,
    headers: { ...headers, ...authorization, ...inLowerCase(sink.headers) },
  };
}

/** Two headers whose names differ in case only would be sent as one with both values. */
function inLowerCase(headers: Common['headers']): Common['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function readToken(option: string, path: string): string {
  let token: string;
  try {
    token = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const detail = detailOf(error);
    const worded = { en: detail, zh: wordedDetail(detail, 'zh') };
    throw badOption(option, path, filled(CONFIG_WORDS['takes.readable'], { detail: worded }));
  }
  if (!isHeaderValue(token)) throw badOption(option, path, CONFIG_WORDS['takes.token']);
  return token;
}

/** The keys that a place may have. */
function keysAt(path: readonly PropertyKey[]): readonly string[] {
  let schema: unknown = SCHEMA;
  for (const step of path) schema = shapeOf(schema)?.[String(step)];
  return Object.keys(shapeOf(schema) ?? {});
}

/** The members of an object schema, whatever it is wrapped in. */
function shapeOf(schema: unknown): Readonly<Record<string, unknown>> | null {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodPrefault) inner = inner.unwrap();
  return inner instanceof z.ZodObject ? inner.shape : null;
}
