import type { Clock, Stop } from '../model/clock.ts';
import type { Origin, TickSink } from '../model/ports.ts';
import type { DeviceView, Snapshot, Update } from '../model/reader.ts';
import type { Millis } from '../model/reading.ts';
import type { DeviceSample, Tick } from '../model/tick.ts';

/** A device that is missing from this many ticks in a row has a stale last sample. */
const STALE_TICKS = 3;

interface Seen extends DeviceView {
  readonly sequence: number;
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
    if (this.#listeners.size === 0) return;
    const update = { snapshot: this.snapshot(), events: tick.events };
    for (const listener of this.#listeners) listener(update);
  }

  snapshot(): Snapshot {
    const now = this.#clock.now();
    const devices = this.#seen.map((view) => (view.state === 'ok' && this.#isStale(view, now) ? asStale(view) : view));
    return { sequence: this.#sequence, at: this.#at, devices };
  }

  subscribe(listener: (update: Update) => void): Stop {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #isStale(view: Seen, now: Millis): boolean {
    if (this.#sequence - view.sequence >= STALE_TICKS) return true;
    return this.#origin !== 'recorded' && now - view.at > this.#staleAfterMs;
  }
}

function asStale(view: DeviceView): DeviceView {
  return { ...view, state: 'stale' };
}

/** The views with the samples of a tick put in, by index. */
function merge(seen: readonly Seen[], { at, devices }: Tick, sequence: number): readonly Seen[] {
  // Nearly every tick brings the devices of the one before in the same order.
  if (isSameRoster(seen, devices)) return devices.map((sample) => toSeen(sample, at, sequence));
  const fresh = new Map(devices.map((sample) => [sample.device.uuid, toSeen(sample, at, sequence)]));
  const kept = seen.filter(({ device }) => !fresh.has(device.uuid));
  return [...kept, ...fresh.values()].sort((a, b) => a.device.index - b.device.index);
}

function isSameRoster(seen: readonly Seen[], devices: readonly DeviceSample[]): boolean {
  return seen.length === devices.length && seen.every(({ device }, i) => device.uuid === devices[i]?.device.uuid);
}

function toSeen({ device, state, readings, processes }: DeviceSample, at: Millis, sequence: number): Seen {
  return { device, state, readings, processes, at, sequence };
}
