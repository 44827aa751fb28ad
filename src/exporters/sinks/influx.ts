import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { LabelSet } from '../labels.ts';
import type { Page } from '../page.ts';
import { type Batch, plainVerdict, type Receiver } from './receiver.ts';
import type { Sample } from './sample-list.ts';

export interface InfluxOptions {
  /** Of the server, without the path of its API. */
  readonly url: string;
  /** Where points go: a database of version 1, or a bucket of version 2 and newer. */
  readonly target:
    | { readonly database: string; readonly retentionPolicy: string | null }
    | { readonly org: string; readonly bucket: string };
  readonly measurement: string;
  /** Value of the tag `host`. */
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** InfluxDB advises some thousand points per request. */
const LINES_PER_BATCH = 5000;

const compress = promisify(gzip);

/**
 * InfluxDB line protocol over HTTP. Series with the same labels are one point whose fields are the metrics, without the
 * prefix `gpulse_`; numbers are always floats, so that a field never changes its type.
 */
export function influx({ url, target, measurement, host, headers }: InfluxOptions): Receiver {
  return {
    name: 'influx',
    method: 'POST',
    url: writeUrl(url, target),
    headers: { ...headers, 'content-type': 'text/plain; charset=utf-8', 'content-encoding': 'gzip' },
    isLatestOnly: false,
    encode: async (page, samples) => {
      const points = toPoints(samples);
      const head = `${escapeMeasurement(measurement)},host=${escapeTag(host)}`;
      const batches: Batch[] = [];
      for (let start = 0; start < points.length; start += LINES_PER_BATCH) {
        const some = points.slice(start, start + LINES_PER_BATCH);
        const text = some.map((point) => lineOf(head, point, timeOf(page))).join('');
        batches.push({ body: await compress(text), samples: some.reduce((sum, { fields }) => sum + fields.length, 0) });
      }
      return batches;
    },
    verdict: plainVerdict,
  };
}

function writeUrl(base: string, target: InfluxOptions['target']): string {
  const root = base.replace(/\/+$/, '');
  const query = new URLSearchParams({ precision: 'ms' });
  if ('bucket' in target) {
    query.set('org', target.org);
    query.set('bucket', target.bucket);
    return `${root}/api/v2/write?${query}`;
  }
  query.set('db', target.database);
  if (target.retentionPolicy !== null) query.set('rp', target.retentionPolicy);
  return `${root}/write?${query}`;
}

interface Point {
  readonly labels: LabelSet;
  readonly fields: string[];
}

function toPoints(samples: readonly Sample[]): readonly Point[] {
  const points = new Map<string, Point>();
  for (const { family, labels, value } of samples) {
    let point = points.get(labels.text);
    if (point === undefined) {
      point = { labels, fields: [] };
      points.set(labels.text, point);
    }
    point.fields.push(`${escapeTag(family.name.replace(/^gpulse_/, ''))}=${value}`);
  }
  return [...points.values()];
}

function lineOf(head: string, { labels, fields }: Point, at: number): string {
  // Every point has the host already, and a tag may come once only.
  const own = labels.pairs.filter(([name]) => name !== 'host');
  const tags = own.map(([name, value]) => `,${escapeTag(name)}=${escapeTag(value)}`).join('');
  return `${head}${tags} ${fields.join()} ${at}\n`;
}

/** The tick's own time: a batch that has waited keeps it. */
function timeOf({ at, now }: Page): number {
  return at ?? now;
}

/**
 * Keys and values of tags, and keys of fields. A line break cannot be written, and a backslash at the end would take the
 * separator behind it along.
 */
export function escapeTag(text: string): string {
  return text
    .replaceAll(/[\r\n]+/g, ' ')
    .replace(/\\+$/, '')
    .replaceAll(/[,= ]/g, '\\$&');
}

function escapeMeasurement(text: string): string {
  return escapeTag(text).replaceAll('\\=', '=');
}
