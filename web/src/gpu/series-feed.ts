import { failureFrom, MOST_EVENTS } from '../../../src/client/api.ts';
import type { ApiFailure } from '../../../src/client/failure.ts';
import type { LiveState } from '../../../src/client/live-state.ts';
import type { ApiEvent, ApiHealth } from '../../../src/model/api.ts';
import type { Stop } from '../../../src/model/clock.ts';
import type { Millis } from '../../../src/model/reading.ts';
import { CHART_METRICS } from '../charts/chart-spec.ts';
import { ChartWindow } from '../charts/chart-window.ts';
import { mergeEvents } from '../session/event-log.ts';
import type { Session } from '../session/session.ts';
import { PRESET_MS, type Range, type Span } from '../state/place.ts';
import { Store } from '../state/store.ts';

/** What `all` shows while the history is empty. */
const LEAST_SPAN_MS = 60_000;

export interface FeedState {
  /** Null before the first answer. The same object while ticks are added to it. */
  readonly window: ChartWindow | null;
  readonly events: readonly ApiEvent[];
  /** Time of the first listed event where the range may hold earlier ones that are not listed; else null. */
  readonly eventsSince: Millis | null;
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
  /** What the server answered for `all`: its extent, which need not end with the newest tick where a clock stepped. */
  #extent: Span | null = null;
  #sourceState: ApiHealth['source']['state'] | undefined;

  constructor(session: Session, uuid: string, range: Range, points: number) {
    this.#session = session;
    this.#uuid = uuid;
    this.#range = range;
    this.#points = points;
    this.#sourceState = session.health.get()?.source.state;
    const empty = { window: null, events: [], eventsSince: null, version: 0, loading: true, failure: null };
    this.state = new Store<FeedState>({ ...empty, span: this.#span() });
    this.#stops = [
      session.onTick((state, tick) => this.#tick(state, tick.events)),
      // A connection that came back left a hole, which the history can fill.
      session.connection.subscribe(() => {
        if (session.connection.get().phase === 'open') void this.#ask();
      }),
      // So did a log that was read faster than ticks are sent.
      session.health.subscribe(() => this.#follow(session.health.get()?.source.state)),
    ];
    void this.#ask();
  }

  close(): void {
    this.#abort.abort();
    for (const stop of this.#stops) stop();
  }

  setRange(range: Range): void {
    if (range !== this.#range) this.#extent = null;
    this.#range = range;
    this.#update({ span: this.#span(), loading: true });
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
    const span = this.#span();
    const query = this.#range === 'all' ? ({ from: 'all', to: 'all' } as const) : { from: span.from, to: span.to + 1 };
    const events = api.events({ ...query, gpu: this.#uuid, limit: MOST_EVENTS }, signal).catch(() => null);
    try {
      const grid = await api.series(
        { ...query, metrics: CHART_METRICS, gpus: [this.#uuid], points: this.#points },
        signal,
      );
      const past = await events;
      if (signal.aborted) return;
      this.#extent = { from: grid.from, to: grid.to };
      const window = new ChartWindow(grid);
      for (const state of this.#since) this.#append(window, state);
      this.#update({
        window,
        ...eventsOf(past?.events ?? []),
        span: this.#span(),
        loading: false,
        failure: null,
      });
    } catch (error) {
      const failure = failureFrom(error, lang);
      if (failure !== null && !signal.aborted) this.#update({ loading: false, failure });
    }
  }

  #follow(state: ApiHealth['source']['state'] | undefined): void {
    const hasEnded = this.#sourceState === 'running' && state === 'ended';
    this.#sourceState = state;
    if (hasEnded) void this.#ask();
  }

  #tick(state: LiveState, events: readonly ApiEvent[]): void {
    if (typeof this.#range !== 'string') return;
    const { window, loading } = this.state.get();
    if (loading) this.#since.push(state);
    if (window === null) return;
    const span = this.#span();
    this.#append(window, state);
    window.dropBefore(span.from);
    const mine = events.filter(({ uuid }) => uuid === null || uuid === this.#uuid);
    const merged = mine.length === 0 ? {} : eventsOf(mergeEvents(this.state.get().events, mine));
    this.#update({ ...merged, ...(loading ? {} : { span }) });
  }

  /** What the range means now. */
  #span(): Span {
    const [range, session] = [this.#range, this.#session];
    if (typeof range !== 'string') return range;
    const now = session.now();
    const length = PRESET_MS[range];
    if (length !== null) return { from: now - length, to: now };
    const { from, to } = this.#extent ?? session.health.get()?.history ?? { from: null, to: null };
    const end = Math.max(now, to ?? now);
    return { from: Math.min(from ?? end, end - LEAST_SPAN_MS), to: end };
  }

  #append(window: ChartWindow, state: LiveState): void {
    const gpu = state.gpus.find(({ uuid }) => uuid === this.#uuid);
    if (gpu === undefined || state.at === null) return;
    const sampled = gpu.at === state.at;
    window.append(state.at, (id) => (sampled ? (gpu.readings[id] ?? null) : null));
  }

  #update(change: Partial<FeedState>): void {
    const before = this.state.get();
    this.state.set({ ...before, ...change, version: before.version + 1 });
  }
}

/** Events as they are shown. Exactly as many as the server answers at most are taken for not being all. */
function eventsOf(events: readonly ApiEvent[]): Pick<FeedState, 'events' | 'eventsSince'> {
  return { events, eventsSince: events.length < MOST_EVENTS ? null : (events[0]?.at ?? null) };
}
