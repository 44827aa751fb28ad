import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Stop } from '../../model/clock.ts';
import { type Finding, type LiveFindings, RULES, type RuleId } from '../../model/finding.ts';
import type { TickSink } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import type { Tick } from '../../model/tick.ts';
import { diagnoseInSteps } from '../diagnose.ts';
import { headlineOf } from '../headline.ts';
import { TickLog } from '../window/tick-log.ts';
import { Window } from '../window/window.ts';
import { LastHour } from './last-hour.ts';
import { WATCHED_METRICS } from './watched-metrics.ts';

/** How often the newest minutes are looked at. */
const LOOK_MS = 20_000;

/** All that is held is looked at when it has grown by this share, or by so many cells. */
const GROWTH = 1 / 8;
const LEAST_GROWTH = 60;

/** What is held: an hour at most, or so many cells where they are further apart. Faster ticks share cells. */
const HELD_MS = 3_200_000;
const LEAST_CELLS = 720;
const CELL_MS = 1000;
/** Dropping the oldest costs as much however little it is, so a part of the whole goes at once: of an hour, what is above {@link HELD_MS}. */
const SPARE = 1.125;

/** Values held at most, 4 bytes each. With many GPUs the time that is held is shorter. */
const MOST_VALUES = 2 ** 21;

/** How much of the newest is looked at often. */
const NEWEST_SECONDS = 240;

/** A turn of the event loop is given back after so long. */
const SLICE_MS = 4;

/** What a few minutes can show. The rest takes a longer view, in which a pause is a pause. */
const QUICK_RULES: readonly RuleId[] = [
  'gpu-lost',
  'xid',
  'ecc-growth',
  'row-remap',
  'power-brake',
  'thermal-throttle',
  'pcie-degraded',
  'nvlink-degraded',
  'power-cap',
  'collective-hang',
  'memory-near-limit',
  'foreign-process',
  'data-starvation',
];

interface WatchOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Whether an Xid would be among the events. */
  readonly seesXids: () => boolean;
  /** Older ticks are passed over: a simulation has a long past. Null to take all. */
  readonly oldestMs: number | null;
}

/**
 * Diagnoses ticks as they come, with the detectors of a report. It holds the last hour of what they read, looks at the newest
 * minutes often and at all of it now and then, in slices between which everything else goes on.
 */
export class FindingsWatch implements TickSink {
  readonly #options: WatchOptions;
  readonly #log: TickLog;
  readonly #lastHour = new LastHour();
  /** Cells held at least, and cells of the newest minutes. */
  readonly #held: number;
  readonly #newest: number;
  #stopTimer: Stop = () => {};
  #running: Promise<void> | null = null;
  /** Cells that came since all was looked at, and since anything was. */
  #fresh = 0;
  #unseen = 0;
  #isUrgent = false;
  /** What is urgent came while something was being looked at. */
  #isOverdue = false;
  #at: Millis | null = null;
  #from: Millis | null = null;
  #to: Millis | null = null;
  /** Cells of the last look at all of it. */
  #cells = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    const perCell = Math.max(1, Math.round(CELL_MS / options.intervalMs));
    const cellMs = perCell * options.intervalMs;
    this.#held = Math.max(LEAST_CELLS, Math.round(HELD_MS / cellMs));
    this.#newest = Math.max(1, Math.round((NEWEST_SECONDS * 1000) / cellMs));
    this.#log = new TickLog({ metrics: WATCHED_METRICS, perCell, mostValues: Number.POSITIVE_INFINITY });
  }

  start(): void {
    this.#stopTimer = this.#options.clock.every(LOOK_MS, () => this.#look());
  }

  async stop(): Promise<void> {
    this.#stopTimer();
    await this.#running;
  }

  /** Resolves when nothing is being looked at. */
  async idle(): Promise<void> {
    await this.#running;
  }

  accept(tick: Tick): void {
    const { clock, oldestMs } = this.#options;
    if (oldestMs !== null && tick.at < clock.now() - oldestMs) return;
    const log = this.#log;
    const [before, names] = [log.length, log.names];
    log.add(tick);
    if (log.names !== names) this.#lastHour.rename(log.names);
    const grown = log.length - before;
    this.#fresh += grown;
    this.#unseen += grown;
    if (this.#running === null && grown > 0) this.#forget();
    if (tick.events.some(({ severity, kind }) => severity === 'critical' || kind === 'recording-ended')) this.#urge();
  }

  findings(): LiveFindings {
    const [at, from, to] = [this.#at, this.#from, this.#to];
    const findings = this.#lastHour.findings(to ?? 0);
    return { at, from, to, headline: at === null ? null : headlineOf(findings, this.#cells), findings };
  }

  /** Looks at all that is held, now. */
  async lookAtAll(): Promise<void> {
    await this.#running;
    await this.#run(true);
  }

  /** A fault that must not wait is looked at after the ticks that come with it, and what is over at once. */
  #urge(): void {
    if (this.#isUrgent) return;
    this.#isUrgent = true;
    this.#options.clock.after(2 * this.#options.intervalMs, () => this.#look());
  }

  #look(): void {
    if (this.#running !== null) {
      this.#isOverdue ||= this.#isUrgent;
      return;
    }
    this.#isOverdue = false;
    if (this.#fresh === 0 && !this.#isUrgent) return;
    this.#isUrgent = false;
    // Where nothing comes any more, as at the end of a recording, all of it is looked at once.
    const isEnd = this.#unseen === 0;
    const isDue = this.#fresh >= Math.max(LEAST_GROWTH, Math.floor(this.#log.length * GROWTH));
    void this.#run(isEnd || isDue);
  }

  #run(isWhole: boolean): Promise<void> {
    this.#running = this.#diagnose(isWhole).finally(() => {
      this.#running = null;
      if (this.#isOverdue) this.#look();
    });
    return this.#running;
  }

  async #diagnose(isWhole: boolean): Promise<void> {
    const log = this.#log;
    if (log.length === 0 && log.events.length === 0) return;
    const { clock, seesXids } = this.#options;
    const [newest, oldest] = [log.times[log.length - 1] ?? clock.now(), log.times[0] ?? clock.now()];
    this.#unseen = 0;
    if (isWhole) this.#fresh = 0;
    const isAll = isWhole || log.length <= this.#newest;
    const window = new Window(isAll ? log : log.tail(log.length - this.#newest), { seesXids: seesXids() });
    const findings = await inSlices(window, isAll ? RULES : QUICK_RULES);
    if (isAll) {
      this.#lastHour.takeWhole(findings, oldest);
      this.#cells = window.length;
    } else this.#lastHour.takeNewest(findings);
    [this.#at, this.#from, this.#to] = [clock.now(), oldest, newest];
  }

  #forget(): void {
    const { length } = this.#log;
    if (length > SPARE * this.#held) this.#log.forget(length - this.#held);
    else if (length % 64 === 0 && this.#log.room > MOST_VALUES) this.#log.forget(Math.ceil(length / 8));
  }
}

/** Diagnoses without holding up the thread. */
async function inSlices(window: Window, rules: readonly RuleId[]): Promise<readonly Finding[]> {
  const steps = diagnoseInSteps(window, rules);
  let began = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (performance.now() - began < SLICE_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}
