import { CATALOGUE } from '../src/model/catalogue.ts';
import { GPUS, type TraceTick } from './trace.ts';

/** Writes ticks to whatever takes Prometheus' remote write protocol 1.0. */
export class RemoteWriter {
  readonly #url: string;
  /** Encoded labels by GPU and slot. */
  readonly #labels: readonly (readonly Buffer[])[];

  constructor(url: string) {
    this.#url = url;
    this.#labels = Array.from({ length: GPUS }, (_, gpu) =>
      CATALOGUE.map(({ id }) => labels({ __name__: id, gpu: `${gpu}`, uuid: `GPU-bench-${gpu}` })),
    );
  }

  async write(ticks: readonly TraceTick[]): Promise<void> {
    const body = snappy(Buffer.concat(this.#series(ticks)));
    const headers = {
      'content-encoding': 'snappy',
      'content-type': 'application/x-protobuf',
      'x-prometheus-remote-write-version': '0.1.0',
    };
    const response = await fetch(this.#url, { method: 'POST', body, headers });
    if (!response.ok) throw new Error(`${this.#url}: ${response.status} ${await response.text()}`);
  }

  #series(ticks: readonly TraceTick[]): Buffer[] {
    const series: Buffer[] = [];
    for (let gpu = 0; gpu < GPUS; gpu++) {
      for (const { slot } of CATALOGUE) {
        const samples: Buffer[] = [];
        for (const { at, gpus } of ticks) {
          const value = gpus[gpu]?.number(slot) ?? null;
          if (value !== null) samples.push(sample(value, at));
        }
        if (samples.length > 0) series.push(field(1, Buffer.concat([this.#labels[gpu]![slot]!, ...samples])));
      }
    }
    return series;
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** A field of a message: number, type 2, length, bytes. */
function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function labels(all: Readonly<Record<string, string>>): Buffer {
  const sorted = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
  const pairs = sorted.map(([name, value]) =>
    field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(value))])),
  );
  return Buffer.concat(pairs);
}

function sample(value: number, at: number): Buffer {
  const number = Buffer.alloc(9);
  number[0] = 1 * 8 + 1;
  number.writeDoubleLE(value, 1);
  return field(2, Buffer.concat([number, varint(2 * 8), varint(at)]));
}

/** A snappy block without any compression: literals of up to 64 KiB. */
function snappy(bytes: Buffer): Buffer {
  const parts = [varint(bytes.length)];
  for (let at = 0; at < bytes.length; at += 65_536) {
    const literal = bytes.subarray(at, at + 65_536);
    const tag = Buffer.alloc(3);
    tag[0] = 61 * 4;
    tag.writeUInt16LE(literal.length - 1, 1);
    parts.push(tag, literal);
  }
  return Buffer.concat(parts);
}
