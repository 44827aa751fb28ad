import type { Clock, Stop } from '../model/clock.ts';
import type { AppError } from '../model/errors.ts';
import type { Origin, Probe, Source } from '../model/ports.ts';
import type { SourceStatus } from '../model/reader.ts';
import type { Tick } from '../model/tick.ts';
import { ProcessDirectory } from '../owners/procfs.ts';
import { Player } from '../sources/player.ts';
import { Sampler, type SourceDriver } from '../sources/sampler.ts';
import { TickFinisher } from '../sources/tick-finisher.ts';

export interface SupplyOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly speed: number;
  readonly origin: Origin;
  /** Shown while no source is open. */
  readonly name: string;
  readonly open: () => Promise<Probe>;
  readonly publish: (tick: Tick) => void;
  readonly drained: () => Promise<void>;
  /** Computed before a simulation goes on live. */
  readonly simulatedHistoryMs: number;
  /** Why a demonstration plays instead of this machine's GPUs, or null. */
  readonly demoReason: AppError | null;
}

/** How long to wait before looking for a GPU again. */
const SEARCH_MS = 10_000;

/**
 * The last stretch of simulated history is as fine as live data, what lies before it is coarser, but less than three
 * intervals apart, which would be gaps.
 */
const FINE_HISTORY_MS = 15 * 60_000;
const COARSE_STEP_MS = 2000;

/** Keeps ticks coming: looks for a source until there is one, then drives it in the way that suits it. */
export class Supply {
  readonly #options: SupplyOptions;
  readonly #processes = new ProcessDirectory();
  #source: Source | null = null;
  #driver: SourceDriver | null = null;
  #reason: AppError | null = null;
  #stopSearch: Stop = () => {};
  #stopped = false;
  readonly #ended = Promise.withResolvers<void>();

  constructor(options: SupplyOptions) {
    this.#options = options;
  }

  /** Resolves when a recording has been played to its end; other sources have none. */
  ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Starts with what a first probe found. Resolves once a simulation has its past; a recording goes on reading. */
  async start(first: Probe): Promise<void> {
    if (first.ok) await this.#drive(first.source);
    else this.#search(first.reason);
  }

  status(): SourceStatus {
    const { name, origin, intervalMs, demoReason } = this.#options;
    const driver = this.#driver?.status();
    return {
      name: this.#source?.name ?? name,
      origin,
      state: driver?.state ?? 'searching',
      reason: driver?.failure ?? this.#reason ?? demoReason,
      lastTickAt: driver?.lastTickAt ?? null,
      intervalMs,
      missedTicks: driver?.missedTicks ?? 0,
      notices: this.#source?.notices() ?? [],
    };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopSearch();
    this.#driver?.stop();
    await this.#source?.close();
  }

  #search(reason: AppError): void {
    this.#reason = reason;
    if (this.#stopped) return;
    this.#stopSearch = this.#options.clock.after(SEARCH_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const probe = await this.#options.open();
    if (this.#stopped) {
      if (probe.ok) await probe.source.close();
      return;
    }
    if (probe.ok) await this.#drive(probe.source);
    else this.#search(probe.reason);
  }

  async #drive(source: Source): Promise<void> {
    const { clock, intervalMs, speed, origin, publish, drained } = this.#options;
    this.#source = source;
    this.#reason = null;
    const finisher = new TickFinisher(source, (pid, monotonic) => this.#processes.lookup(pid, monotonic));
    if (origin === 'recorded') {
      const player = new Player({ source, clock, finisher, publish, speed, drained });
      this.#driver = player;
      void player.finished().then(this.#ended.resolve);
      return;
    }
    await this.#fillPast(source, finisher);
    if (!this.#stopped) this.#driver = new Sampler({ source, clock, intervalMs, finisher, publish });
  }

  async #fillPast(source: Source, finisher: TickFinisher): Promise<void> {
    const { clock, intervalMs, simulatedHistoryMs, publish, drained } = this.#options;
    const end = clock.now();
    let count = 0;
    for (let at = end - simulatedHistoryMs; at < end && !this.#stopped; ) {
      const tick = await source.sample(at);
      if (tick !== null) publish(finisher.finish(tick));
      if (++count % 256 === 0) await drained();
      at += at < end - FINE_HISTORY_MS ? Math.max(COARSE_STEP_MS, intervalMs) : intervalMs;
    }
    await drained();
  }
}
