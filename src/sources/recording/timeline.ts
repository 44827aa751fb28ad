import type { GpuEvent } from '../../model/event.ts';
import { isoTime } from '../../model/format.ts';
import type { Millis } from '../../model/reading.ts';
import type { Tick } from '../../model/tick.ts';
import type { RecordingReport } from './report.ts';
import type { LogSection } from './rows.ts';

/** Distance of samples that is assumed where the log does not tell. */
const ASSUMED_INTERVAL_MS = 1000;

/** A hole of more than so many intervals before a header means that the log was started again. */
const RESTART_INTERVALS = 3;

/** Going back further than this is no correction of the clock but another recording. */
const LONGEST_CORRECTION_MS = 60_000;

const NO_EVENTS: readonly GpuEvent[] = [];

/** The time of a tick, and what happened to the clock or the log before it. */
export interface Moment {
  readonly at: Millis;
  readonly monotonic: number;
  /** Times that count from the start of the machine begin anew with it. */
  readonly isCountedAnew: boolean;
  readonly events: readonly GpuEvent[];
}

/** Turns the times of rows, of whatever kind they are, into the times of ticks. */
export class Timeline {
  /** First and last time that was given to a tick; null before the first. */
  from: Millis | null = null;
  to: Millis | null = null;
  restarts = 0;
  readonly #anchor: Millis;
  readonly #report: RecordingReport;
  #clock: LogSection['clock'] = 'none';
  #intervalMs: number | null = null;
  #last = Number.NaN;
  #monotonic = 0;
  /** Epoch time at which the elapsed time is 0. */
  #base = Number.NaN;
  #lastElapsed = 0;
  #isRestarted = false;
  #hasNewHeader = false;
  #ticksSinceHeader = 0;

  /** `anchor` is the start of a log whose rows do not tell it. */
  constructor(anchor: Millis, report: RecordingReport) {
    this.#anchor = anchor;
    this.#report = report;
  }

  /** Rows further apart than this belong to different ticks. */
  get halfInterval(): number {
    return this.#intervalMs === null ? Number.POSITIVE_INFINITY : this.#intervalMs / 2;
  }

  get hasTimes(): boolean {
    return this.#clock !== 'none';
  }

  section({ clock, intervalMs }: LogSection): void {
    if (clock !== this.#clock) this.#base = Number.NaN;
    this.#clock = clock;
    this.#intervalMs = intervalMs ?? this.#intervalMs;
    const start = isoTime(this.#anchor);
    if (clock === 'elapsed') this.#report.remark('notice.times-elapsed', { start });
    if (clock === 'none') this.#report.remark('notice.times-assumed', { start });
  }

  /** A header in front of every tick says nothing; one after several ticks may be a new start. */
  header(): void {
    if (this.#ticksSinceHeader > 1) this.#hasNewHeader = true;
    this.#ticksSinceHeader = 0;
  }

  /** Epoch milliseconds of a row; NaN where rows have no time. */
  timeOf(time: number): number {
    if (this.#clock !== 'elapsed') return time;
    if (Number.isNaN(this.#base)) {
      this.#base = Number.isNaN(this.#last) ? this.#anchor : this.#following() - time;
    } else if (time < this.#lastElapsed - Math.min(this.halfInterval, ASSUMED_INTERVAL_MS)) {
      // Counting from the start again: the script was restarted at a time nobody wrote down.
      this.#base = this.#following() - time;
      this.#isRestarted = true;
    }
    this.#lastElapsed = time;
    return this.#base + time;
  }

  /** Begins a tick at the time of its first row; NaN for the time that follows the tick before. */
  next(time: number): Moment {
    const isFirst = Number.isNaN(this.#last);
    const at = Number.isNaN(time) ? (isFirst ? this.#anchor : this.#following()) : time;
    const events = isFirst ? NO_EVENTS : this.#advance(at);
    const isCountedAnew = this.#isRestarted;
    this.#last = at;
    this.#ticksSinceHeader++;
    this.#hasNewHeader = false;
    this.#isRestarted = false;
    this.from = Math.min(at, this.from ?? at);
    this.to = Math.max(at, this.to ?? at);
    return { at, monotonic: this.#monotonic, isCountedAnew, events };
  }

  /** A tick that brings its own time. */
  note({ at, events }: Pick<Tick, 'at' | 'events'>): void {
    this.from = Math.min(at, this.from ?? at);
    this.to = Math.max(at, this.to ?? at);
    if (events.some(({ kind }) => kind === 'recording-restarted')) this.restarts++;
  }

  #following(): Millis {
    return this.#last + (this.hasTimes ? (this.#intervalMs ?? ASSUMED_INTERVAL_MS) : ASSUMED_INTERVAL_MS);
  }

  #advance(at: Millis): readonly GpuEvent[] {
    const step = at - this.#last;
    const intervalMs = this.#intervalMs ?? ASSUMED_INTERVAL_MS;
    this.#monotonic += step >= 0 ? step : intervalMs;
    if (step > 0) this.#intervalMs ??= step;
    const isJump = step < 0 || step > RESTART_INTERVALS * intervalMs;
    const isRestart = this.#isRestarted || (this.#hasNewHeader && isJump) || step < -LONGEST_CORRECTION_MS;
    if (step >= 0 && !isRestart) return NO_EVENTS;
    const events: GpuEvent[] = [];
    if (step < 0) {
      const seconds = Math.round(step) / 1000;
      events.push({ at, kind: 'clock-stepped', severity: 'warning', uuid: null, params: { seconds } });
    }
    if (isRestart) {
      this.restarts++;
      events.push({ at, kind: 'recording-restarted', severity: 'info', uuid: null, params: {} });
    }
    return events;
  }
}
