import { Agent, get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { sleep } from './process.ts';

export interface Scrape {
  readonly ms: number;
  readonly body: Buffer;
}

/** Where in an interval a scraper comes: so many milliseconds after the newest tick, and how many ticks later again. */
export interface Rhythm {
  readonly afterMs: number;
  /** Ticks until the next time, by the number of this one. */
  readonly ticks: (count: number) => number;
}

const GZIP = { 'accept-encoding': 'gzip' } as const;
const LAST_TICK = /^gpulse_last_tick_timestamp_seconds (\S+)$/m;

/** Scrapes one server over connections that are kept, as Prometheus does. */
export class Scraper {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #base: string;
  readonly #intervalMs: number;

  constructor(base: string, intervalMs: number) {
    this.#base = base;
    this.#intervalMs = intervalMs;
  }

  scrape(path = 'metrics', isCompressed = true): Promise<Scrape> {
    const url = new URL(path, this.#base);
    const began = performance.now();
    return new Promise((resolve, reject) => {
      get(url, { agent: this.#agent, headers: isCompressed ? GZIP : {} }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ ms: performance.now() - began, body: Buffer.concat(chunks) }));
      }).on('error', reject);
    });
  }

  /** Scrapes in this rhythm, what lies at a path or at another address. The first four are left out: from then on it is foreseen, if it ever is. */
  async inRhythm(count: number, rhythm: Rhythm, path = 'metrics', isCompressed = true): Promise<readonly Scrape[]> {
    const scrapes: Scrape[] = [];
    let tick = await this.#lastTick();
    for (let i = 0; i < count + 4; i++) {
      tick += rhythm.ticks(i) * this.#intervalMs;
      await sleep(Math.max(0, tick + rhythm.afterMs - Date.now()));
      const scrape = await this.scrape(path, isCompressed);
      scrapes.push(scrape);
      // Timers run late by a little, which adds up: what the page says of its tick keeps both in step.
      const said = path === 'metrics' ? lastTickOf(scrape.body, isCompressed) : tick;
      if (Math.abs(said - tick) < this.#intervalMs / 2) tick = said;
    }
    return scrapes.slice(4);
  }

  async inARow(count: number): Promise<readonly Scrape[]> {
    const scrapes: Scrape[] = [];
    for (let i = 0; i < count; i++) {
      const { ms, body } = await this.scrape();
      // Ten thousand pages are not kept.
      scrapes.push({ ms, body: i === 0 ? body : EMPTY });
    }
    return scrapes;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #lastTick(): Promise<number> {
    return lastTickOf((await this.scrape('metrics', false)).body, false);
  }
}

const EMPTY = Buffer.alloc(0);

function lastTickOf(body: Buffer, isCompressed: boolean): number {
  const text = (isCompressed ? gunzipSync(body) : body).toString();
  return Number(LAST_TICK.exec(text)?.[1]) * 1000;
}

export function summary(scrapes: readonly Scrape[]): string {
  const sorted = scrapes.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${((scrapes[0]?.body.length ?? 0) / 1024).toFixed(0)} KiB`;
}
