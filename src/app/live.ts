import type { Clock, Stop } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import type { Origin, TickSink } from '../model/ports.ts';
import type { DeviceView, HostView, Snapshot, Update } from '../model/reader.ts';
import type { Millis } from '../model/reading.ts';
import type { DeviceSample, Tick } from '../model/tick.ts';

/** A device of a recording that is missing from this many ticks in a row has a stale last sample. */
const STALE_TICKS = 3;

/** A device whose driver is slow is stale after so many of its own intervals, but no later than the second figure. */
const STALE_GAPS = 2.5;
const LATEST_STALE_MS = 30_000;

interface Seen extends DeviceView {
  readonly sequence: number;
  /** How long after the sample before this one came. */
  readonly gapMs: number;
}

/**
 * The newest sample of every device in memory, so that what is asked most often never touches disk or driver. A device
 * that stops answering keeps its last sample and is called stale, never dropped.
 */
export class Live implements TickSink {
  readonly #clock: Clock;
  readonly #origin: Origin;
  readonly #staleAfterMs: number;
  readonly #listeners = new Set<(update: Update) => void>();
  #seen: readonly Seen[] = [];
  #sequence = 0;
  #at: Millis | null = null;
  #machine: HostView | null = null;

  /** `staleAfterMs` applies to what this host samples; the age of a recording says nothing. */
  constructor(options: { clock: Clock; origin: Origin; staleAfterMs: number }) {
    this.#clock = options.clock;
    this.#origin = options.origin;
    this.#staleAfterMs = options.staleAfterMs;
  }

  accept(tick: Tick): void {
    if (tick.devices.length > 0) {
      this.#sequence++;
      this.#at = tick.at;
      this.#seen = merge(this.#seen, tick, this.#sequence);
    }
    if (tick.host !== undefined) this.#machine = { ...tick.host, at: tick.at };
    if (this.#listeners.size === 0) return;
    const update = { snapshot: this.snapshot(), events: tick.events };
    for (const listener of this.#listeners) listener(update);
  }

  snapshot(): Snapshot {
    const now = this.#clock.now();
    const devices = this.#seen.map((view) => (view.state === 'ok' && this.#isStale(view, now) ? asStale(view) : view));
    const machine = this.#machine;
    return { sequence: this.#sequence, at: this.#at, devices, ...(machine !== null && { machine }) };
  }

  subscribe(listener: (update: Update) => void): Stop {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #isStale(view: Seen, now: Millis): boolean {
    if (this.#origin === 'recorded') return this.#sequence - view.sequence >= STALE_TICKS;
    const usualMs = Math.min(STALE_GAPS * view.gapMs, LATEST_STALE_MS);
    return now - view.at > Math.max(this.#staleAfterMs, usualMs);
  }
}

function asStale(view: DeviceView): DeviceView {
  return { ...view, state: 'stale' };
}

/** The views with the samples of a tick put in, by index. */
function merge(seen: readonly Seen[], { at, devices }: Tick, sequence: number): readonly Seen[] {
  // Nearly every tick brings the devices of the one before in the same order.
  if (isSameRoster(seen, devices)) return devices.map((sample, i) => toSeen(sample, at, sequence, seen[i]));
  const before = new Map(seen.map((view) => [view.device.uuid, view]));
  const fresh = new Map(
    devices.map((sample) => [sample.device.uuid, toSeen(sample, at, sequence, before.get(sample.device.uuid))]),
  );
  const kept = seen.filter(({ device }) => !fresh.has(device.uuid) && !isReplaced(device, devices));
  return [...kept, ...fresh.values()].sort(byPlace);
}

/** By index, and the MIG instances of a card behind it. */
function byPlace({ device: a }: DeviceView, { device: b }: DeviceView): number {
  return a.index - b.index || (a.mig?.gpuInstance ?? -1) - (b.mig?.gpuInstance ?? -1);
}

function isSameRoster(seen: readonly Seen[], devices: readonly DeviceSample[]): boolean {
  return seen.length === devices.length && seen.every(({ device }, i) => device.uuid === devices[i]?.device.uuid);
}

/**
 * A device that was known by its place alone, until the one in that place told who it is; or a MIG instance that is no
 * longer there beside its card: it was taken away on purpose.
 */
function isReplaced({ uuidIsDerived, vendor, index, mig }: Device, devices: readonly DeviceSample[]): boolean {
  if (mig !== undefined) return devices.some(({ device }) => device.uuid === mig.parent);
  if (uuidIsDerived !== true) return false;
  return devices.some(({ device }) => device.vendor === vendor && device.index === index && device.mig === undefined);
}

/** A lost device keeps the time at which it last gave data. */
function toSeen(sample: DeviceSample, at: Millis, sequence: number, before: Seen | undefined): Seen {
  const sampledAt = sample.state === 'lost' ? (before?.at ?? at) : at;
  return { ...sample, at: sampledAt, sequence, gapMs: before === undefined ? 0 : sampledAt - before.at };
}
