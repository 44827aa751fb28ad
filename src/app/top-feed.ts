import { hostname } from 'node:os';
import type { ApiEvent, ApiGpus, ApiHealth } from '../model/api.ts';
import { type MetricId, slotOf } from '../model/catalogue.ts';
import type { Stop } from '../model/clock.ts';
import { noticeText } from '../model/i18n/notice-text.ts';
import type { Lang } from '../model/i18n/text.ts';
import type { Probe, Source } from '../model/ports.ts';
import type { Snapshot } from '../model/reader.ts';
import type { Tick } from '../model/tick.ts';
import { apiEvent } from '../server/wire/api-event.ts';
import { apiHead, apiTail } from '../server/wire/api-gpu.ts';
import { staleAfter } from '../sources/sampler.ts';
import { Live } from './live.ts';
import { lookedUpReadings } from './looked-up-readings.ts';
import { openSource, type SourceOptions } from './open-source.ts';
import { Supply } from './supply.ts';

type SourceInfo = Pick<
  ApiHealth['source'],
  'name' | 'origin' | 'state' | 'releasedUntil' | 'reason' | 'notices' | 'intervalMs'
>;

/** What the view takes; see the feed of `src/tui`. */
interface Listener {
  onGpus(state: ApiGpus): void;
  onSample(uuid: string, at: number, read: (id: MetricId) => number | null): void;
  onEvents(events: readonly ApiEvent[]): void;
  onSource(source: SourceInfo): void;
  onLink(link: { readonly phase: 'open' }): void;
}

export interface TopFeedOptions {
  readonly source: SourceOptions;
  readonly intervalMs: number;
  /** Seconds of a recording per second. */
  readonly speed: number;
  readonly lang: Lang;
}

/** Whoever looks at processes wants to see their CPU move; a tick that comes a little early counts. */
const USAGE_MS = 900;
/** How often the source is asked how it is. */
const SOURCE_MS = 2000;
/** A recording is read faster than it could be shown. */
const SHOWN_MS = 200;

/** Data for the view from the driver itself, or from a simulation or recording: what `serve` does, without keeping it. */
export class TopFeed {
  readonly server = null;
  readonly #options: TopFeedOptions;
  readonly #probe: Source;
  readonly #live: Live;
  readonly #supply: Supply;
  #listener: Listener | null = null;
  #stopAsking: Stop = () => {};
  #shownAt = Number.NEGATIVE_INFINITY;
  #isShown = true;

  /** Opens the source; throws the AppError that says why where there is no device. */
  static async open(options: TopFeedOptions): Promise<TopFeed> {
    const probe = await openSource({ ...options.source, intervalMs: options.intervalMs, simulatePast: false });
    if (!probe.ok) throw probe.reason;
    return new TopFeed(options, probe.source);
  }

  private constructor(options: TopFeedOptions, source: Source) {
    const { clock } = options.source;
    this.#options = options;
    this.#probe = source;
    const { origin, name } = source;
    this.#live = new Live({ clock, origin, staleAfterMs: staleAfter(options.intervalMs) });
    this.#supply = new Supply({
      ...{ clock, origin, name, intervalMs: options.intervalMs, speed: options.speed },
      open: (known): Promise<Probe> =>
        openSource({ ...options.source, intervalMs: options.intervalMs, simulatePast: false, known }),
      publish: (tick) => this.#take(tick),
      // Keys must be heard while a recording is read.
      drained: () => new Promise((resolve) => setImmediate(resolve)),
      readsHost: false,
      usageMs: USAGE_MS,
    });
  }

  start(listener: Listener): void {
    this.#listener = listener;
    listener.onLink({ phase: 'open' });
    const tell = (): void => {
      listener.onSource(this.#status());
      // A GPU that has stopped answering becomes stale although nothing arrives; the end of a recording is shown.
      const isSilent = this.#options.source.clock.monotonic() - this.#shownAt >= SOURCE_MS;
      if (!this.#isShown || (this.#probe.origin === 'live' && isSilent)) this.#show();
    };
    this.#stopAsking = this.#options.source.clock.every(SOURCE_MS, tell);
    void this.#supply.start({ ok: true, source: this.#probe }).then(tell);
    void this.#supply.ended().then(tell);
    listener.onSource(this.#status());
  }

  async stop(): Promise<void> {
    this.#stopAsking();
    this.#listener = null;
    await this.#supply.stop();
  }

  /** Nothing is kept from before the start. */
  async past(): Promise<null> {
    return null;
  }

  #take(tick: Tick): void {
    this.#live.accept(tick);
    const listener = this.#listener;
    if (listener === null) return;
    if (tick.events.length > 0) listener.onEvents(tick.events.map((event) => apiEvent(event, this.#options.lang)));
    const now = this.#options.source.clock.monotonic();
    if (this.#probe.origin === 'recorded') {
      for (const { device, readings, state } of tick.devices) {
        if (state === 'ok') listener.onSample(device.uuid, tick.at, (id) => readings.number(slotOf(id)));
      }
      this.#isShown = false;
      if (now - this.#shownAt < SHOWN_MS) return;
    }
    this.#shownAt = now;
    this.#show();
  }

  #show(): void {
    const { name } = this.#supply.status();
    const snapshot = this.#live.snapshot();
    this.#isShown = true;
    if (snapshot.at !== null) this.#listener?.onGpus(shownGpus(snapshot, name));
  }

  #status(): SourceInfo {
    const { lang } = this.#options;
    const { name, origin, state, releasedUntil, reason, notices, intervalMs } = this.#supply.status();
    return {
      ...{ name, origin, state, releasedUntil, intervalMs },
      reason: reason === null ? null : { code: reason.code, message: reason.text(lang), hint: reason.hint(lang) },
      notices: notices.map(({ key, params, isRemark = false }) => ({
        key,
        text: noticeText({ key, params }, lang),
        isRemark,
      })),
    };
  }
}

/** A snapshot as the API would answer it, without what no screen shows: single fans and links, and the host. */
function shownGpus({ at, sequence, devices }: Snapshot, source: string): ApiGpus {
  const gpus = devices.map(({ details: _, ...view }) => ({
    ...apiHead(view),
    ...lookedUpReadings(view.readings),
    ...apiTail(view),
  }));
  return { at, host: hostname(), source, sequence, gpus, machine: null };
}
