import { failureFrom } from '../../../src/client/api.ts';
import type { ApiFailure } from '../../../src/client/failure.ts';
import { readingOf } from '../../../src/client/gpu-reading.ts';
import type { LiveState } from '../../../src/client/live-state.ts';
import type { ApiEvent } from '../../../src/model/api.ts';
import { findMetric } from '../../../src/model/catalogue.ts';
import type { Stop } from '../../../src/model/clock.ts';
import { CHART_METRICS } from '../charts/chart-spec.ts';
import { ChartWindow } from '../charts/chart-window.ts';
import { mergeEvents } from '../session/event-log.ts';
import type { Session } from '../session/session.ts';
import { PRESET_MS, type Range, type Span } from '../state/place.ts';
import { Store } from '../state/store.ts';

const MOST_EVENTS = 500;
/** What `all` shows while the history is empty. */
const LEAST_SPAN_MS = 60_000;

export interface FeedState {
  /** Null before the first answer. The same object while ticks are added to it. */
  readonly window: ChartWindow | null;
  readonly events: readonly ApiEvent[];
  readonly span: Span;
  /** Grows with everything new. */
  readonly version: number;
  /** The range asked for is not the one shown yet. */
  readonly loading: boolean;
  readonly failure: ApiFailure | null;
}

/** The charts' data of one GPU: one request per range, then followed tick by tick. */
export class SeriesFeed {
  readonly state: Store<FeedState>;
  readonly #session: Session;
  readonly #uuid: string;
  readonly #points: number;
  readonly #stops: Stop[];
  #range: Range;
  #abort = new AbortController();
  /** Ticks that arrived since the running request was sent: its answer may not hold them. */
  #since: LiveState[] = [];

  constructor(session: Session, uuid: string, range: Range, points: number) {
    this.#session = session;
    this.#uuid = uuid;
    this.#range = range;
    this.#points = points;
    const span = spanOf(range, session);
    this.state = new Store<FeedState>({ window: null, events: [], span, version: 0, loading: true, failure: null });
    this.#stops = [
      session.onTick((state, tick) => this.#tick(state, tick.events)),
      // A connection that came back left a hole, which the history can fill.
      session.connection.subscribe(() => {
        if (session.connection.get().phase === 'open') void this.#ask();
      }),
    ];
    void this.#ask();
  }

  close(): void {
    this.#abort.abort();
    for (const stop of this.#stops) stop();
  }

  setRange(range: Range): void {
    this.#range = range;
    this.#update({ span: spanOf(range, this.#session), loading: true });
    void this.#ask();
  }

  /** Shows another part of time at once; the data follow by {@link setRange}. */
  preview(span: Span): void {
    this.#update({ span });
  }

  async #ask(): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const { api, lang } = this.#session;
    this.#since = [];
    const span = spanOf(this.#range, this.#session);
    const query = { from: span.from, to: span.to + 1 };
    const events = api.events({ ...query, gpu: this.#uuid, limit: MOST_EVENTS }, signal).catch(() => null);
    try {
      const grid = await api.series(
        { ...query, metrics: CHART_METRICS, gpus: [this.#uuid], points: this.#points },
        signal,
      );
      const past = await events;
      if (signal.aborted) return;
      const window = new ChartWindow(grid);
      for (const state of this.#since) this.#append(window, state);
      this.#update({
        window,
        events: past?.events ?? [],
        span: spanOf(this.#range, this.#session),
        loading: false,
        failure: null,
      });
    } catch (error) {
      const failure = failureFrom(error, lang);
      if (failure !== null && !signal.aborted) this.#update({ loading: false, failure });
    }
  }

  #tick(state: LiveState, events: readonly ApiEvent[]): void {
    if (typeof this.#range !== 'string') return;
    const { window, loading } = this.state.get();
    if (loading) this.#since.push(state);
    if (window === null) return;
    const span = spanOf(this.#range, this.#session);
    this.#append(window, state);
    window.dropBefore(span.from);
    const mine = events.filter(({ uuid }) => uuid === null || uuid === this.#uuid);
    this.#update({ events: mergeEvents(this.state.get().events, mine), ...(loading ? {} : { span }) });
  }

  #append(window: ChartWindow, state: LiveState): void {
    const gpu = state.gpus.find(({ uuid }) => uuid === this.#uuid);
    if (gpu === undefined || state.at === null) return;
    const sampled = gpu.at === state.at;
    window.append(state.at, (id) => {
      const known = findMetric(id);
      return sampled && known !== undefined ? readingOf(gpu, known.id) : null;
    });
  }

  #update(change: Partial<FeedState>): void {
    const before = this.state.get();
    this.state.set({ ...before, ...change, version: before.version + 1 });
  }
}

/** What a range means now. */
function spanOf(range: Range, session: Session): Span {
  if (typeof range !== 'string') return range;
  const to = session.now();
  const length = PRESET_MS[range];
  if (length !== null) return { from: to - length, to };
  const from = session.health.get()?.history.from ?? to;
  return { from: Math.min(from, to - LEAST_SPAN_MS), to };
}
