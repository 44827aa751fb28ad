import type { Extent } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import { medianOf } from '../range.ts';
import type { Engine, Result } from './engine.ts';
import { type Identity, OWN_SERIES, selector } from './names.ts';
import { ceilEven } from './passes.ts';
import type { RecordedTick } from './tick-record.ts';

/** How long a stretch is looked at for the typical distance of ticks, and at how many places of a long range. */
const STRETCH_MS = 600_000;
const PLACES = 8;
/** Long enough for any history, and short enough for every engine. */
const ALL_MS = 30 * 365 * 86_400_000;
/** A clock that was set back leaves samples behind what is now. */
const AHEAD_MS = 365 * 86_400_000;

/** What the engine tells of the history itself. */
export class Marks {
  readonly #engine: Engine;
  readonly #identity: Identity;
  #asked = 0;

  constructor(engine: Engine, identity: Identity) {
    this.#engine = engine;
    this.#identity = identity;
  }

  /** Those of some ticks that the engine does not have. */
  async missing(ticks: readonly RecordedTick[]): Promise<readonly RecordedTick[]> {
    const found = new Set<string>();
    for (const [pass, some] of Map.groupBy(ticks, ({ pass }) => pass)) {
      const times = some.map(({ at }) => at);
      for (const at of await this.#ticksOf(pass, Math.min(...times), Math.max(...times))) found.add(`${pass} ${at}`);
    }
    return ticks.filter(({ pass, at }) => !found.has(`${pass} ${at}`));
  }

  /** True where the engine shows a tick. */
  async has(pass: number, at: Millis): Promise<boolean> {
    return (await this.#ticksOf(pass, at, at)).length > 0;
  }

  /** Typical distance of two ticks within a range, of which `known` is what the engine has; null where there are none. */
  async typicalInterval(from: Millis, to: Millis, known: Extent | null): Promise<Millis | null> {
    const first = ceilEven(Math.max(from, known?.from ?? from));
    const end = ceilEven(Math.min(to, known === null ? to : known.to + 1));
    if (end <= first) return null;
    const span = end - first;
    const whole = () => this.#engine.query(this.#medianOver(span), end - 1);
    if (span <= PLACES * STRETCH_MS) return middleOf(await whole());
    const step = ceilEven((span - STRETCH_MS) / (PLACES - 1));
    const places = await this.#engine.queryRange(this.#medianOver(STRETCH_MS), first + STRETCH_MS - 1, end - 1, step);
    // Where so many places hold nothing there is little at all.
    return middleOf(places) ?? middleOf(await whole());
  }

  /** The time span of what the engine has; null where that is nothing. */
  async extent(now: Millis): Promise<Extent | null> {
    const range = `${OWN_SERIES.mark}${this.#all()}[${ALL_MS}ms]`;
    const ends = await Promise.all(
      ['min', 'max'].map((end) => this.#engine.query(`${end}(${end}_over_time(${range}))`, now + AHEAD_MS)),
    );
    const [from, to] = ends.map(([result]) => result?.values[0]?.[1]);
    return from === undefined || to === undefined ? null : { from, to };
  }

  async #ticksOf(pass: number, from: Millis, to: Millis): Promise<readonly Millis[]> {
    const match = selector(this.#identity, this.#asked++, { pass: [`${pass}`] });
    const results = await this.#engine.query(`${OWN_SERIES.tick}${match}[${to - from + 2}ms]`, to + 1);
    return results.flatMap(({ values }) => values.map(([at]) => at));
  }

  #medianOver(ms: number): string {
    return `quantile_over_time(0.5, ${OWN_SERIES.distance}${this.#all()}[${ms}ms])`;
  }

  #all(): string {
    // Each question is another one, so that none is answered with what an engine remembers.
    return selector(this.#identity, this.#asked++, {});
  }
}

function middleOf(results: readonly Result[]): Millis | null {
  return medianOf(results.flatMap(({ values }) => values.map(([, value]) => value)).filter((value) => value > 0));
}
