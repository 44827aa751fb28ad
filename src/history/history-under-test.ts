import { afterEach, beforeEach } from 'vitest';
import type { MetricId } from '../model/catalogue.ts';
import type { GpuEvent } from '../model/event.ts';
import type { EventQuery, Grid, History, RangeQuery } from '../model/ports.ts';
import type { Tick } from '../model/tick.ts';
import { START, sampleTick } from './sample-ticks.ts';

export const UTIL: MetricId = 'utilization_ratio';
export const POWER: MetricId = 'power_watts';
export const BITS: MetricId = 'clock_event_reasons';

/** The history a test of the contract works on, a new one for every test. */
export class HistoryUnderTest {
  readonly #open: (place: string) => Promise<History>;
  #places = 0;
  history!: History;

  constructor(open: (place: string) => Promise<History>) {
    this.#open = open;
    beforeEach(async () => {
      this.#places++;
      this.history = await open(`place-${this.#places}`);
    });
    afterEach(() => this.history.close());
  }

  async reopen(): Promise<void> {
    await this.history.close();
    this.history = await this.#open(`place-${this.#places}`);
  }

  async store(...ticks: Tick[]): Promise<void> {
    for (const tick of ticks) this.history.accept(tick);
    await this.history.flush();
  }

  /** One value of the first device per second from START on; a hole is no tick at all. */
  async storeSeconds(metric: MetricId, ...values: (number | null | 'no tick')[]): Promise<void> {
    const ticks = values.flatMap((value, second) =>
      value === 'no tick' ? [] : [sampleTick(START + second * 1000, [{ [metric]: value }])],
    );
    await this.store(...ticks);
  }

  range(query: Partial<RangeQuery>): Promise<Grid> {
    return this.history.range({
      metrics: [UTIL],
      devices: ['GPU-0'],
      from: START,
      to: START + 10_000,
      points: 10,
      ...query,
    });
  }

  events(query: Partial<EventQuery> = {}): Promise<readonly GpuEvent[]> {
    return this.history.events({ from: START, to: START + 60_000, limit: 100, ...query });
  }
}
