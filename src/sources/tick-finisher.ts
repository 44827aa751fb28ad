import type { Device } from '../model/device.ts';
import type { OwnerLookup } from '../model/owner-lookup.ts';
import type { Source } from '../model/ports.ts';
import { absent } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import type { DeviceSample, Tick } from '../model/tick.ts';
import { TickEvents } from './tick-events.ts';

const NO_SAMPLES: readonly DeviceSample[] = [];

/** Completes the ticks of a source with what every source would otherwise have to do itself. */
export class TickFinisher {
  readonly #source: Source;
  readonly #events: TickEvents;
  readonly #owners: OwnerLookup | null;
  readonly #sampled = new Set<string>();

  /** `owners` may be null where nobody is to be asked. */
  constructor(source: Source, owners: OwnerLookup | null) {
    this.#source = source;
    this.#events = new TickEvents({ watchClock: source.origin === 'live' });
    // The pids of a log or of a simulation are not processes of this machine.
    this.#owners = source.origin === 'live' ? owners : null;
  }

  /** Waits, at most a tenth of a second, for the names of processes that are new in a tick; null where all are known. */
  prepare(tick: Tick): Promise<void> | null {
    return this.#owners?.prepare(tick.devices) ?? null;
  }

  /**
   * The tick with its processes named and owned, with the devices that have not answered even once, and with the events
   * that follow from comparing it with the tick before.
   */
  finish(tick: Tick): Tick {
    if (tick.isFinished === true) return tick;
    const owners = this.#owners;
    const owned = owners === null ? tick.devices : tick.devices.map((sample) => owners.complete(sample));
    const silent = this.#silentDevices(tick);
    const devices = silent.length === 0 ? owned : [...owned, ...silent];
    const finished = devices === tick.devices ? tick : { ...tick, devices };
    const derived = this.#events.next(finished);
    return derived.length === 0 ? finished : { ...finished, events: [...tick.events, ...derived] };
  }

  /** A GPU that hangs from the start must not be hidden by having no sample. */
  #silentDevices(tick: Tick): readonly DeviceSample[] {
    const known = this.#source.devices();
    if (known.length === this.#sampled.size) return NO_SAMPLES;
    for (const { device } of tick.devices) this.#sampled.add(device.uuid);
    return known.filter(({ uuid }) => !this.#sampled.has(uuid)).map(silentSample);
  }
}

function silentSample(device: Device): DeviceSample {
  return {
    device,
    state: 'stale',
    readings: ReadingSet.allAbsent('not-collected'),
    processes: absent('not-collected'),
  };
}
