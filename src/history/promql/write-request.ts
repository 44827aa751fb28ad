import { compress } from 'snappyjs';
import { findMetric } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { Millis } from '../../model/reading.ts';
import { ProtobufWriter } from '../../wire/protobuf-writer.ts';
import { type Identity, OWN_SERIES, seriesName } from './names.ts';
import type { RecordedTick } from './tick-record.ts';

type Samples = readonly (readonly [at: Millis, value: number])[];

/** Series whose labels are kept in their encoded form. Beyond that all are forgotten, as after many passes. */
const MOST_KEPT = 200_000;

/** Turns ticks into requests of Prometheus remote write 1.0. */
export class WriteRequests {
  readonly #identity: Identity;
  readonly #out = new ProtobufWriter();
  readonly #label = new ProtobufWriter();
  readonly #labels = new Map<string, Buffer>();
  #seriesMade = 0;

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  /** Grows whenever a series is written for the first time. */
  get seriesMade(): number {
    return this.#seriesMade;
  }

  /** The body of one request with all samples of some ticks; `metrics` are the names of their columns. */
  encode(ticks: readonly RecordedTick[], metrics: readonly string[]): Uint8Array {
    this.#out.clear();
    for (const [pass, some] of byPass(ticks)) {
      this.#writeOwn(pass, some);
      for (const [uuid, columns] of byDevice(some)) {
        for (const [column, samples] of columns) this.#writeMetric(pass, uuid, metrics[column] ?? '', samples);
      }
    }
    return compress(this.#out.finish());
  }

  #writeOwn(pass: number, ticks: readonly RecordedTick[]): void {
    const labels = { pass: `${pass}` };
    const devices = ticks.map(({ at, rows }) => [at, rows.length] as const);
    this.#write(OWN_SERIES.tick, labels, devices);
    const distances = ticks.flatMap(({ at, distanceMs }) => (distanceMs === null ? [] : [[at, distanceMs] as const]));
    this.#write(OWN_SERIES.distance, labels, distances);
    const marks = ticks.flatMap(({ at, isMark }) => (isMark ? [[at, at] as const] : []));
    this.#write(OWN_SERIES.mark, labels, marks);
    for (const { at, facts } of ticks) {
      for (const device of facts) this.#write(OWN_SERIES.info, { ...labels, ...infoLabels(device) }, [[at, at]]);
    }
  }

  #writeMetric(pass: number, uuid: string, id: string, samples: Samples): void {
    const labels = { pass: `${pass}`, uuid, metric: id };
    this.#write(seriesName(id), labels, samples);
    if (findMetric(id)?.unit !== 'bits') return;
    for (let bit = 0; bit < 32; bit++) {
      const set = samples.filter(([, value]) => ((value >>> bit) & 1) === 1).map(([at]) => [at, 1] as const);
      if (set.length > 0) this.#write(OWN_SERIES.bit, { ...labels, bit: `${bit}` }, set);
    }
  }

  #write(name: string, labels: Readonly<Record<string, string>>, samples: Samples): void {
    if (samples.length === 0) return;
    const out = this.#out;
    const encoded = this.#encoded(name, labels);
    out.message(1, () => {
      out.raw(encoded);
      for (const [at, value] of samples) {
        out.message(2, () => {
          out.double(1, value);
          out.integer(2, at);
        });
      }
    });
  }

  #encoded(name: string, own: Readonly<Record<string, string>>): Buffer {
    const key = `${name}\n${Object.values(own).join('\n')}`;
    const known = this.#labels.get(key);
    if (known !== undefined) return known;
    const { host, origin, labels } = this.#identity;
    const out = this.#label;
    out.clear();
    // Receivers demand labels sorted by name.
    const all = Object.entries({ ...labels, host, origin, ...own, __name__: name }).sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    for (const [label, value] of all) {
      if (value === '') continue;
      out.message(1, () => {
        out.text(1, label);
        out.text(2, value);
      });
    }
    const encoded = Buffer.from(out.finish());
    if (this.#labels.size >= MOST_KEPT) this.#labels.clear();
    this.#labels.set(key, encoded);
    this.#seriesMade++;
    return encoded;
  }
}

/** What is known of a device, for people's queries, and all of it in a form that comes back exactly. */
function infoLabels(device: Device): Readonly<Record<string, string>> {
  const { uuid, index, name, vendor } = device;
  return { uuid, index: `${index}`, name, vendor, device: JSON.stringify(device) };
}

function byPass(ticks: readonly RecordedTick[]): ReadonlyMap<number, readonly RecordedTick[]> {
  return Map.groupBy(ticks, ({ pass }) => pass);
}

/** Samples by device and column, in the order of time. */
function byDevice(ticks: readonly RecordedTick[]): ReadonlyMap<string, ReadonlyMap<number, Samples>> {
  const devices = new Map<string, Map<number, [Millis, number][]>>();
  for (const { at, rows } of ticks) {
    for (const { uuid, columns, values } of rows) {
      const samples = devices.get(uuid) ?? new Map<number, [Millis, number][]>();
      devices.set(uuid, samples);
      for (let i = 0; i < columns.length; i++) {
        const list = samples.get(columns[i]!);
        if (list === undefined) samples.set(columns[i]!, [[at, values[i]!]]);
        else list.push([at, values[i]!]);
      }
    }
  }
  return devices;
}
