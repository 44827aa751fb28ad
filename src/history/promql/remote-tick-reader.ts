import type { MetricId } from '../../model/catalogue.ts';
import type { Clock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { EventQuery, Extent, StoredTick, TickReader } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import { openTickReader } from '../tick-reader.ts';
import { Engine, type EngineOptions } from './engine.ts';
import { EngineTicks, inCatalogue, MARK_WITHIN_MS } from './engine-ticks.ts';
import { Facts } from './facts.ts';
import { Marks } from './marks.ts';
import type { Identity } from './names.ts';

interface RemoteTickReaderOptions {
  readonly directory: string;
  readonly engine: Omit<EngineOptions, 'writeUrl'>;
  readonly identity: Identity;
  /** Since when the samples are in the engine. */
  readonly since: Millis;
  readonly clock: Clock;
}

/**
 * Opens all that is kept of a host whose samples are in an engine: what was kept in the directory before, and what the
 * engine has. Throws like {@link openTickReader}, or HISTORY_ENGINE_UNANSWERED or _REFUSED.
 */
export async function openRemoteTickReader(options: RemoteTickReaderOptions): Promise<TickReader> {
  const { directory, identity, clock } = options;
  const local = openTickReader(directory);
  try {
    const engine = new Engine({ ...options.engine, writeUrl: '' });
    const extent = await new Marks(engine, identity).extent(clock.now());
    const facts = new Facts(engine, identity, clock);
    await facts.asked();
    const devices = facts.joined(local.devices());
    return new RemoteTickReader(local, new EngineTicks(engine, identity, devices), devices, extent, options.since);
  } catch (error) {
    local.close();
    throw error;
  }
}

class RemoteTickReader implements TickReader {
  readonly #local: TickReader;
  readonly #engine: EngineTicks;
  readonly #devices: readonly Device[];
  readonly #extent: Extent | null;
  readonly #since: Millis;

  constructor(
    local: TickReader,
    engine: EngineTicks,
    devices: readonly Device[],
    extent: Extent | null,
    since: Millis,
  ) {
    this.#local = local;
    this.#engine = engine;
    this.#devices = devices;
    this.#extent = extent;
    this.#since = since;
  }

  get isComplete(): boolean {
    return this.#local.isComplete;
  }

  get damaged(): number {
    return this.#local.damaged;
  }

  devices(): readonly Device[] {
    return this.#devices;
  }

  extent(): Extent | null {
    const both = [this.#local.extent(), this.#extent].filter((extent) => extent !== null);
    if (both.length === 0) return null;
    return { from: Math.min(...both.map(({ from }) => from)), to: Math.max(...both.map(({ to }) => to)) };
  }

  async metrics(from: Millis, to: Millis): Promise<readonly MetricId[]> {
    const there = await this.#engine.metrics(from, to);
    const here = await this.#local.metrics(from, to);
    return inCatalogue(new Set([...there, ...here]));
  }

  /** By time where both have any, and within each in the order in which they were sampled. */
  async *ticks(from: Millis, to: Millis): AsyncGenerator<StoredTick> {
    const here = this.#localTicks(from, to);
    const there = this.#engineTicks(from, to);
    let [mine, other] = [await here.next(), await there.next()];
    for (;;) {
      if (mine.done === true && other.done === true) return;
      if (other.done === true || (mine.done !== true && mine.value.at <= other.value.at)) {
        if (mine.done !== true) yield mine.value;
        mine = await here.next();
      } else {
        yield other.value;
        other = await there.next();
      }
    }
  }

  /** Within what the engine has: a range of half a century is too long for a question. */
  async *#engineTicks(from: Millis, to: Millis): AsyncGenerator<StoredTick> {
    if (this.#extent === null) return;
    const { from: first, to: last } = this.#extent;
    yield* this.#engine.ticks(Math.max(from, first), Math.min(to, last + MARK_WITHIN_MS));
  }

  /** Without those that only tell of devices. */
  async *#localTicks(from: Millis, to: Millis): AsyncGenerator<StoredTick> {
    for await (const tick of this.#local.ticks(from, to)) {
      const holdsValues = tick.host !== null || tick.samples.some(({ readings }) => readings.isReadable());
      if (holdsValues || tick.at < this.#since) yield tick;
    }
  }

  events(query: EventQuery): readonly GpuEvent[] {
    return this.#local.events?.(query) ?? [];
  }

  close(): void {
    this.#local.close();
  }
}
