import { CATALOGUE, findMetric, type MetricId, slotOf } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { Extent, StoredTick } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { HOST_UUID } from '../../model/tick.ts';
import type { Engine, Result } from './engine.ts';
import { type Identity, OWN_SERIES, selector } from './names.ts';
import { ceilEven } from './passes.ts';

/** A tick has a mark of its pass this long before it at most. */
export const MARK_WITHIN_MS = 61_000;
const FIRST_WINDOW_MS = 60_000;
const LONGEST_WINDOW_MS = 3_600_000;
/** Samples wanted in one answer. */
const SAMPLES = 100_000;

/** What one pass covers. */
interface Pass extends Extent {
  readonly pass: number;
}

/** Reads ticks of a host back from the engine they were sent to. All but the values is lost: reasons and states. */
export class EngineTicks {
  readonly #engine: Engine;
  readonly #identity: Identity;
  readonly #devices: ReadonlyMap<string, Device>;
  #asked = 0;

  constructor(engine: Engine, identity: Identity, devices: readonly Device[]) {
    this.#engine = engine;
    this.#identity = identity;
    this.#devices = new Map(devices.map((device) => [device.uuid, device]));
  }

  /** Metrics that have a value about that time; engines do not look so closely. Rejects like {@link Engine.query}. */
  async metrics(from: Millis, to: Millis): Promise<ReadonlySet<string>> {
    const match = selector(this.#identity, this.#asked++, { bit: [''] });
    return new Set(await this.#engine.labelValues('metric', match, from, to));
  }

  /** Ticks from `from`, inclusive, to `to`, exclusive, in the order in which they were sampled; rejects likewise. */
  async *ticks(from: Millis, to: Millis): AsyncGenerator<StoredTick> {
    if (from >= to) return;
    for (const pass of await this.#passes(from, to)) {
      let windowMs = FIRST_WINDOW_MS;
      const end = Math.min(to, pass.to + MARK_WITHIN_MS);
      for (let at = Math.max(from, pass.from); at < end; ) {
        const next = Math.min(end, at + windowMs);
        const results = await this.#samples(pass.pass, at, next);
        yield* this.#ticksOf(results);
        const samples = results.reduce((sum, { values }) => sum + values.length, 0);
        const fitting = (windowMs * SAMPLES) / Math.max(1, samples);
        windowMs = Math.min(LONGEST_WINDOW_MS, 2 * windowMs, Math.max(1000, Math.floor(fitting)));
        at = next;
      }
    }
  }

  async #passes(from: Millis, to: Millis): Promise<readonly Pass[]> {
    const start = ceilEven(Math.max(0, from - MARK_WITHIN_MS));
    const end = ceilEven(to);
    const ends = await Promise.all(
      ['min', 'max'].map((name) => {
        const match = selector(this.#identity, this.#asked++, {});
        const marks = `${OWN_SERIES.mark}${match}[${end - start}ms]`;
        return this.#engine.query(`${name} by (pass) (${name}_over_time(${marks}))`, end - 1);
      }),
    );
    const [first = [], last = []] = ends;
    const latest = new Map(last.map(({ labels, values }) => [labels['pass'], values[0]?.[1]]));
    return first
      .map(({ labels, values }) => ({
        pass: Number(labels['pass']),
        from: values[0]?.[1] ?? start,
        to: latest.get(labels['pass']) ?? end,
      }))
      .sort((a, b) => a.pass - b.pass);
  }

  #samples(pass: number, from: Millis, to: Millis): Promise<readonly Result[]> {
    const [first, end] = [ceilEven(from), ceilEven(to)];
    if (end <= first) return Promise.resolve([]);
    // Bits are in the values of their metric too.
    const match = selector(this.#identity, this.#asked++, { pass: [`${pass}`], bit: [''] });
    return this.#engine.query(`${match.slice(0, -1)},metric!=""}[${end - first}ms]`, end - 1);
  }

  *#ticksOf(results: readonly Result[]): Generator<StoredTick> {
    const ticks = new Map<Millis, Map<string, ReadingSet>>();
    for (const { labels, values } of results) {
      const [uuid = '', metric = ''] = [labels['uuid'], labels['metric']];
      if (findMetric(metric) === undefined) continue;
      const slot = slotOf(metric as MetricId);
      for (const [at, value] of values) {
        const tick = ticks.get(at) ?? new Map<string, ReadingSet>();
        ticks.set(at, tick);
        const readings = tick.get(uuid) ?? new ReadingSet();
        tick.set(uuid, readings);
        readings.setValue(slot, value);
      }
    }
    for (const at of [...ticks.keys()].sort((a, b) => a - b)) yield this.#tick(at, ticks.get(at)!);
  }

  #tick(at: Millis, sets: ReadonlyMap<string, ReadingSet>): StoredTick {
    const samples = [...this.#devices.values()].flatMap((device) => {
      const readings = sets.get(device.uuid);
      return readings === undefined ? [] : [{ device, state: 'ok' as const, readings }];
    });
    return { at, samples, host: sets.get(HOST_UUID) ?? null };
  }
}

/** Metrics of the catalogue among some names, in its order. */
export function inCatalogue(names: ReadonlySet<string>): readonly MetricId[] {
  return CATALOGUE.map(({ id }) => id).filter((id) => names.has(id));
}
