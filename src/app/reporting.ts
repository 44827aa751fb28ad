import { MetricsExposition } from '../exporters/exposition/metrics-exposition.ts';
import { createPageWriter, type NamingOptions } from '../exporters/metric-profiles.ts';
import { createPage, type Page } from '../exporters/page.ts';
import type { PushSink } from '../exporters/sinks/push-sink.ts';
import { TickMemory } from '../exporters/tick-memory.ts';
import type { Clock } from '../model/clock.ts';
import type { SinkStatus } from '../model/exposition.ts';
import { ADMINISTRATOR, type Notice, type TickSink, type Viewer } from '../model/ports.ts';
import type { Reader, SourceStatus } from '../model/reader.ts';
import type { Tick } from '../model/tick.ts';
import { createSink, type SinkConfig } from './sinks.ts';
import { VERSION } from './version.ts';

interface ReportingParts {
  /** Name of this host in labels. */
  readonly host: string;
  readonly clock: Clock;
  readonly naming: NamingOptions;
  readonly sinks: readonly SinkConfig[];
  /** Known once everything is put together, which is before the first page. */
  readonly reader: () => Reader;
}

/** What is older is not pushed: receivers would take it for the present. */
const FRESH_MS = 60_000;

/** What leaves this machine for the systems that people already run. */
export class Reporting implements TickSink {
  /** What is scraped. */
  readonly exposition: MetricsExposition;
  readonly #memory = new TickMemory();
  readonly #parts: ReportingParts;
  readonly #startedAt: number;
  readonly #sinks: readonly PushSink[];

  constructor(parts: ReportingParts) {
    const { host, clock, naming, sinks, reader } = parts;
    this.#parts = parts;
    this.#startedAt = clock.now();
    const writer = createPageWriter(host, naming);
    const page = () => this.#freshPage();
    this.#sinks = sinks.map((sink) => createSink(sink, { host, clock, writer, page }));
    this.exposition = new MetricsExposition({
      writer,
      page: (viewer) => this.#page(viewer),
      sequence: (viewer) => reader().snapshot(viewer).sequence,
      clock,
    });
  }

  accept(tick: Tick): void {
    this.#memory.accept(tick);
    this.exposition.ticked();
  }

  /** A status with what is to be said of receivers: no GPU is at fault, and yet somebody misses data. */
  annotate(status: SourceStatus): SourceStatus {
    const more = this.#sinks.flatMap((sink) => sinkNotice(sink.status()) ?? []);
    return more.length === 0 ? status : { ...status, notices: [...status.notices, ...more] };
  }

  /** Sends what waits, not for long, and takes leave of every receiver. */
  async close(): Promise<void> {
    this.exposition.close();
    await Promise.all(this.#sinks.map((sink) => sink.close()));
  }

  #freshPage(): Page | null {
    const page = this.#page(ADMINISTRATOR);
    const isFresh = page.at !== null && page.now - page.at < FRESH_MS;
    return isFresh && page.source.origin !== 'recorded' ? page : null;
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
      sinks: this.#sinks.map((sink) => sink.status()),
      own: {
        residentBytes: process.memoryUsage.rss(),
        cpuSeconds: (user + system) / 1e6,
        startedAt: this.#startedAt,
      },
    });
  }
}

/** What is to be said of a receiver; null where it takes everything. */
function sinkNotice({ name, lastFailure, lostSamples: lost }: SinkStatus): Notice | null {
  const about = { isRemark: true, params: { sink: name, lost, reason: lastFailure ?? '' } } as const;
  if (lastFailure !== null) return { ...about, key: 'notice.sink-failing' };
  return lost > 0 ? { ...about, key: 'notice.sink-lost' } : null;
}
