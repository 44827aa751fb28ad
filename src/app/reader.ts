import type { Clock, Stop } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import type { LiveFindings } from '../model/finding.ts';
import type { EventQuery, Extent, Grid, History, RangeQuery, TopologyLink, Viewer } from '../model/ports.ts';
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

/** How long what gpulse is like waits for the time span of its history, which a busy disk or an engine far away may hold up. */
const EXTENT_MS = 250;

/** Reads for the administrator, who sees everything: the only viewer there is until tenants exist. */
export class AppReader implements Reader {
  readonly #parts: ReaderParts;
  readonly #startedAt: number;
  /** The time span of the history as it was last told. */
  #extent: Extent | null = null;
  #asking: Promise<void> | null = null;
  /** The question under way has been waited for long enough. */
  #isOverdue = false;

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
      history: { ...history.status(), extent: await this.#extentInTime() },
      own: {
        residentBytes: process.memoryUsage.rss(),
        cpuSeconds: (user + system) / 1e6,
        uptimeSeconds: (clock.monotonic() - this.#startedAt) / 1000,
      },
    };
  }

  /** The time span of the history; where that does not come at once, what was known before. */
  async #extentInTime(): Promise<Extent | null> {
    const { clock, history } = this.#parts;
    this.#asking ??= history
      .extent()
      .then((extent) => {
        this.#extent = extent;
      })
      // Why it does not answer is in its status.
      .catch(() => {})
      .finally(() => {
        this.#asking = null;
        this.#isOverdue = false;
      });
    if (this.#isOverdue) return this.#extent;
    const asking = this.#asking;
    let stop: Stop = () => {};
    const limit = new Promise<void>((resolve) => {
      stop = clock.after(EXTENT_MS, () => {
        this.#isOverdue = this.#asking === asking;
        resolve();
      });
    });
    await Promise.race([asking, limit]);
    stop();
    return this.#extent;
  }
}
