import { type Api, createApi, failureFrom, MOST_EVENTS } from '../../../src/client/api.ts';
import { cardCondition, conditionOf, type Judged } from '../../../src/client/condition.ts';
import type { ApiFailure } from '../../../src/client/failure.ts';
import type { LiveState } from '../../../src/client/live-state.ts';
import { cardsOf } from '../../../src/client/mig.ts';
import { NO_ROWS, type RowOrder, reorder } from '../../../src/client/row-order.ts';
import { type Connection, LiveStream } from '../../../src/client/stream.ts';
import { RECENT_MS, RECENT_POINTS, UtilisationHistory } from '../../../src/client/utilisation-history.ts';
import type { ApiEvent, ApiGpu, ApiHealth, ApiTickMessage } from '../../../src/model/api.ts';
import type { MetricId } from '../../../src/model/catalogue.ts';
import { type Clock, type Stop, systemClock } from '../../../src/model/clock.ts';
import type { Lang } from '../../../src/model/i18n/text.ts';
import type { Millis } from '../../../src/model/reading.ts';
import { Store } from '../state/store.ts';
import { criticalEvents, eventsSince, mergeEvents } from './event-log.ts';
import { MetricTable } from './metric-table.ts';

/** Events older than this are not listed on the overview. */
export const EVENTS_MS = 60 * 60_000;
const HEALTH_EVERY_MS = 5000;
/** While the stream is down: a server that is up again should be noticed at once. */
const HEALTH_WAITING_MS = 1000;
/** Over so long a GPU must have worked to be called busy. */
const MINUTE_MS = 60_000;

/** A card, or a MIG instance on it, with what it comes down to. */
export interface FleetRow extends Judged {
  readonly instances: readonly FleetRow[];
  /** The newest critical event of the last hour. */
  readonly error: ApiEvent | null;
}

/** Every card by index with the MIG instances on it, and the order in which cards are listed. */
export interface Fleet {
  readonly state: LiveState;
  readonly rows: readonly FleetRow[];
  readonly order: RowOrder;
}

/** Cards and MIG instances alike, each card before its instances. */
export function everyRow(rows: readonly FleetRow[]): readonly FleetRow[] {
  return rows.flatMap((row) => [row, ...row.instances]);
}

export type TickListener = (state: LiveState, tick: ApiTickMessage) => void;

/** The data of the page: one stream, what it was filled up with, and the health of the server. Runs while visible. */
export class Session {
  readonly api: Api;
  readonly fleet = new Store<Fleet | null>(null);
  readonly connection = new Store<Connection>({ phase: 'connecting' });
  readonly health = new Store<ApiHealth | null>(null);
  readonly healthFailure = new Store<ApiFailure | null>(null);
  readonly events = new Store<readonly ApiEvent[] | null>(null);
  readonly metrics: MetricTable;
  readonly utilisation = new UtilisationHistory();
  readonly #clock: Clock = systemClock;
  readonly #stream: LiveStream;
  readonly #tickListeners = new Set<TickListener>();
  #lang: Lang;
  #abort = new AbortController();
  #healthRequest: Promise<void> | null = null;
  #stopTimers: Stop = () => {};
  /** Server clock minus ours. */
  #skewMs = 0;
  /** Our monotonic time at which the newest tick arrived. */
  #arrivedAt: number | null = null;
  #healthAskedAt = 0;

  constructor(base: string, lang: Lang) {
    this.#lang = lang;
    const options = { base, lang: () => this.#lang };
    this.api = createApi(options);
    this.metrics = new MetricTable(this.api);
    this.#stream = new LiveStream({
      ...options,
      clock: this.#clock,
      onConnection: (connection) => this.#connected(connection),
      onSnapshot: (state) => this.#take(state),
      onTick: (state, tick, events) => this.#tick(state, tick, events),
    });
  }

  get lang(): Lang {
    return this.#lang;
  }

  start(): void {
    this.stop();
    this.#abort = new AbortController();
    this.#stream.start();
    this.#stopTimers = this.#clock.every(HEALTH_WAITING_MS, () => this.#healthTurn());
    void this.#askHealth();
  }

  stop(): void {
    this.#stopTimers();
    this.#abort.abort();
    this.#stream.stop();
  }

  /** Connects now instead of at the end of the wait; does nothing while there is no wait. */
  retry(): void {
    if (this.connection.get().phase !== 'waiting') return;
    this.#stream.start();
    void this.#askHealth();
  }

  /** Texts from the server come in the language of the request, so they are asked for again. */
  setLang(lang: Lang): void {
    if (lang === this.#lang) return;
    this.#lang = lang;
    this.metrics.reload();
    this.start();
  }

  /** Calls `listener` with every tick until the returned function is called. */
  onTick(listener: TickListener): Stop {
    this.#tickListeners.add(listener);
    return () => this.#tickListeners.delete(listener);
  }

  /** What "now" means for the data: the clock of the server, and where it does not sample itself the newest tick. */
  now(): Millis {
    const at = this.fleet.get()?.state.at ?? null;
    if (at !== null && !this.#isLive()) return at;
    return this.#clock.now() + this.#skewMs;
  }

  /**
   * What texts that age are relative to, by whole seconds: it moves on by our own clock, also while nothing arrives.
   * Null for a recording, in which nothing is "ago".
   */
  textNow(): Millis | null {
    if (this.health.get()?.source.origin === 'recorded') return null;
    const ahead = this.#isLive() || this.#arrivedAt === null ? 0 : this.#clock.monotonic() - this.#arrivedAt;
    return Math.floor((this.now() + ahead) / 1000) * 1000;
  }

  /** Milliseconds since the newest data were sampled, or if played since they arrived; null before the first. */
  dataAge(): number | null {
    const at = this.fleet.get()?.state.at ?? null;
    if (at === null || this.#arrivedAt === null) return null;
    const sinceArrival = this.#clock.monotonic() - this.#arrivedAt;
    return this.#isLive() ? Math.max(sinceArrival, this.now() - at) : sinceArrival;
  }

  /** Monotonic time, in which a connection says when it tries again. */
  monotonic(): number {
    return this.#clock.monotonic();
  }

  #isLive(): boolean {
    return this.health.get()?.source.origin === 'live';
  }

  #connected(connection: Connection): void {
    if (connection.phase === 'open') void this.#fill();
    this.connection.set(connection);
  }

  #take(state: LiveState): void {
    this.#arrivedAt = this.#clock.monotonic();
    this.#classify(state);
  }

  #tick(state: LiveState, tick: ApiTickMessage, events: readonly ApiEvent[]): void {
    this.utilisation.add(state);
    const held = this.events.get();
    if (held !== null) this.events.set(mergeEvents(eventsSince(held, this.now() - EVENTS_MS), events));
    this.#take(state);
    for (const listener of this.#tickListeners) listener(state, tick);
  }

  #classify(state: LiveState): void {
    const now = state.at ?? this.now();
    const errors = criticalEvents(this.events.get() ?? [], now - EVENTS_MS);
    const judge = (gpu: ApiGpu, parts: readonly ApiGpu[]): FleetRow => {
      const instances = parts.map((part) => judge(part, []));
      const own = conditionOf(gpu, {
        recent: this.utilisation.mean(gpu.uuid, now),
        lastMinute: this.utilisation.mean(gpu.uuid, now, MINUTE_MS),
        hasErrors: errors.has(gpu.uuid),
      });
      const condition = cardCondition(
        own,
        instances.map((instance) => instance.condition),
      );
      return { gpu, condition, instances, error: errors.get(gpu.uuid) ?? null };
    };
    const rows = cardsOf(state.gpus).map(({ gpu, instances }) => judge(gpu, instances));
    const conditions = rows.map(({ gpu, condition }) => ({ uuid: gpu.uuid, condition }));
    const order = reorder(this.fleet.get()?.order ?? NO_ROWS, conditions);
    this.fleet.set({ state, rows, order });
  }

  /** Brings the past that the overview shows. Without it the page works, and fills up by itself. */
  async #fill(): Promise<void> {
    await this.#askHealth();
    const { signal } = this.#abort;
    const to = this.now() + 1;
    // Drivers give no utilisation of MIG instances, but perhaps what their engines do.
    const hasParts = this.fleet.get()?.state.gpus.some(({ mig }) => mig !== null) ?? false;
    const metrics: MetricId[] = ['utilization_ratio', ...(hasParts ? (['graphics_engine_active_ratio'] as const) : [])];
    const series = this.api.series({ metrics, from: to - RECENT_MS, to, points: RECENT_POINTS }, signal);
    const events = this.api.events({ from: to - EVENTS_MS, to, limit: MOST_EVENTS }, signal);
    const [grid, past] = await Promise.allSettled([series, events]);
    if (signal.aborted) return;
    if (grid.status === 'fulfilled') this.utilisation.fill(grid.value);
    // Not to know what happened is not the same as nothing having happened.
    if (past.status === 'fulfilled') this.events.set(mergeEvents(this.events.get() ?? [], past.value.events));
    const state = this.fleet.get()?.state;
    if (state !== undefined) this.#classify(state);
  }

  #healthTurn(): void {
    const isWaiting = this.connection.get().phase === 'waiting';
    if (isWaiting || this.#clock.monotonic() - this.#healthAskedAt >= HEALTH_EVERY_MS) void this.#askHealth();
  }

  /** Asks now for what is usually asked for every few seconds. */
  async refreshHealth(): Promise<void> {
    // An answer that is on its way may be older than the wish.
    await this.#healthRequest;
    await this.#askHealth();
  }

  /** Asks unless an answer is on its way. */
  #askHealth(): Promise<void> {
    this.#healthAskedAt = this.#clock.monotonic();
    this.#healthRequest ??= this.#requestHealth().finally(() => {
      this.#healthRequest = null;
    });
    return this.#healthRequest;
  }

  async #requestHealth(): Promise<void> {
    const { signal } = this.#abort;
    try {
      const health = await this.api.health(signal);
      this.#skewMs = health.now - this.#clock.now();
      const before = this.health.get()?.source.state;
      this.health.set(health);
      // While a log is read faster than ticks are sent, the page sees only some of its rows.
      if (before === 'running' && health.source.state === 'ended') void this.#fill();
      this.healthFailure.set(null);
      this.metrics.retry();
      // It answers again. A stream that was refused by the server itself keeps its wait.
      const connection = this.connection.get();
      if (connection.phase === 'waiting' && connection.failure.status === null) this.#stream.start();
    } catch (error) {
      const failure = failureFrom(error, this.#lang);
      if (failure !== null && !signal.aborted) this.healthFailure.set(failure);
    }
  }
}
