import { compress } from 'snappyjs';
import type { Label, LabelSet } from '../labels.ts';
import type { Page } from '../page.ts';
import { ProtobufWriter } from './protobuf-writer.ts';
import { type Batch, plainVerdict, type Receiver } from './receiver.ts';
import type { Sample } from './sample-list.ts';

export interface RemoteWriteOptions {
  /** Whole address of the endpoint. */
  readonly url: string;
  /** Labels that every series gets unless it has them, such as `job` and `instance`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** As many as Prometheus itself sends at a time. */
const SAMPLES_PER_BATCH = 2000;

/** Prometheus remote write 1.0, which Prometheus, VictoriaMetrics, Mimir and Thanos take. */
export function remoteWrite({ url, labels, headers }: RemoteWriteOptions): Receiver {
  const external = Object.entries(labels);
  return {
    name: 'remote-write',
    method: 'POST',
    url,
    headers: {
      ...headers,
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '0.1.0',
    },
    isLatestOnly: false,
    encode: async ({ at, now }: Page, samples: readonly Sample[]): Promise<readonly Batch[]> => {
      const batches: Batch[] = [];
      for (let start = 0; start < samples.length; start += SAMPLES_PER_BATCH) {
        const some = samples.slice(start, start + SAMPLES_PER_BATCH);
        const body = compress(encodeRequest(some, external, at ?? now));
        batches.push({ body, samples: some.length });
      }
      return batches;
    },
    verdict: plainVerdict,
  };
}

/** The message WriteRequest: one time series with one sample for each. */
function encodeRequest(samples: readonly Sample[], external: readonly Label[], at: number): Buffer {
  const out = new ProtobufWriter();
  for (const { family, labels, value } of samples) {
    out.message(1, () => {
      for (const [name, text] of sortedLabels(family.name, labels, external)) {
        out.message(1, () => {
          out.text(1, name);
          out.text(2, text);
        });
      }
      out.message(2, () => {
        out.double(1, value);
        out.integer(2, at);
      });
    });
  }
  return out.finish();
}

/** Receivers demand labels sorted by name, each once; what a series says of itself goes before what is said of all. */
function sortedLabels(name: string, labels: LabelSet, external: readonly Label[]): readonly Label[] {
  const all = new Map<string, string>([...external, ...labels.pairs, ['__name__', name]]);
  return [...all].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1));
}
