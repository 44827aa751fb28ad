import type { Device } from '../model/device.ts';
import type { Source } from '../model/ports.ts';
import type { GpuProcess } from '../model/process.ts';
import { absent } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import type { DeviceSample, Tick } from '../model/tick.ts';
import { TickEvents } from './tick-events.ts';

/** Names a process by pid; both parts null where it cannot. `monotonic` is the time of the tick. */
export type Identify = (
  pid: number,
  monotonic: number,
) => { readonly name: string | null; readonly user: string | null };

const NO_SAMPLES: readonly DeviceSample[] = [];

/** Completes the ticks of a source with what every source would otherwise have to do itself. */
export class TickFinisher {
  readonly #source: Source;
  readonly #events: TickEvents;
  readonly #identify: Identify | null;
  readonly #sampled = new Set<string>();

  constructor(source: Source, identify: Identify) {
    this.#source = source;
    this.#events = new TickEvents({ watchClock: source.origin === 'live' });
    // The pids of a log or of a simulation are not processes of this machine.
    this.#identify = source.origin === 'live' ? identify : null;
  }

  /**
   * The tick with its processes named, with the devices that have not answered even once, and with the events that
   * follow from comparing it with the tick before.
   */
  finish(tick: Tick): Tick {
    const named = this.#identify === null ? tick.devices : tick.devices.map((sample) => this.#name(sample, tick));
    const silent = this.#silentDevices(tick);
    const devices = silent.length === 0 ? named : [...named, ...silent];
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

  #name(sample: DeviceSample, { monotonic }: Tick): DeviceSample {
    const { processes } = sample;
    if ('absent' in processes || processes.length === 0) return sample;
    return { ...sample, processes: processes.map((process) => this.#nameProcess(process, monotonic)) };
  }

  #nameProcess(process: GpuProcess, monotonic: number): GpuProcess {
    if (this.#identify === null || (process.name !== null && process.user !== null)) return process;
    const { name, user } = this.#identify(process.pid, monotonic);
    return { ...process, name: process.name ?? name, user: process.user ?? user };
  }
}

function silentSample(device: Device): DeviceSample {
  return { device, state: 'stale', readings: ReadingSet.allAbsent('error'), processes: absent('error') };
}
