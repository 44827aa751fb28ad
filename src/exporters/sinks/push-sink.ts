import type { Clock, Stop } from '../../model/clock.ts';
import { detailOf } from '../../model/errors.ts';
import type { SinkStatus } from '../../model/exposition.ts';
import { answerWords } from '../../wire/answer-words.ts';
import { backOffMs, retryAfterMs } from '../../wire/retry.ts';
import type { PageWriter } from '../metric-profiles.ts';
import { type Page, writeWhole } from '../page.ts';
import type { Batch, Receiver, Verdict } from './receiver.ts';
import { SampleList } from './sample-list.ts';

interface PushSinkParts {
  readonly receiver: Receiver;
  readonly clock: Clock;
  readonly writer: PageWriter;
  /** What is known now; null where there is nothing new to push. */
  readonly page: () => Page | null;
  readonly intervalMs: number;
  /** Batches that may wait, beside the one under way; the oldest is given up for one more. */
  readonly capacity: number;
  readonly timeoutMs: number;
  /** 0…1, for the spread of retries. */
  readonly random?: () => number;
}

/** How much of an answer is read: enough for a reason. */
const ANSWER_BYTES = 2000;

/** How long a last attempt may take when gpulse stops. */
const FAREWELL_MS = 3000;

/** The longest wait of its own accord, as a share of the time that the queue holds. */
const WAIT_SHARE = 1 / 4;
/** A receiver that failed is left alone for so long, however fast the queue overflows. */
const LEAST_WAIT_MS = 1000;

/**
 * Pushes the newest page to one receiver at every interval. Pages are encoded and sent beside the ticks and wait in a
 * bounded queue while the receiver is away; what has to be given up is counted, and before anything is given up the
 * receiver is tried once more, unless it asked for patience itself.
 */
export class PushSink {
  readonly #parts: PushSinkParts;
  readonly #queue: Batch[] = [];
  readonly #stopTimer: Stop;
  #stopRetry: Stop = () => {};
  #abort: AbortController | null = null;
  #sending: Promise<void> | null = null;
  #encoding: Promise<void> | null = null;
  #failedInRow = 0;
  /** Monotonic; when the last attempt failed. */
  #failedAt = 0;
  /** For the end of a wait of our own, or of one that the receiver asked for. */
  #waiting: 'back-off' | 'asked' | null = null;
  /** Requests that the newest page took. */
  #batchesPerPage = 1;
  #isClosing = false;
  #stopped = false;
  #sent = 0;
  #lost = 0;
  #failures = 0;
  #lastFailure: string | null = null;

  constructor(parts: PushSinkParts) {
    this.#parts = parts;
    this.#stopTimer = parts.clock.every(parts.intervalMs, () => this.push());
  }

  status(): SinkStatus {
    return {
      name: this.#parts.receiver.name,
      queued: this.#queue.length,
      capacity: this.#parts.capacity,
      sentSamples: this.#sent,
      lostSamples: this.#lost,
      failures: this.#failures,
      lastFailure: this.#lastFailure,
    };
  }

  /** Takes the newest page into the queue. Called at every interval; a page that is still encoded is enough. */
  push(): void {
    if (this.#encoding !== null || this.#isClosing) return;
    const page = this.#parts.page();
    if (page === null) return;
    this.#encoding = this.#encode(page).finally(() => {
      this.#encoding = null;
    });
  }

  /** Sends what waits, once and not for long, and takes leave of the receiver. */
  async close(): Promise<void> {
    this.#stopTimer();
    this.#stopRetry();
    await this.#encoding;
    this.#isClosing = true;
    const limit = this.#parts.clock.after(FAREWELL_MS, () => this.#abort?.abort());
    this.#waiting = null;
    this.#drain();
    await this.#sending;
    this.#stopRetry();
    this.#stopped = true;
    for (const { samples } of this.#queue.splice(0)) this.#lost += samples;
    const { farewell, headers } = this.#parts.receiver;
    if (farewell !== undefined) await this.#request({ ...farewell, headers, body: null });
    limit();
  }

  async #encode(page: Page): Promise<void> {
    const { receiver, writer, capacity } = this.#parts;
    const list = new SampleList();
    writeWhole(writer.inSteps(page, list));
    try {
      const batches = await receiver.encode(page, list.samples);
      if (receiver.isLatestOnly) this.#queue.splice(this.#sending === null ? 0 : 1);
      this.#queue.push(...batches);
      this.#batchesPerPage = Math.max(1, batches.length);
    } catch (error) {
      this.#fail(detailOf(error));
      this.#lost += list.samples.length;
    }
    if (this.#queue.length > capacity) this.#hurry();
    this.#drain();
    this.#trim(this.#sending === null ? 0 : 1);
  }

  /** Ends a wait of our own: the receiver may be back, and what waits for it is about to be given up. */
  #hurry(): void {
    const since = this.#parts.clock.monotonic() - this.#failedAt;
    if (this.#waiting !== 'back-off' || since < LEAST_WAIT_MS) return;
    this.#stopRetry();
    this.#waiting = null;
  }

  /** Gives up what is too much behind the first so many, which are under way. */
  #trim(underWay: number): void {
    const { receiver, capacity } = this.#parts;
    const excess = Math.max(0, this.#queue.length - underWay - capacity);
    for (const { samples } of this.#queue.splice(underWay, excess)) {
      if (!receiver.isLatestOnly) this.#lost += samples;
    }
  }

  #drain(): void {
    if (this.#sending !== null || this.#waiting !== null || this.#queue.length === 0 || this.#stopped) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    for (let batch = this.#queue[0]; batch !== undefined && this.#waiting === null; batch = this.#queue[0]) {
      const { receiver } = this.#parts;
      const { method, url, headers } = receiver;
      const { verdict, retryAfter } = await this.#request({ method, url, headers, body: batch.body });
      if (verdict.kind === 'retry') {
        this.#fail(verdict.reason);
        this.#wait(retryAfter);
        this.#trim(0);
        return;
      }
      this.#queue.shift();
      this.#settle(batch, verdict);
    }
  }

  #wait(retryAfter: string | null): void {
    const { clock, random = Math.random, capacity, intervalMs } = this.#parts;
    const asked = retryAfterMs(retryAfter, clock.now());
    const held = (capacity / this.#batchesPerPage) * intervalMs;
    this.#failedAt = clock.monotonic();
    this.#waiting = asked === null ? 'back-off' : 'asked';
    this.#stopRetry = clock.after(asked ?? backOffMs(++this.#failedInRow, random(), held * WAIT_SHARE), () => {
      this.#waiting = null;
      this.#drain();
    });
  }

  #settle(batch: Batch, verdict: Verdict): void {
    this.#failedInRow = 0;
    const refused = verdict.kind === 'taken' ? (verdict.refused ?? 0) : batch.samples;
    this.#lost += refused;
    this.#sent += batch.samples - refused;
    if (verdict.kind === 'taken') this.#lastFailure = null;
    else this.#fail(verdict.reason);
  }

  #fail(reason: string): void {
    this.#failures++;
    this.#lastFailure = answerWords(reason);
  }

  async #request(request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array | null;
  }): Promise<{ verdict: Verdict; retryAfter: string | null }> {
    const { receiver, clock, timeoutMs } = this.#parts;
    const { url, ...init } = request;
    const abort = new AbortController();
    this.#abort = abort;
    const stop = clock.after(this.#isClosing ? FAREWELL_MS : timeoutMs, () => abort.abort());
    try {
      const body = init.body as Uint8Array<ArrayBuffer> | null;
      const response = await fetch(url, { ...init, body, signal: abort.signal, redirect: 'manual' });
      const text = (await response.text()).slice(0, ANSWER_BYTES);
      return { verdict: receiver.verdict(response.status, text), retryAfter: response.headers.get('retry-after') };
    } catch (error) {
      return { verdict: { kind: 'retry', reason: networkReason(error) }, retryAfter: null };
    } finally {
      stop();
    }
  }
}

/** The address is left out: it may hold a password. */
function networkReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return error instanceof Error && error.name === 'AbortError' ? 'no answer in time' : 'the connection failed';
}
