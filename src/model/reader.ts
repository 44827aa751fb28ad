import type { Stop } from './clock.ts';
import type { Device } from './device.ts';
import type { AppError } from './errors.ts';
import type { GpuEvent } from './event.ts';
import type { LiveFindings } from './finding.ts';
import type {
  EventQuery,
  Extent,
  Grid,
  HistoryStatus,
  Notice,
  Origin,
  RangeQuery,
  TopologyLink,
  Viewer,
} from './ports.ts';
import type { Millis } from './reading.ts';
import type { DeviceSample, HostSample } from './tick.ts';

/** The newest sample of a device, with the time it was taken: a device that stopped answering keeps its last one. */
export interface DeviceView extends DeviceSample {
  readonly at: Millis;
}

/** The newest reading of the host, with the time it was taken. */
export interface HostView extends HostSample {
  readonly at: Millis;
}

/** What is known now about every device, by index. */
export interface Snapshot {
  /** Grows by one with every tick since the start. */
  readonly sequence: number;
  /** Time of the newest tick; null before the first. */
  readonly at: Millis | null;
  readonly devices: readonly DeviceView[];
  /** Missing where the source is not this machine, or nothing has been read yet. */
  readonly machine?: HostView;
}

/** A new tick, as a subscriber of the live stream gets it. */
export interface Update {
  readonly snapshot: Snapshot;
  /** Events since the update before. */
  readonly events: readonly GpuEvent[];
}

/** How long sampling takes, the wait for the driver included. */
export interface TickTimes {
  readonly count: number;
  readonly seconds: number;
  /** Of the newest. */
  readonly lastSeconds: number;
}

export interface SourceStatus {
  readonly name: string;
  readonly origin: Origin;
  /**
   * - `searching`: no device source could be opened yet; `reason` says why, and it is tried again
   * - `running`: ticks arrive
   * - `stalled`: the driver does not answer
   * - `ended`: the recording has been read to its end
   * - `released`: the devices were let go on request, so that they can be reset; see `releasedUntil`
   */
  readonly state: 'searching' | 'running' | 'stalled' | 'ended' | 'released';
  /** While released: when the devices are taken up again at the latest. */
  readonly releasedUntil: Millis | null;
  /** Why no device was found: while searching, or because of which a demonstration plays instead. */
  readonly reason: AppError | null;
  /** Wall-clock time at which the newest tick arrived. */
  readonly lastTickAt: Millis | null;
  readonly intervalMs: number;
  /** Ticks that were due while the tick before was still being sampled. */
  readonly missedTicks: number;
  /** Ticks sampled since the source was opened, and the time they took; missing where nothing is sampled live. */
  readonly ticks?: TickTimes;
  readonly notices: readonly Notice[];
}

export interface Status {
  readonly now: Millis;
  readonly host: string;
  readonly version: string;
  readonly source: SourceStatus;
  readonly history: HistoryStatus & { readonly extent: Extent | null };
  /** What gpulse itself costs. */
  readonly own: { readonly residentBytes: number; readonly cpuSeconds: number; readonly uptimeSeconds: number };
}

/**
 * The one place that reads. Every method names its viewer, and what that viewer may see is decided behind this port and
 * nowhere else.
 */
export interface Reader {
  readonly host: string;
  /** From memory: neither this nor `snapshot` nor `topology` waits for disk, network or driver. */
  source(viewer: Viewer): SourceStatus;
  snapshot(viewer: Viewer): Snapshot;
  /** How the devices are joined; null where the source cannot tell. */
  topology(viewer: Viewer): readonly TopologyLink[] | null;
  /** Every device the history knows, whether it is present or not. */
  devices(viewer: Viewer): Promise<readonly Device[]>;
  series(viewer: Viewer, query: RangeQuery): Promise<Grid>;
  events(viewer: Viewer, query: EventQuery): Promise<readonly GpuEvent[]>;
  /** From memory: what is known of the last hour; missing where nothing is diagnosed. */
  findings?(viewer: Viewer): LiveFindings;
  status(viewer: Viewer): Promise<Status>;
  subscribe(viewer: Viewer, listener: (update: Update) => void): Stop;
}
