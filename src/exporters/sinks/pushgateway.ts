import { TextWriter } from '../exposition/text-format.ts';
import type { Page } from '../page.ts';
import { type Batch, plainVerdict, type Receiver } from './receiver.ts';
import type { Sample } from './sample-list.ts';

export interface PushgatewayOptions {
  /** Of the gateway, without the path of the group. */
  readonly url: string;
  readonly job: string;
  readonly instance: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Pushgateway: the group of this host is replaced at every push and deleted when gpulse stops. A gateway never forgets:
 * a host that dies without that goes on with its last values, which only `push_time_seconds` shows.
 */
export function pushgateway({ url, job, instance, headers }: PushgatewayOptions): Receiver {
  const group = `${url.replace(/\/+$/, '')}/metrics/${part('job', job)}/${part('instance', instance)}`;
  return {
    name: 'pushgateway',
    method: 'PUT',
    url: group,
    headers: { ...headers, 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    isLatestOnly: true,
    encode: async (_page: Page, samples: readonly Sample[]): Promise<readonly Batch[]> => {
      const writer = new TextWriter('prometheus');
      let before: Sample['family'] | null = null;
      for (const { family, labels, value } of samples) {
        if (family !== before) writer.begin(family);
        before = family;
        writer.add(labels, value);
      }
      return [{ body: writer.finish(), samples: samples.length }];
    },
    verdict: plainVerdict,
    farewell: { method: 'DELETE', url: group },
  };
}

/** One label of the group; what a path cannot hold is in base64, and `=` stands for nothing at all. */
function part(label: string, value: string): string {
  if (/^[\w.:-]+$/.test(value) && value !== '.' && value !== '..') return `${label}/${value}`;
  return `${label}@base64/${value === '' ? '=' : Buffer.from(value).toString('base64url')}`;
}
