import { CATALOGUE } from '../model/catalogue.ts';
import type { Stop } from '../model/clock.ts';
import type { Controls } from '../model/controls.ts';
import type { Device } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import type { LiveFindings } from '../model/finding.ts';
import type { EventQuery, Extent, Grid, Origin, RangeQuery, TopologyLink, Viewer } from '../model/ports.ts';
import type { DeviceView, Reader, Snapshot, SourceStatus, Status, Update } from '../model/reader.ts';
import type { Millis } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { testDevice, testSample } from '../model/scripted-source.ts';

/** A device with every metric present and different from those of its neighbours and of other ticks. */
export function fullView(index: number, at: Millis, seed = 0): DeviceView {
  const readings = new ReadingSet();
  for (const { slot } of CATALOGUE) readings.setValue(slot, index * 1000 + slot + seed / 8);
  const name = index % 2 === 0 ? 'NVIDIA H100 80GB HBM3' : 'Quote " and 显卡';
  const device = testDevice(index, { uuid: `GPU-${index}`, name, pciBusId: `00000000:${index + 10}:00.0` });
  const process = { pid: 4000 + index, kind: 'compute', memoryBytes: 2 ** 30, name: 'python', user: 'li' } as const;
  return { ...testSample(device, { readings, processes: [process] }), at };
}

/** The other side of the server's port for tests: everything it answers is what a test puts in. */
export class MemoryReader implements Reader, Controls {
  /** What was asked of it as the one who controls the sampling. */
  readonly asked: string[] = [];
  readonly host = 'node-1';
  origin: Origin = 'live';
  sourceName = 'memory';
  current: Snapshot = { sequence: 0, at: null, devices: [] };
  extent: Extent | null = null;
  statusPatch: { source?: Partial<SourceStatus>; history?: Partial<Status['history']> } = {};
  stored: readonly GpuEvent[] = [];
  diagnosed: LiveFindings = { at: null, from: null, to: null, headline: null, findings: [] };
  joined: readonly TopologyLink[] | null = null;
  /** Devices that only the history knows. */
  removed: readonly Device[] = [];
  readonly seriesQueries: RangeQuery[] = [];
  readonly eventQueries: EventQuery[] = [];
  readonly listeners = new Set<(update: Update) => void>();
  onSeries: (query: RangeQuery) => Promise<Grid> = (query) => Promise.resolve(gridOf(query));

  source(_viewer: Viewer): SourceStatus {
    return {
      name: this.sourceName,
      origin: this.origin,
      state: 'running',
      reason: null,
      lastTickAt: this.current.at,
      intervalMs: 1000,
      releasedUntil: null,
      missedTicks: 0,
      notices: [],
      ...this.statusPatch.source,
    };
  }

  snapshot(_viewer: Viewer): Snapshot {
    return this.current;
  }

  topology(_viewer: Viewer): readonly TopologyLink[] | null {
    return this.joined;
  }

  devices(_viewer: Viewer): Promise<readonly Device[]> {
    return Promise.resolve([...this.current.devices.map(({ device }) => device), ...this.removed]);
  }

  series(_viewer: Viewer, query: RangeQuery): Promise<Grid> {
    this.seriesQueries.push(query);
    return this.onSeries(query);
  }

  events(_viewer: Viewer, query: EventQuery): Promise<readonly GpuEvent[]> {
    this.eventQueries.push(query);
    return Promise.resolve(this.stored);
  }

  status(viewer: Viewer): Promise<Status> {
    return Promise.resolve({
      now: 1_800_000_000_000,
      host: this.host,
      version: '1.2.3',
      source: this.source(viewer),
      history: {
        path: '/data',
        bytes: 4096,
        droppedTicks: 0,
        failure: null,
        daysThatFit: null,
        damage: null,
        extent: this.extent,
        ...this.statusPatch.history,
      },
      own: { residentBytes: 1e8, cpuSeconds: 1, uptimeSeconds: 60 },
    });
  }

  findings(_viewer: Viewer): LiveFindings {
    return this.diagnosed;
  }

  async release(_viewer: Viewer, forMs: number): Promise<void> {
    this.asked.push(`release ${forMs}`);
  }

  async resume(): Promise<void> {
    this.asked.push('resume');
  }

  subscribe(_viewer: Viewer, listener: (update: Update) => void): Stop {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** A tick: the devices are what is known from now on. */
  publish(at: Millis, devices: readonly DeviceView[], events: readonly GpuEvent[] = []): void {
    this.current = { sequence: this.current.sequence + 1, at, devices };
    for (const listener of this.listeners) listener({ snapshot: this.current, events });
  }
}

/** Ten buckets, the last of which is empty. */
function gridOf({ metrics, devices, from, to }: RangeQuery): Grid {
  const bucketMs = Math.ceil((to - from) / 10);
  const column = (value: number) => Array.from({ length: 10 }, (_, i) => (i === 9 ? null : value + i));
  return {
    from,
    to,
    bucketMs,
    intervalMs: 1000,
    at: Array.from({ length: 10 }, (_, i) => from + i * bucketMs),
    series: devices.flatMap((device) =>
      metrics.map((metric) => ({
        device,
        metric,
        min: column(1),
        mean: column(2),
        max: column(3),
        count: Array.from({ length: 10 }, (_, i) => (i === 9 ? 0 : 60)),
      })),
    ),
  };
}
