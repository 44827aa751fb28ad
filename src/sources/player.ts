import type { Clock } from '../model/clock.ts';
import { type AppError, toAppError } from '../model/errors.ts';
import type { Source } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { Tick } from '../model/tick.ts';
import { DrainPace } from './drain-pace.ts';
import type { DriverStatus, SourceDriver } from './sampler.ts';
import type { TickFinisher } from './tick-finisher.ts';

export interface PlayerOptions {
  readonly source: Source;
  readonly clock: Clock;
  readonly finisher: TickFinisher;
  readonly publish: (tick: Tick) => void;
  /** Seconds of the recording per second; Infinity plays it as fast as it can be stored. */
  readonly speed: number;
  /** Resolves once everything published so far has been taken in: keeps a fast recording from piling up in memory. */
  readonly drained: () => Promise<void>;
}

/** So many distances between two ticks tell how far apart they usually are. */
const TELLING_GAPS = 64;

/** A hole in a recording is not waited out for longer than this. */
const LONGEST_WAIT_MS = 5000;

/** Plays a recording from its first tick to its last. */
export class Player implements SourceDriver {
  readonly #options: PlayerOptions;
  readonly #finished: Promise<void>;
  #state: 'running' | 'ended' = 'running';
  #lastTickAt: Millis | null = null;
  #failure: AppError | null = null;
  #stopped = false;
  readonly #gaps: number[] = [];
  #wake: () => void = () => {};

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#finished = this.#play();
  }

  status(): DriverStatus {
    const intervalMs = middleOf(this.#gaps);
    return {
      state: this.#state,
      lastTickAt: this.#lastTickAt,
      missedTicks: 0,
      failure: this.#failure,
      ...(intervalMs !== null && { intervalMs }),
    };
  }

  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  /** Resolves when the recording has been played to its end, failed or was stopped. */
  finished(): Promise<void> {
    return this.#finished;
  }

  async #play(): Promise<void> {
    try {
      const pace = new DrainPace();
      let last: Tick | null = null;
      while (!this.#stopped) {
        const tick = await this.#options.source.sample(this.#options.clock.now());
        if (tick === null) break;
        if (last !== null) {
          this.#noteGap(tick.at - last.at);
          await this.#wait(tick.at - last.at);
        }
        if (this.#stopped) break;
        last = tick;
        this.#publish(tick);
        if (pace.isDueAfter(tick)) await this.#options.drained();
      }
      if (last !== null && !this.#stopped) this.#publishEnd(last);
      await this.#options.drained();
    } catch (error) {
      this.#failure = toAppError(error);
    }
    this.#state = 'ended';
  }

  #publish(tick: Tick): void {
    const { clock, finisher, publish } = this.#options;
    this.#lastTickAt = clock.now();
    publish(finisher.finish(tick));
  }

  #noteGap(ms: number): void {
    if (ms > 0 && this.#gaps.length < TELLING_GAPS) this.#gaps.push(ms);
  }

  #publishEnd({ at, monotonic }: Tick): void {
    const event = { at, kind: 'recording-ended', severity: 'info', uuid: null, params: {} } as const;
    this.#options.publish({ at, monotonic, devices: [], events: [event] });
  }

  async #wait(recordedMs: number): Promise<void> {
    const { clock, speed } = this.#options;
    const delayMs = Math.min(recordedMs / speed, LONGEST_WAIT_MS);
    if (!(delayMs > 0)) return;
    await new Promise<void>((resolve) => {
      const stopTimer = clock.after(delayMs, resolve);
      this.#wake = () => {
        stopTimer();
        resolve();
      };
    });
  }
}

/** The middle one of some numbers, null where there is none. */
function middleOf(numbers: readonly number[]): number | null {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}
