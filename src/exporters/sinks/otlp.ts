import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Family } from '../family.ts';
import type { Page } from '../page.ts';
import { plainVerdict, type Receiver, type Verdict } from './receiver.ts';
import type { Sample } from './sample-list.ts';

export interface OtlpOptions {
  /** Whole address of the endpoint, which by default ends in `/v1/metrics`. */
  readonly url: string;
  readonly host: string;
  readonly version: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Units as OpenTelemetry writes them. */
const UCUM: Readonly<Record<string, string>> = {
  ratio: '1',
  bytes: 'By',
  bytes_per_second: 'By/s',
  watts: 'W',
  joules: 'J',
  hertz: 'Hz',
  celsius: 'Cel',
  seconds: 's',
  volts: 'V',
};

const CUMULATIVE = 2;
/** The only statuses after which the protocol lets a request be sent again. */
const RETRIABLE: readonly number[] = [429, 502, 503, 504];

const compress = promisify(gzip);

/** OpenTelemetry's protocol for metrics over HTTP, in its JSON form. */
export function otlp({ url, host, version, headers }: OtlpOptions): Receiver {
  const resource = {
    attributes: attributes([
      ['service.name', 'gpulse'],
      ['service.version', version],
      ['host.name', host],
    ]),
  };
  return {
    name: 'otlp',
    method: 'POST',
    url,
    headers: { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    isLatestOnly: false,
    encode: async (page, samples) => {
      const scopeMetrics = [{ scope: { name: 'gpulse', version }, metrics: toMetrics(page, samples) }];
      const body = await compress(JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics }] }));
      return [{ body, samples: samples.length }];
    },
    verdict,
  };
}

function toMetrics({ at, now, own }: Page, samples: readonly Sample[]): readonly object[] {
  const timeUnixNano = nanoseconds(at ?? now);
  const startTimeUnixNano = nanoseconds(own.startedAt);
  const points = new Map<Family, object[]>();
  for (const { family, labels, value } of samples) {
    let its = points.get(family);
    if (its === undefined) {
      its = [];
      points.set(family, its);
    }
    const start = family.type === 'counter' ? { startTimeUnixNano } : {};
    its.push({ attributes: attributes(labels.pairs), ...start, timeUnixNano, asDouble: value });
  }
  return [...points].map(([{ name, unit, help, type }, dataPoints]) => ({
    name,
    description: help,
    unit: unit === null ? '' : (UCUM[unit] ?? ''),
    ...(type === 'counter'
      ? { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } }
      : { gauge: { dataPoints } }),
  }));
}

/** 64-bit numbers are strings in this protocol. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n);
}

function attributes(pairs: readonly (readonly [string, string])[]): readonly object[] {
  return pairs.map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

function verdict(status: number, text: string): Verdict {
  if (status === 200) return { kind: 'taken', refused: refusedPoints(text) };
  const plain = plainVerdict(status, text);
  if (plain.kind === 'taken') return plain;
  return { ...plain, kind: RETRIABLE.includes(status) ? 'retry' : 'refused' };
}

/** What a receiver did not take of a request that it took as a whole. */
function refusedPoints(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedDataPoints?: string | number } };
    const count = Number(partialSuccess?.rejectedDataPoints ?? 0);
    return Number.isFinite(count) ? count : 0;
  } catch {
    return 0;
  }
}
