import type { Clock, Stop } from '../../model/clock.ts';
import { AppError, detailOf } from '../../model/errors.ts';
import type { Millis } from '../../model/reading.ts';
import { backOffMs } from '../../wire/retry.ts';
import type { Engine, Written } from './engine.ts';
import type { Marks } from './marks.ts';
import type { Delivered } from './position-file.ts';
import type { Portion, Spool } from './spool.ts';
import { decodeTick, type RecordedTick } from './tick-record.ts';
import type { WriteRequests } from './write-request.ts';

interface SenderParts {
  readonly engine: Engine;
  readonly spool: Spool;
  readonly requests: WriteRequests;
  readonly marks: Marks;
  readonly clock: Clock;
  /** 0…1, for the spread of retries. */
  readonly random: () => number;
}

/** Samples of one request, beyond what a single tick has: more take too long to encode in one go. */
const MOST_SAMPLES = 20_000;
const MOST_TICKS = 500;
/** How long ticks are gathered while all is well: one request for five costs little more than one for each. */
const GATHER_MS = 5000;
/** How soon what may have been delivered shows, so that it can be looked for. */
const SHOWS_MS = 2000;
/** Ticks that an engine may have taken and lost when it died: VictoriaMetrics keeps some seconds in memory only. */
const MAY_BE_LOST = 300;
/** Where the engine takes data but answers no question so many times, it is not asked any more what it has. */
const MOST_FAILED_CHECKS = 5;

/** Why nothing is delivered at the moment. */
export interface Trouble {
  readonly reason: string;
  readonly since: Millis;
}

/**
 * Delivers what waits in the queue, oldest first, one request at a time. What the engine does not take now is sent again
 * with back-off; what it will never take is given up and counted, tick by tick. Where an answer got lost, the engine is
 * asked what it has before anything is sent twice: Prometheus would refuse it, VictoriaMetrics keep it twice. And where the
 * engine was away, it is asked whether it still has what it took last.
 */
export class Sender {
  readonly #parts: SenderParts;
  #running: Promise<void> | null = null;
  #stopWait: Stop = () => {};
  #isWaiting = false;
  #isStopped = false;
  #failedInRow = 0;
  #failedChecks = 0;
  #mostTicks = MOST_TICKS;
  /** The last answer got lost, perhaps in the life of the process before. */
  #isUncertain: boolean;
  /** The engine was away, or may have been. */
  #wasAway: boolean;
  #trouble: Trouble | null = null;
  #refused = 0;
  #lastRefusal: string | null = null;
  #idle: (() => void)[] = [];

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#isUncertain = parts.spool.queued > 0 || parts.spool.delivered !== null;
    this.#wasAway = this.#isUncertain;
    if (this.#isUncertain) this.#wait(SHOWS_MS);
  }

  get trouble(): Trouble | null {
    return this.#trouble;
  }

  /** Ticks that the engine did not want. */
  get refused(): number {
    return this.#refused;
  }

  get lastRefusal(): string | null {
    return this.#lastRefusal;
  }

  /** There is something new in the queue. */
  wake(): void {
    if (this.#running !== null || this.#isWaiting || this.#isStopped) return;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      if (this.#isWaiting || this.#isStopped || this.#parts.spool.queued === 0) this.#tellIdle();
      else this.wake();
    });
  }

  /** Resolves once nothing waits any more, or nothing can be delivered. Tries soon, whatever the back-off. */
  async drained(): Promise<void> {
    const { spool } = this.#parts;
    if (this.#isWaiting) {
      this.#endWait();
      if (this.#isUncertain) this.#wait(SHOWS_MS);
    }
    if (spool.queued === 0 && this.#running === null) return;
    const idle = new Promise<void>((resolve) => this.#idle.push(resolve));
    this.wake();
    await idle;
  }

  /** Ends after the request under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endWait();
    await this.#running;
    this.#tellIdle();
  }

  async #run(): Promise<void> {
    try {
      if (this.#wasAway) await this.#repair();
      for (let count = 0; !this.#isWaiting && !this.#isStopped; count++) {
        const portion = await this.#parts.spool.peek(this.#mostTicks);
        if (portion === null) {
          if (count > 0) this.#wait(GATHER_MS);
          return;
        }
        await this.#deliver(portion);
      }
    } catch (error) {
      this.#retry(error instanceof AppError ? `${error.params['detail'] ?? error.message}` : detailOf(error), null);
    }
  }

  /** Sends again what the engine took before it was away and does not have any more. */
  async #repair(): Promise<void> {
    for (const { records, metrics } of await this.#parts.spool.recent(MAY_BE_LOST)) {
      const missing = await this.#missing(records.flatMap(decoded), []);
      for (let ticks = missing; ticks.length > 0; ) {
        const some = ticks.slice(0, mostFitting(ticks));
        const answer = await this.#write(some, metrics);
        // Nothing is lost for certain, so that a refusal is no news.
        if (answer.kind === 'retry') return;
        ticks = ticks.slice(some.length);
      }
    }
    this.#wasAway = false;
  }

  async #deliver(portion: Portion): Promise<void> {
    const { spool } = this.#parts;
    const ticks = portion.records.flatMap(decoded);
    const most = mostFitting(ticks);
    if (most < portion.records.length) {
      const smaller = await spool.peek(most);
      if (smaller !== null) await this.#deliver(smaller);
      return;
    }
    const missing = this.#isUncertain ? await this.#missing(ticks, ticks) : ticks;
    if (missing.length > 0) {
      const answer = await this.#write(missing, portion.metrics);
      if (answer.kind === 'retry') return;
      if (answer.kind === 'refused' && portion.records.length > 1) {
        // One bad tick is no reason to give up the others.
        this.#mostTicks = Math.ceil(portion.records.length / 2);
        return;
      }
      if (answer.kind === 'refused') {
        this.#refused += missing.length;
        this.#lastRefusal = answer.reason;
      }
    }
    this.#refused += portion.records.length - ticks.length;
    this.#isUncertain = false;
    this.#failedInRow = 0;
    this.#trouble = null;
    this.#mostTicks = Math.min(MOST_TICKS, this.#mostTicks * 2);
    await spool.advance(portion.next, joined(spool.delivered, ticks));
  }

  /** Sends ticks; where they are to be sent again, waits before that. */
  async #write(ticks: readonly RecordedTick[], metrics: readonly string[]): Promise<Written> {
    const { engine, requests, clock } = this.#parts;
    const answer = await engine.write(requests.encode(ticks, metrics), clock.now());
    if (answer.kind !== 'retry') return answer;
    this.#isUncertain ||= answer.isUncertain;
    this.#wasAway ||= answer.isAway;
    this.#retry(answer.reason, answer.retryAfterMs);
    return answer;
  }

  /** Those of some ticks that the engine does not have; `unasked` where it does not answer such questions. */
  async #missing(ticks: readonly RecordedTick[], unasked: readonly RecordedTick[]): Promise<readonly RecordedTick[]> {
    if (this.#failedChecks >= MOST_FAILED_CHECKS) return unasked;
    try {
      const missing = await this.#parts.marks.missing(ticks);
      this.#failedChecks = 0;
      return missing;
    } catch (error) {
      // An empty request tells an engine that is away from one that only answers no questions.
      const { engine, requests, clock } = this.#parts;
      const { kind } = await engine.write(requests.encode([], []), clock.now());
      this.#failedChecks = kind === 'taken' ? this.#failedChecks + 1 : 0;
      throw error;
    }
  }

  #retry(reason: string, afterMs: number | null): void {
    const { clock, random, spool } = this.#parts;
    spool.putBack();
    this.#trouble = { reason, since: this.#trouble?.since ?? clock.now() };
    this.#failedInRow++;
    const backOff = backOffMs(this.#failedInRow, random());
    this.#wait(Math.max(afterMs ?? backOff, this.#isUncertain ? SHOWS_MS : 0));
  }

  #wait(ms: number): void {
    this.#isWaiting = true;
    this.#stopWait = this.#parts.clock.after(ms, () => {
      this.#isWaiting = false;
      this.wake();
    });
  }

  #endWait(): void {
    this.#stopWait();
    this.#isWaiting = false;
  }

  #tellIdle(): void {
    for (const tell of this.#idle.splice(0)) tell();
  }
}

/** So many of the ticks are one request. */
function mostFitting(ticks: readonly RecordedTick[]): number {
  let samples = 0;
  for (const [i, { rows }] of ticks.entries()) {
    for (const { values } of rows) samples += values.length;
    if (samples > MOST_SAMPLES) return Math.max(1, i);
  }
  return Number.POSITIVE_INFINITY;
}

/** Nothing where the record cannot be read, as after a fault of the disk that its checksum did not show. */
function decoded(record: Buffer): readonly RecordedTick[] {
  try {
    return [decodeTick(record)];
  } catch {
    return [];
  }
}

function joined(before: Delivered | null, ticks: readonly RecordedTick[]): Delivered | null {
  const last = ticks.at(-1);
  if (last === undefined) return before;
  const times = ticks.map(({ at }) => at);
  return {
    pass: last.pass,
    last: last.at,
    from: Math.min(before?.from ?? Number.POSITIVE_INFINITY, ...times),
    to: Math.max(before?.to ?? Number.NEGATIVE_INFINITY, ...times),
  };
}
