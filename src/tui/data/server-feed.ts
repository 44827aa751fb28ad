import { type Api, createApi } from '../../client/api.ts';
import { LiveStream } from '../../client/stream.ts';
import type { ApiSeries } from '../../model/api.ts';
import type { Clock, Stop } from '../../model/clock.ts';
import type { Lang } from '../../model/i18n/text.ts';
import { EVENTS_MS } from './events.ts';
import type { Feed, FeedListener, PastQuery } from './feed.ts';
import { namedFindings } from './findings.ts';

const HEALTH_MS = 5000;
const FINDINGS_MS = 15_000;
const MOST_EVENTS = 200;

export interface ServerFeedOptions {
  /** Ends with a slash. */
  readonly base: string;
  readonly lang: Lang;
  readonly clock: Clock;
}

/** Data of a running `gpulse serve`: its live stream, and what it remembers. It is connected to again and again. */
export class ServerFeed implements Feed {
  readonly server: string;
  readonly #options: ServerFeedOptions;
  readonly #api: Api;
  readonly #abort = new AbortController();
  #stream: LiveStream | null = null;
  #stops: Stop[] = [];

  constructor(options: ServerFeedOptions) {
    this.#options = options;
    this.server = options.base;
    this.#api = createApi({ base: options.base, lang: () => options.lang });
  }

  start(listener: FeedListener): void {
    const { clock, base, lang } = this.#options;
    this.#stream = new LiveStream({
      base,
      lang: () => lang,
      clock,
      onConnection: (connection) => {
        if (connection.phase === 'waiting') {
          listener.onLink({ phase: 'waiting', retryAt: connection.retryAt, message: connection.failure.message });
        } else if (connection.phase !== 'stopped') {
          listener.onLink({ phase: connection.phase });
        }
        if (connection.phase === 'open') void this.#opened(listener);
      },
      onSnapshot: (state) => listener.onGpus(state),
      onTick: (state, _tick, events) => {
        listener.onEvents(events);
        listener.onGpus(state);
      },
    });
    this.#stream.start();
    this.#stops = [
      clock.every(HEALTH_MS, () => void this.#askHealth(listener)),
      clock.every(FINDINGS_MS, () => void this.#askFindings(listener)),
    ];
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#abort.abort();
    this.#stream?.stop();
  }

  async past({ metrics, gpus, from, to, points }: PastQuery): Promise<ApiSeries | null> {
    try {
      const query = { metrics, from, to, points, ...(gpus === undefined ? {} : { gpus }) };
      return await this.#api.series(query, this.#abort.signal);
    } catch {
      // Charts then fill up from now on.
      return null;
    }
  }

  async #opened(listener: FeedListener): Promise<void> {
    await this.#askHealth(listener);
    const to = this.#options.clock.now() + 1;
    try {
      const { events } = await this.#api.events({ from: to - EVENTS_MS, to, limit: MOST_EVENTS }, this.#abort.signal);
      listener.onEvents(events);
    } catch {
      // What happens from now on comes with the stream.
    }
    await this.#askFindings(listener);
  }

  async #askHealth(listener: FeedListener): Promise<void> {
    try {
      const { source } = await this.#api.health(this.#abort.signal);
      listener.onSource(source);
    } catch {
      // The stream tells that the server is gone, and looks for it.
    }
  }

  async #askFindings(listener: FeedListener): Promise<void> {
    try {
      listener.onFindings(namedFindings(await this.#api.findings(false, this.#abort.signal)));
    } catch {
      // A server without a diagnosis, or none at this moment: what was found stays.
    }
  }
}
