import type { ApiCompactGpus, ApiEvent, ApiTickMessage } from '../model/api.ts';
import type { Clock, Stop } from '../model/clock.ts';
import { detailOf } from '../model/errors.ts';
import type { Lang } from '../model/i18n/text.ts';
import { type ApiOptions, apiUrl } from './api.ts';
import { retryDelay } from './backoff.ts';
import { ApiFailure, failureOf, localFailure } from './failure.ts';
import { applyTick, expanded, type LiveState } from './live-state.ts';
import { type SseMessage, SseParser } from './sse-parser.ts';

/** The server sends a heartbeat every 15 s; a stream silent for longer than two and a half of them is dead. */
const SILENCE_MS = 40_000;
/** A message about a GPU that is not known asks for a new snapshot, but not more often than this. */
const RESYNC_MS = 5000;

export type Connection =
  | { readonly phase: 'stopped' }
  | { readonly phase: 'connecting' }
  | { readonly phase: 'open' }
  /** `retryAt` is on the monotonic clock. */
  | { readonly phase: 'waiting'; readonly retryAt: number; readonly failure: ApiFailure };

export interface StreamOptions extends ApiOptions {
  readonly clock: Clock;
  readonly random?: () => number;
  readonly onConnection: (connection: Connection) => void;
  /** The state as a whole, at the start and whenever it had to be sent again. */
  readonly onSnapshot: (state: LiveState) => void;
  /** The state after a tick, the tick itself and its events. */
  readonly onTick: (state: LiveState, tick: ApiTickMessage, events: readonly ApiEvent[]) => void;
}

/** Follows the live stream: connects, watches for silence, connects again with growing waits, keeps the state. */
export class LiveStream {
  readonly #options: StreamOptions;
  #abort: AbortController | null = null;
  #stopTimer: Stop = () => {};
  #isOpen = false;
  /** Attempts that failed since the last message. */
  #attempt = 0;
  #lastId = '';
  #state: LiveState | null = null;
  #resyncAt = Number.NEGATIVE_INFINITY;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** Connects at once, also while it waits to retry or is connected already: the language may have changed. */
  start(): void {
    this.#cancel();
    this.#attempt = 0;
    void this.#connect();
  }

  stop(): void {
    this.#cancel();
    this.#options.onConnection({ phase: 'stopped' });
  }

  #cancel(): void {
    this.#stopTimer();
    this.#abort?.abort();
    this.#abort = null;
  }

  async #connect(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.#isOpen = false;
    this.#options.onConnection({ phase: 'connecting' });
    const lang = this.#options.lang();
    let failure: ApiFailure;
    try {
      await this.#follow(abort, lang);
      failure = localFailure('STREAM_ENDED', {}, lang);
    } catch (error) {
      failure = asFailure(error, abort.signal, lang);
    }
    if (this.#abort === abort) this.#retry(failure);
  }

  /** Reads until the stream ends. Rejects where it cannot be read, or with the reason for which it was aborted. */
  async #follow(abort: AbortController, lang: Lang): Promise<void> {
    this.#watch(abort, lang);
    const headers: Record<string, string> = { accept: 'text/event-stream', 'accept-language': lang };
    if (this.#lastId !== '') headers['last-event-id'] = this.#lastId;
    const send = this.#options.fetch ?? fetch;
    const response = await send(apiUrl(this.#options.base, 'stream?form=compact'), { headers, signal: abort.signal });
    if (!response.ok || response.body === null) throw await failureOf(response, lang);
    const parser = new SseParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#abort !== abort) return;
      this.#watch(abort, lang);
      for (const message of parser.push(value)) this.#take(message);
    }
  }

  /** Ends the connection if nothing arrives for too long from now on. */
  #watch(abort: AbortController, lang: Lang): void {
    this.#stopTimer();
    this.#stopTimer = this.#options.clock.after(SILENCE_MS, () => {
      abort.abort(localFailure('STREAM_SILENT', { seconds: SILENCE_MS / 1000 }, lang));
    });
  }

  #take({ event, data, id }: SseMessage): void {
    if (id !== '') this.#lastId = id;
    if (event === 'snapshot') {
      this.#opened();
      this.#state = expanded(JSON.parse(data) as ApiCompactGpus);
      this.#options.onSnapshot(this.#state);
    } else if (event === 'tick') {
      this.#opened();
      this.#tick(JSON.parse(data) as ApiTickMessage);
    }
  }

  #opened(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#attempt = 0;
    this.#options.onConnection({ phase: 'open' });
  }

  #tick(tick: ApiTickMessage): void {
    if (this.#state === null) return;
    const { state, complete } = applyTick(this.#state, tick);
    if (state !== this.#state) {
      this.#state = state;
      this.#options.onTick(state, tick, tick.events);
    }
    if (!complete) this.#resync();
  }

  #resync(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#resyncAt < RESYNC_MS) return;
    this.#resyncAt = now;
    this.#lastId = '';
    this.start();
  }

  #retry(failure: ApiFailure): void {
    this.#stopTimer();
    this.#abort = null;
    this.#attempt++;
    const wait = retryDelay(this.#attempt, (this.#options.random ?? Math.random)());
    const retryAt = this.#options.clock.monotonic() + wait;
    this.#options.onConnection({ phase: 'waiting', retryAt, failure });
    this.#stopTimer = this.#options.clock.after(wait, () => void this.#connect());
  }
}

function asFailure(error: unknown, signal: AbortSignal, lang: Lang): ApiFailure {
  if (signal.reason instanceof ApiFailure) return signal.reason;
  if (error instanceof ApiFailure) return error;
  return localFailure('SERVER_UNREACHABLE', { detail: detailOf(error) }, lang);
}
