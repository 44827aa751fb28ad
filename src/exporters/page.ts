import type { Device } from '../model/device.ts';
import type { SinkStatus } from '../model/exposition.ts';
import type { DeviceView, HostView, Snapshot, SourceStatus } from '../model/reader.ts';
import type { Millis } from '../model/reading.ts';
import type { ReadingSet } from '../model/reading-set.ts';
import type { SampleSink } from './family.ts';
import { type DeviceOwner, ownersOf } from './owners.ts';
import type { TickMemory } from './tick-memory.ts';

/** One device as profiles write it. */
export interface Row {
  readonly view: DeviceView;
  readonly device: Device;
  /**
   * Null where the last sample is older than it should be: exported again and again it would pass for a present one. A
   * lost device has readings, all of them absent.
   */
  readonly readings: ReadingSet | null;
  readonly owners: readonly DeviceOwner[];
  /** The card of a MIG instance where it is listed; null for a card. */
  readonly card: Device | null;
}

/** Everything that one page or batch is made from. Nothing in it waits for anything. */
export interface Page {
  readonly host: string;
  readonly version: string;
  readonly now: Millis;
  /** Time of the newest tick; null before the first. */
  readonly at: Millis | null;
  readonly rows: readonly Row[];
  readonly machine: HostView | null;
  readonly source: SourceStatus;
  readonly memory: TickMemory;
  readonly sinks: readonly SinkStatus[];
  /** Of the process. */
  readonly own: { readonly residentBytes: number; readonly cpuSeconds: number; readonly startedAt: Millis };
}

/** A host whose readings are older than this has none. */
const MACHINE_STALE_MS = 60_000;

/** Puts a page together from what is known now. */
export function createPage(snapshot: Snapshot, rest: Omit<Page, 'at' | 'rows' | 'machine'>): Page {
  const { devices, at, machine } = snapshot;
  const cards = new Map(devices.map(({ device }) => [device.uuid, device]));
  const rows = devices.map((view): Row => {
    const { device } = view;
    return {
      view,
      device,
      readings: view.state === 'stale' ? null : view.readings,
      owners: view.state === 'stale' ? [] : ownersOf(view),
      card: device.mig === undefined ? null : (cards.get(device.mig.parent) ?? null),
    };
  });
  const isFresh = machine !== undefined && (rest.source.origin !== 'live' || rest.now - machine.at < MACHINE_STALE_MS);
  return { ...rest, at, rows, machine: isFresh ? machine : null };
}

/** Writing that can be interrupted: each step writes some families, about a thousand series. */
export type Steps = Generator<undefined, void>;

/** Takes all steps at once. */
export function writeWhole(steps: Steps): void {
  while (steps.next().done !== true);
}

/** One profile: a way to name series. */
export interface Profile {
  /** Writes every series it has of the page. */
  inSteps(page: Page, sink: SampleSink): Steps;
  /** Series it would have if this device gave the reading. */
  readonly series: readonly ProfileSeries[];
  /** Series that belong to the profile and that no device can give here. */
  readonly never: readonly string[];
  /** Series beside those of readings that this device lacks, with the reason; `owner` where only the split is missing. */
  gaps?(row: Row): readonly { readonly name: string; readonly reason: string; readonly scope?: 'owner' }[];
  /** Whether the profile is about this device at all. */
  covers(device: Device): boolean;
}

/** One series of a profile by the slot of the reading behind it. */
interface ProfileSeries {
  readonly slot: number;
  readonly name: string;
}
