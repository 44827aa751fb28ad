import type { Clock, Stop } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import { AppError } from '../model/errors.ts';
import type { EventKind, GpuEvent } from '../model/event.ts';
import type { OwnerLookup } from '../model/owner-lookup.ts';
import type { Origin, Probe, Source, TopologyLink } from '../model/ports.ts';
import type { SourceStatus } from '../model/reader.ts';
import type { Millis } from '../model/reading.ts';
import type { Tick } from '../model/tick.ts';
import { DrainPace } from '../sources/drain-pace.ts';
import { Player } from '../sources/player.ts';
import { type DriverStatus, Sampler, type SourceDriver } from '../sources/sampler.ts';
import { TickFinisher } from '../sources/tick-finisher.ts';
import { hostOwners } from './host-owners.ts';
import { type MachineWatch, watchMachine } from './machine-watch.ts';

export interface SupplyOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Seconds of a recording per second; as fast as it can be taken by default. */
  readonly speed?: number;
  readonly origin: Origin;
  /** Shown while no source is open. */
  readonly name: string;
  /** `known` are the devices that were there before they were let go of. */
  readonly open: (known: readonly Device[]) => Promise<Probe>;
  readonly publish: (tick: Tick) => void;
  readonly drained: () => Promise<void>;
  /** Computed before a simulation goes on live; nothing by default. */
  readonly simulatedHistoryMs?: number;
  /** How often the CPU time of processes is read, where somebody watches them. */
  readonly usageMs?: number;
  /** False where nobody looks at how the host is: it is not read then. True by default. */
  readonly readsHost?: boolean;
  /** Why a demonstration plays instead of this machine's GPUs; null and by default where none does. */
  readonly demoReason?: AppError | null;
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
  #owners: OwnerLookup | null = null;
  #source: Source | null = null;
  #driver: SourceDriver | null = null;
  #machine: MachineWatch | null = null;
  #reason: AppError | null = null;
  #stopSearch: Stop = () => {};
  #stopped = false;
  #releasedUntil: Millis | null = null;
  /** The GPUs are being taken up again; they are as good as released until that is done. */
  #isResuming = false;
  #known: readonly Device[] = [];
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
    const { name, origin, intervalMs, demoReason = null } = this.#options;
    const driver = this.#driver?.status();
    return {
      name: this.#source?.name ?? name,
      origin,
      state: this.#state(driver),
      reason: driver?.failure ?? this.#reason ?? demoReason,
      lastTickAt: driver?.lastTickAt ?? null,
      intervalMs: driver?.intervalMs ?? intervalMs,
      releasedUntil: this.#releasedUntil,
      missedTicks: driver?.missedTicks ?? 0,
      ...(driver?.ticks !== undefined && { ticks: driver.ticks }),
      notices: [
        ...(this.#source?.notices() ?? []),
        ...(this.#machine?.notices() ?? []),
        ...(this.#owners?.lacks() ?? []),
      ],
    };
  }

  /** How the devices are joined; null where the source cannot tell, or there is none. */
  topology(): readonly TopologyLink[] | null {
    return this.#source?.topology?.() ?? null;
  }

  /** A driver that is still being started has not been found yet. */
  #state(driver: DriverStatus | undefined): SourceStatus['state'] {
    if (this.#releasedUntil !== null) return 'released';
    if (driver === undefined) return 'searching';
    const isStarting = driver.lastTickAt === null && this.#source?.devices().length === 0;
    return isStarting && this.#options.origin === 'live' ? 'searching' : driver.state;
  }

  /** See {@link Controls.release}. */
  async release(forMs: number): Promise<void> {
    const { clock, origin } = this.#options;
    if (origin !== 'live' || (this.#source === null && this.#releasedUntil === null)) {
      throw new AppError('NOTHING_TO_RELEASE');
    }
    const isFirst = this.#releasedUntil === null;
    this.#isResuming = false;
    this.#releasedUntil = clock.now() + forMs;
    this.#stopSearch();
    this.#stopSearch = clock.after(forMs, () => void this.resume());
    if (!isFirst) return;
    await this.#letGo();
    this.#publishEvent('source-released', { seconds: Math.round(forMs / 1000) });
  }

  /** See {@link Controls.resume}. */
  async resume(): Promise<void> {
    if (this.#releasedUntil === null || this.#isResuming) return;
    this.#isResuming = true;
    this.#stopSearch();
    this.#publishEvent('source-resumed', {});
    await this.#look();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopSearch();
    await this.#letGo();
  }

  async #letGo(): Promise<void> {
    this.#driver?.stop();
    const [source, machine, owners] = [this.#source, this.#machine, this.#owners];
    this.#known = source?.devices() ?? [];
    this.#driver = null;
    this.#source = null;
    this.#machine = null;
    this.#owners = null;
    await machine?.close();
    owners?.close();
    await source?.close();
  }

  #publishEvent(kind: EventKind, params: GpuEvent['params']): void {
    const { clock, publish } = this.#options;
    const event: GpuEvent = { at: clock.now(), kind, severity: 'info', uuid: null, params };
    publish({ at: event.at, monotonic: clock.monotonic(), devices: [], events: [event] });
  }

  #search(reason: AppError): void {
    this.#reason = reason;
    if (this.#stopped) return;
    this.#stopSearch = this.#options.clock.after(SEARCH_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const probe = await this.#options.open(this.#known);
    if (this.#stopped || (this.#releasedUntil !== null && !this.#isResuming)) {
      if (probe.ok) await probe.source.close();
      return;
    }
    this.#isResuming = false;
    this.#releasedUntil = null;
    if (probe.ok) await this.#drive(probe.source);
    else this.#search(probe.reason);
  }

  async #drive(source: Source): Promise<void> {
    const { clock, intervalMs, speed = Number.POSITIVE_INFINITY, origin, publish, drained, usageMs } = this.#options;
    const { readsHost = true } = this.#options;
    this.#source = source;
    this.#reason = null;
    this.#owners = hostOwners(source, clock, usageMs);
    const finisher = new TickFinisher(source, this.#owners);
    if (origin === 'recorded') {
      const player = new Player({ source, clock, finisher, publish, speed, drained });
      this.#driver = player;
      void player.finished().then(this.#ended.resolve);
      return;
    }
    await this.#fillPast(source, finisher);
    if (this.#stopped) return;
    const machine = watchMachine(source, clock);
    this.#machine = machine;
    const host = machine !== null && readsHost ? { host: machine.host } : {};
    const feeds = machine === null ? {} : { feeds: machine.feeds };
    this.#driver = new Sampler({ source, clock, intervalMs, finisher, publish, ...feeds, ...host });
  }

  async #fillPast(source: Source, finisher: TickFinisher): Promise<void> {
    const { clock, intervalMs, simulatedHistoryMs = 0, publish, drained } = this.#options;
    const end = clock.now();
    const pace = new DrainPace();
    for (let at = end - simulatedHistoryMs; at < end && !this.#stopped; ) {
      const tick = await source.sample(at);
      if (tick !== null) {
        publish(finisher.finish(tick));
        if (pace.isDueAfter(tick)) await drained();
      }
      at += at < end - FINE_HISTORY_MS ? Math.max(COARSE_STEP_MS, intervalMs) : intervalMs;
    }
    await drained();
  }
}
