import type { PageWriter } from '../exporters/metric-profiles.ts';
import type { Page } from '../exporters/page.ts';
import { influx } from '../exporters/sinks/influx.ts';
import { otlp } from '../exporters/sinks/otlp.ts';
import { PushSink } from '../exporters/sinks/push-sink.ts';
import { pushgateway } from '../exporters/sinks/pushgateway.ts';
import type { Receiver } from '../exporters/sinks/receiver.ts';
import { remoteWrite } from '../exporters/sinks/remote-write.ts';
import type { Clock } from '../model/clock.ts';
import { AppError } from '../model/errors.ts';
import { CONFIG_WORDS } from '../model/i18n/config-words.ts';
import { badOption } from './bad-option.ts';
import { VERSION } from './version.ts';

/** What all receivers can be told. */
interface CommonSink {
  readonly url: string;
  readonly intervalMs: number;
  /** Batches that may wait. */
  readonly queue: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** One receiver that readings are pushed to. */
export type SinkConfig = CommonSink &
  (
    | { readonly kind: 'pushgateway'; readonly job: string; readonly instance: string | null }
    | {
        readonly kind: 'influx';
        readonly target:
          | { readonly database: string; readonly retentionPolicy: string | null }
          | { readonly org: string; readonly bucket: string };
        readonly measurement: string;
      }
    | { readonly kind: 'remote-write'; readonly labels: Readonly<Record<string, string>> }
    | { readonly kind: 'otlp' }
  );

export const SINK_DEFAULTS = { intervalMs: 15_000, queue: 240, headers: {} } as const;

/** A receiver that does not answer for so long has failed. */
const TIMEOUT_MS = 20_000;

/** The address without the password in it, and the header that carries that instead; throws BAD_OPTION. */
export function endpoint(option: string, value: string): { url: string; headers: Record<string, string> } {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new AppError('BAD_OPTION', { option, value: shown(value), expected: 'http://HOST… | https://HOST…' });
  }
  const { username, password } = url;
  if (username === '' && password === '') return { url: value, headers: {} };
  url.username = '';
  url.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url: url.href, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

/** An address as it may stand on a screen. */
function shown(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//…@');
}

/** Refuses the address of a group instead of that of the Pushgateway: what is pushed there never arrives. Throws BAD_OPTION. */
export function gatewayAddress(option: string, value: string): void {
  const { url } = endpoint(option, value);
  if (!/\/metrics\/job(?:@base64)?(?:\/|$)/.test(new URL(url).pathname)) return;
  throw badOption(option, url, CONFIG_WORDS['takes.gateway']);
}

/** Where a database is named in the address of InfluxDB: `?db=gpus`, or `?org=me&bucket=gpus`; throws BAD_OPTION. */
export function influxTarget(option: string, value: string): Extract<SinkConfig, { kind: 'influx' }>['target'] {
  const query = URL.parse(value)?.searchParams;
  const [database, org, bucket] = [query?.get('db'), query?.get('org'), query?.get('bucket')];
  if (database) return { database, retentionPolicy: query?.get('rp') ?? null };
  if (org && bucket) return { org, bucket };
  const expected = 'http://HOST:8086?db=NAME | …?org=NAME&bucket=NAME';
  throw new AppError('BAD_OPTION', { option, value: shown(value), expected });
}

interface SinkParts {
  readonly host: string;
  readonly clock: Clock;
  readonly writer: PageWriter;
  /** What is known now; null where it is about no live machine, or nothing new came. */
  readonly page: () => Page | null;
}

export function createSink(config: SinkConfig, { host, clock, writer, page }: SinkParts): PushSink {
  let pushed: number | null = null;
  const newer = (): Page | null => {
    const next = page();
    if (next === null || next.at === pushed) return null;
    pushed = next.at;
    return next;
  };
  const { intervalMs, queue } = config;
  return new PushSink({
    ...{ clock, writer, intervalMs, timeoutMs: TIMEOUT_MS, capacity: queue },
    receiver: receiverOf(config, host),
    page: newer,
  });
}

function receiverOf(config: SinkConfig, host: string): Receiver {
  const { url, headers: more } = config;
  const bare = url.replace(/\?.*$/s, '');
  const headers = { 'user-agent': `gpulse/${VERSION}`, ...more };
  switch (config.kind) {
    case 'pushgateway':
      return pushgateway({ url: bare, headers, job: config.job, instance: config.instance ?? host });
    case 'influx':
      return influx({ url: bare, headers, target: config.target, measurement: config.measurement, host });
    case 'remote-write':
      return remoteWrite({ url, headers, labels: { job: 'gpulse', instance: host, ...config.labels } });
    case 'otlp':
      return otlp({ url, headers, host, version: VERSION });
  }
}
