import type { Clock, Stop } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import type { LiveFindings } from '../model/finding.ts';
import type { EventQuery, Grid, History, RangeQuery, TopologyLink, Viewer } from '../model/ports.ts';
import type { Reader, Snapshot, SourceStatus, Status, Update } from '../model/reader.ts';
import type { Live } from './live.ts';
import { seenBy } from './sight.ts';

interface ReaderParts {
  readonly host: string;
  readonly version: string;
  readonly clock: Clock;
  readonly live: Live;
  readonly history: History;
  readonly source: () => SourceStatus;
  readonly topology: () => readonly TopologyLink[] | null;
  readonly findings: () => LiveFindings;
}

/** Reads for the administrator, who sees everything: the only viewer there is until tenants exist. */
export class AppReader implements Reader {
  readonly #parts: ReaderParts;
  readonly #startedAt: number;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.monotonic();
  }

  get host(): string {
    return this.#parts.host;
  }

  source(_viewer: Viewer): SourceStatus {
    return this.#parts.source();
  }

  snapshot(viewer: Viewer): Snapshot {
    return seenBy(viewer, this.#parts.live.snapshot());
  }

  topology(_viewer: Viewer): readonly TopologyLink[] | null {
    return this.#parts.topology();
  }

  devices(_viewer: Viewer): Promise<readonly Device[]> {
    return this.#parts.history.devices();
  }

  series(_viewer: Viewer, query: RangeQuery): Promise<Grid> {
    return this.#parts.history.range(query);
  }

  events(_viewer: Viewer, query: EventQuery): Promise<readonly GpuEvent[]> {
    return this.#parts.history.events(query);
  }

  findings(_viewer: Viewer): LiveFindings {
    return this.#parts.findings();
  }

  subscribe(viewer: Viewer, listener: (update: Update) => void): Stop {
    return this.#parts.live.subscribe(({ snapshot, events }) =>
      listener({ snapshot: seenBy(viewer, snapshot), events }),
    );
  }

  async status(_viewer: Viewer): Promise<Status> {
    const { clock, host, version, history, source } = this.#parts;
    const { user, system } = process.cpuUsage();
    return {
      now: clock.now(),
      host,
      version,
      source: source(),
      history: { ...history.status(), extent: await history.extent() },
      own: {
        residentBytes: process.memoryUsage.rss(),
        cpuSeconds: (user + system) / 1e6,
        uptimeSeconds: (clock.monotonic() - this.#startedAt) / 1000,
      },
    };
  }
}
