import { MetricsExposition } from '../exporters/exposition/metrics-exposition.ts';
import { createPageWriter, type NamingOptions } from '../exporters/metric-profiles.ts';
import { createPage, type Page } from '../exporters/page.ts';
import { TickMemory } from '../exporters/tick-memory.ts';
import type { Clock } from '../model/clock.ts';
import type { Exposition } from '../model/exposition.ts';
import type { TickSink, Viewer } from '../model/ports.ts';
import type { Reader } from '../model/reader.ts';
import type { Tick } from '../model/tick.ts';
import { VERSION } from './version.ts';

interface ReportingParts {
  /** Name of this host in labels. */
  readonly host: string;
  readonly clock: Clock;
  readonly naming: NamingOptions;
  /** Known once everything is put together, which is before the first page. */
  readonly reader: () => Reader;
}

/** What leaves this machine for the systems that people already run. */
export class Reporting implements TickSink {
  readonly exposition: Exposition;
  readonly #memory = new TickMemory();
  readonly #parts: ReportingParts;
  readonly #startedAt: number;

  constructor(parts: ReportingParts) {
    const { host, clock, naming, reader } = parts;
    this.#parts = parts;
    this.#startedAt = clock.now();
    this.exposition = new MetricsExposition({
      writer: createPageWriter(host, naming),
      page: (viewer) => this.#page(viewer),
      sequence: (viewer) => reader().snapshot(viewer).sequence,
      monotonic: () => clock.monotonic(),
    });
  }

  accept(tick: Tick): void {
    this.#memory.accept(tick);
  }

  #page(viewer: Viewer): Page {
    const { host, clock } = this.#parts;
    const reader = this.#parts.reader();
    const { user, system } = process.cpuUsage();
    return createPage(reader.snapshot(viewer), {
      host,
      version: VERSION,
      now: clock.now(),
      source: reader.source(viewer),
      memory: this.#memory,
      sinks: [],
      own: {
        residentBytes: process.memoryUsage.rss(),
        cpuSeconds: (user + system) / 1e6,
        startedAt: this.#startedAt,
      },
    });
  }
}
