import type { Clock, Stop } from '../model/clock.ts';
import { type AppError, toAppError } from '../model/errors.ts';
import type { EventKind, GpuEvent, Severity } from '../model/event.ts';
import type { Source } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { Tick } from '../model/tick.ts';
import type { TickFinisher } from './tick-finisher.ts';

export interface DriverStatus {
  readonly state: 'running' | 'stalled' | 'ended';
  /** Wall-clock time at which the newest tick arrived. */
  readonly lastTickAt: Millis | null;
  readonly missedTicks: number;
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
}

/** A source that has not answered for this many intervals, and at least this long, counts as stalled. */
const STALL_INTERVALS = 3;
const STALL_MIN_MS = 3000;

/** How long a source may be silent before its last tick is called stale. */
export function staleAfter(intervalMs: number): number {
  return Math.max(STALL_INTERVALS * intervalMs, STALL_MIN_MS);
}

/**
 * Asks a source for a tick at every interval. It never asks again while a call is under way: ticks that fall due
 * meanwhile are counted as missed, and a call that takes too long is reported once when it stalls and once when it ends.
 */
export class Sampler implements SourceDriver {
  readonly #options: SamplerOptions;
  readonly #stopTimer: Stop;
  #state: 'running' | 'stalled' = 'running';
  #busySince: number | null = null;
  #lastTickAt: Millis | null = null;
  #missedTicks = 0;
  #failure: AppError | null = null;
  #stopped = false;

  constructor(options: SamplerOptions) {
    this.#options = options;
    this.#stopTimer = options.clock.every(options.intervalMs, () => this.#due());
    this.#due();
  }

  status(): DriverStatus {
    return {
      state: this.#state,
      lastTickAt: this.#lastTickAt,
      missedTicks: this.#missedTicks,
      failure: this.#failure,
    };
  }

  stop(): void {
    this.#stopped = true;
    this.#stopTimer();
  }

  #due(): void {
    if (this.#busySince === null) {
      void this.#sample();
      return;
    }
    this.#missedTicks++;
    const { clock, intervalMs } = this.#options;
    const silentMs = clock.monotonic() - this.#busySince;
    if (this.#state === 'running' && silentMs >= staleAfter(intervalMs)) {
      this.#state = 'stalled';
      this.#publishAlone('source-stalled', 'critical', silentMs);
    }
  }

  async #sample(): Promise<void> {
    const { source, clock, finisher, publish } = this.#options;
    const started = clock.monotonic();
    this.#busySince = started;
    try {
      const tick = await source.sample(clock.now());
      if (this.#stopped || tick === null) return;
      this.#failure = null;
      this.#lastTickAt = clock.now();
      const recovery = this.#recoveryEvent(clock.monotonic() - started);
      // Both clocks as they stood when the tick was asked for: a slow answer is no step of the wall clock.
      const finished = finisher.finish({ ...tick, monotonic: started });
      publish(recovery === null ? finished : { ...finished, events: [recovery, ...finished.events] });
    } catch (error) {
      this.#failure = toAppError(error);
    } finally {
      this.#busySince = null;
    }
  }

  /** Ends a stall; null where there was none. */
  #recoveryEvent(silentMs: number): GpuEvent | null {
    if (this.#state === 'running') return null;
    this.#state = 'running';
    return this.#event('source-recovered', 'info', silentMs);
  }

  /** Publishes an event for which there is no tick to ride on. */
  #publishAlone(kind: EventKind, severity: Severity, silentMs: number): void {
    const { clock, publish } = this.#options;
    publish({
      at: clock.now(),
      monotonic: clock.monotonic(),
      devices: [],
      events: [this.#event(kind, severity, silentMs)],
    });
  }

  #event(kind: EventKind, severity: Severity, silentMs: number): GpuEvent {
    const params = { seconds: Math.round(silentMs / 1000) };
    return { at: this.#options.clock.now(), kind, severity, uuid: null, params };
  }
}
