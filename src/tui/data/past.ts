import type { ApiGpu } from '../../model/api.ts';
import type { MetricId } from '../../model/catalogue.ts';
import type { Millis } from '../../model/reading.ts';
import type { Feed } from './feed.ts';
import { LEVELS, type TopHistory, TRACKS } from './history.ts';

/** Brings what a server remembers into the charts, so that they are not empty at the start. */
export class Past {
  readonly #feed: Feed;
  readonly #history: TopHistory;
  /** What was asked for: the UUIDs of GPUs that were looked at closely, and `fleet`. */
  readonly #asked = new Set<string>();

  constructor(feed: Feed, history: TopHistory) {
    this.#feed = feed;
    this.#history = history;
  }

  /** What the main screen shows, of every GPU. True where something came; false also where it was asked for before. */
  async fleet(gpus: readonly ApiGpu[], now: Millis): Promise<boolean> {
    const [utilisation, engine] = TRACKS.utilisation;
    const hasParts = gpus.some(({ mig }) => mig !== null);
    const tracks = [...TRACKS.memory, ...TRACKS.power, ...TRACKS.temperature];
    return this.#ask('fleet', [utilisation, ...(hasParts ? [engine] : []), ...tracks], now);
  }

  /** What only the page of one GPU shows. */
  async details(uuid: string, now: Millis): Promise<boolean> {
    const traffic = [...TRACKS['pcie-rx'], ...TRACKS['pcie-tx'], ...TRACKS['nvlink-rx'], ...TRACKS['nvlink-tx']];
    return this.#ask(uuid, [...TRACKS.clock, ...traffic], now, [uuid]);
  }

  /** After a pause in which nothing came there is more to ask for. */
  forget(): void {
    this.#asked.clear();
  }

  async #ask(what: string, metrics: readonly MetricId[], now: Millis, gpus?: readonly string[]): Promise<boolean> {
    if (this.#asked.has(what)) return false;
    this.#asked.add(what);
    const to = now + 1;
    let isFilled = false;
    for (const level of ['coarse', 'fine'] as const) {
      const { spanMs, bucketMs } = LEVELS[level];
      const span = { from: to - spanMs, to, points: spanMs / bucketMs };
      const grid = await this.#feed.past({ metrics, ...span, ...(gpus === undefined ? {} : { gpus }) });
      if (grid === null) continue;
      this.#history.fill(grid, level);
      isFilled = true;
    }
    return isFilled;
  }
}
