import type { Clock, Stop } from '../model/clock.ts';
import { type AppError, toAppError } from '../model/errors.ts';
import type { EventKind, GpuEvent, Severity } from '../model/event.ts';
import type { EventFeed, HostReader, Source } from '../model/ports.ts';
import type { TickTimes } from '../model/reader.ts';
import type { Millis } from '../model/reading.ts';
import type { Tick } from '../model/tick.ts';
import type { TickFinisher } from './tick-finisher.ts';

export interface DriverStatus {
  readonly state: 'running' | 'stalled' | 'ended';
  /** Wall-clock time at which the newest tick arrived. */
  readonly lastTickAt: Millis | null;
  readonly missedTicks: number;
  /** Typical distance of two ticks of a recording; missing for what is sampled, and while it is not known. */
  readonly intervalMs?: number;
  /** Missing before the first tick, and for what is played rather than sampled. */
  readonly ticks?: TickTimes;
  /** Why the newest attempt gave no tick, or null. */
  readonly failure: AppError | null;
}

/** Whoever pulls ticks out of a source and hands them on. */
export interface SourceDriver {
  status(): DriverStatus;
  /** Stops asking the source; a call under way is not waited for. */
  stop(): void;
}

export interface SamplerOptions {
  readonly source: Source;
  readonly clock: Clock;
  /** Milliseconds between ticks, 100…3600000. */
  readonly intervalMs: number;
  readonly finisher: TickFinisher;
  readonly publish: (tick: Tick) => void;
  /** What happens beside the ticks of the source; its events ride on the next tick, or alone while there is none. */
  readonly feeds?: readonly EventFeed[];
  /** Reads the machine with every tick; left out where the ticks are not about this machine. */
  readonly host?: HostReader;
}

/** Data is old after so many intervals, and at least so long, without a new tick. */
const STALE_INTERVALS = 3;
const STALE_MIN_MS = 3000;

/** Silence that lasts so long is an event. A driver that merely takes its time now and then is none. */
const STALL_MIN_MS = 10_000;
/** A driver that is being started may take longer. */
const START_MS = 60_000;

const NO_EVENTS: readonly GpuEvent[] = [];
const NO_HOST = {};

/** How long a source may be silent before its last tick is called stale. */
export function staleAfter(intervalMs: number): number {
  return Math.max(STALE_INTERVALS * intervalMs, STALE_MIN_MS);
}

/**
 * Asks a source for a tick at every interval. It never asks again while a call is under way: ticks that fall due
 * meanwhile are counted as missed. A source that gives no data for long, because a call does not return or because calls
 * fail, is reported once when that has become clear and once when it ends.
 */
export class Sampler implements SourceDriver {
  readonly #options: SamplerOptions;
  readonly #stopTimer: Stop;
  #state: 'running' | 'stalled' = 'running';
  #isBusy = false;
  /** When data came last, on the monotonic clock; at first, when sampling began. */
  #answeredAt: number;
  #lastTickAt: Millis | null = null;
  #missedTicks = 0;
  #ticks: TickTimes | null = null;
  #failure: AppError | null = null;
  #stopped = false;

  constructor(options: SamplerOptions) {
    this.#options = options;
    this.#answeredAt = options.clock.monotonic();
    this.#stopTimer = options.clock.every(options.intervalMs, () => this.#due());
    this.#due();
  }

  status(): DriverStatus {
    return {
      state: this.#state,
      lastTickAt: this.#lastTickAt,
      missedTicks: this.#missedTicks,
      failure: this.#failure,
      ...(this.#ticks !== null && { ticks: this.#ticks }),
    };
  }

  stop(): void {
    this.#stopped = true;
    this.#stopTimer();
  }

  #due(): void {
    const isLate = this.#isBusy;
    if (isLate) this.#missedTicks++;
    else void this.#sample();
    const { clock, intervalMs } = this.#options;
    const silentMs = clock.monotonic() - this.#answeredAt;
    const stalls =
      this.#state === 'running' &&
      silentMs >= Math.max(staleAfter(intervalMs), this.#lastTickAt === null ? START_MS : STALL_MIN_MS);
    if (stalls) this.#state = 'stalled';
    const events = stalls ? [this.#event('source-stalled', 'critical', silentMs)] : NO_EVENTS;
    // What the kernel logs, and how the host is, matters most while the driver does not answer.
    if (isLate || stalls) this.#publishWithoutTick(events);
  }

  async #sample(): Promise<void> {
    const { source, clock, finisher, publish } = this.#options;
    const started = clock.monotonic();
    this.#isBusy = true;
    try {
      const at = clock.now();
      const tick = await source.sample(at);
      const naming = tick === null ? null : finisher.prepare(tick);
      if (naming !== null) await naming;
      if (this.#stopped || tick === null) return;
      this.#failure = null;
      this.#took((clock.monotonic() - started) / 1000);
      const hasData = tick.devices.length > 0 || source.devices().length === 0;
      const recovery = hasData ? this.#answered() : null;
      // Both clocks as they stood at the same moment: a slow answer is no step of the wall clock.
      const finished = finisher.finish(tick.at === at ? { ...tick, monotonic: started } : tick);
      const more = recovery === null ? this.#fed() : [recovery, ...this.#fed()];
      publish({ ...finished, ...this.#hostSample(started), events: [...more, ...finished.events] });
    } catch (error) {
      this.#failure = toAppError(error);
      this.#publishWithoutTick(NO_EVENTS);
    } finally {
      this.#isBusy = false;
    }
  }

  #took(lastSeconds: number): void {
    const { count = 0, seconds = 0 } = this.#ticks ?? {};
    this.#ticks = { count: count + 1, seconds: seconds + lastSeconds, lastSeconds };
  }

  /** Takes note of data. Gives the event that ends a stall; null where there was none. */
  #answered(): GpuEvent | null {
    const now = this.#options.clock.monotonic();
    const silentMs = now - this.#answeredAt;
    this.#answeredAt = now;
    this.#lastTickAt = this.#options.clock.now();
    if (this.#state === 'running') return null;
    this.#state = 'running';
    return this.#event('source-recovered', 'info', silentMs);
  }

  /** Publishes what there is beside the tick that did not come. */
  #publishWithoutTick(events: readonly GpuEvent[]): void {
    const fed = this.#fed();
    const { clock, host } = this.#options;
    if (host === undefined && events.length === 0 && fed.length === 0) return;
    const monotonic = clock.monotonic();
    const tick = { at: clock.now(), monotonic, devices: [], events: [...fed, ...events] };
    this.#options.publish({ ...tick, ...this.#hostSample(monotonic) });
  }

  #fed(): readonly GpuEvent[] {
    const { feeds } = this.#options;
    return feeds === undefined ? NO_EVENTS : feeds.flatMap((feed) => feed.take());
  }

  #hostSample(monotonic: number): Pick<Tick, 'host'> {
    const { host } = this.#options;
    return host === undefined ? NO_HOST : { host: host.read(monotonic) };
  }

  #event(kind: EventKind, severity: Severity, silentMs: number): GpuEvent {
    const params = { seconds: Math.round(silentMs / 1000) };
    return { at: this.#options.clock.now(), kind, severity, uuid: null, params };
  }
}
