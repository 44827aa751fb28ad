import { compress } from 'snappyjs';
import { ProtobufWriter } from '../../wire/protobuf-writer.ts';
import type { Label, LabelSet } from '../labels.ts';
import type { Page } from '../page.ts';
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
  const encoder = new RequestEncoder(Object.entries(labels));
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
        const body = compress(encoder.encode(some, at ?? now));
        batches.push({ body, samples: some.length });
      }
      return batches;
    },
    verdict: plainVerdict,
  };
}

const NAME = '__name__';

/** Labels as they stand on the wire, up to and behind the name of the series, which is one of them. */
interface EncodedLabels {
  readonly before: Buffer;
  readonly after: Buffer;
}

/**
 * Writes the message WriteRequest: one time series with one sample for each. Series of a device share their labels, and
 * have them again at the next push: they are sorted and encoded once.
 */
class RequestEncoder {
  readonly #external: readonly Label[];
  readonly #encoded = new WeakMap<LabelSet, EncodedLabels>();
  readonly #out = new ProtobufWriter();
  readonly #scratch = new ProtobufWriter();

  constructor(external: readonly Label[]) {
    this.#external = external;
  }

  /** It is overwritten by the next one. */
  encode(samples: readonly Sample[], at: number): Buffer {
    const out = this.#out;
    out.clear();
    for (const { family, labels, value } of samples) {
      const { before, after } = this.#labels(labels);
      out.message(1, () => {
        out.raw(before);
        writeLabel(out, NAME, family.name);
        out.raw(after);
        out.message(2, () => {
          out.double(1, value);
          out.integer(2, at);
        });
      });
    }
    return out.finish();
  }

  #labels(labels: LabelSet): EncodedLabels {
    let encoded = this.#encoded.get(labels);
    if (encoded === undefined) {
      const sorted = sortedLabels(labels, this.#external);
      encoded = {
        before: this.#encodeLabels(sorted.filter(([name]) => name < NAME)),
        after: this.#encodeLabels(sorted.filter(([name]) => name > NAME)),
      };
      this.#encoded.set(labels, encoded);
    }
    return encoded;
  }

  #encodeLabels(labels: readonly Label[]): Buffer {
    this.#scratch.clear();
    for (const [name, value] of labels) writeLabel(this.#scratch, name, value);
    return Buffer.from(this.#scratch.finish());
  }
}

/** Receivers demand labels sorted by name, each once; what a series says of itself goes before what is said of all. */
function sortedLabels(labels: LabelSet, external: readonly Label[]): readonly Label[] {
  const all = new Map<string, string>([...external, ...labels.pairs]);
  return [...all].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1));
}

function writeLabel(out: ProtobufWriter, name: string, value: string): void {
  out.message(1, () => {
    out.text(1, name);
    out.text(2, value);
  });
}
