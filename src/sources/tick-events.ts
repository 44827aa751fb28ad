import { slotOf } from '../model/catalogue.ts';
import { isThrottled, TROUBLE_BITS } from '../model/clock-events.ts';
import type { Device, DeviceState } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import type { GpuProcess } from '../model/process.ts';
import type { Millis } from '../model/reading.ts';
import type { DeviceSample, Tick } from '../model/tick.ts';
import { type Emit, HealthEvents } from './health-events.ts';

const REASONS = slotOf('clock_event_reasons');
/** A wall clock that moved this much more or less than the monotonic one was stepped. */
const CLOCK_STEP_MS = 2000;

/** Clocks held down on and off within this time are one episode, not a flood of events. */
const THROTTLE_HOLD_MS = 5000;

/** A device that is missing from this many ticks in a row, and for this long, has gone silent. */
const SILENT_TICKS = 3;
const SILENT_MS = 10_000;

interface Known {
  readonly device: Device;
  state: DeviceState;
  /** Ticks in a row in which there was no sample of it, or only a stale one. */
  missed: number;
  /** When it was there last, on the monotonic clock. */
  seenAt: number;
  isSilent: boolean;
  throttled: boolean;
  /** While throttled: since when no trouble bit has been set, or null. */
  clearSince: Millis | null;
  readonly health: HealthEvents;
  processes: ReadonlyMap<number, GpuProcess> | null;
}

/**
 * Finds what happened between two ticks: a GPU lost or back, throttling begun or ended, errors of its memory, processes
 * come or gone, the clock stepped. Pure state machine; the same for every source, so that no source has to do it.
 *
 * The first sample of a device is its baseline and gives no event, except that a GPU which appears later is announced.
 */
export class TickEvents {
  readonly #known = new Map<string, Known>();
  readonly #watchClock: boolean;
  #last: { at: Millis; monotonic: number } | null = null;
  /** Set once the devices of the first tick are known: whoever appears later is news. */
  #primed = false;
  /** Processes of MIG instances that have just come or gone with them, by {@link placeOf}. */
  readonly #arrived = new Set<string>();
  readonly #departed = new Set<string>();
  /** `watchClock` only for ticks stamped by this host's clock; a recording has its own. */
  constructor(options: { watchClock: boolean }) {
    this.#watchClock = options.watchClock;
  }

  /** The events of this tick that are not already in it, in a stable order. */
  next(tick: Tick): GpuEvent[] {
    const events: GpuEvent[] = [];
    this.#compareClock(tick, events);
    if (tick.devices.length > 0) for (const known of this.#known.values()) known.missed++;
    let device: Device;
    // Most ticks bring no event: one closure for all devices is all that they allocate.
    const emit: Emit = (kind, severity, params) => {
      events.push({ at: tick.at, kind, severity, uuid: device.uuid, params: { index: device.index, ...params } });
    };
    for (const sample of tick.devices) {
      device = sample.device;
      this.#compareDevice(tick, sample, emit);
    }
    if (tick.devices.length > 0) this.#reportSilence(tick, events);
    this.#primed ||= tick.devices.length > 0;
    return this.#withoutMoves(events);
  }

  /** A process that is listed with a card and then with an instance of it, or the reverse, has neither started nor left. */
  #withoutMoves(events: GpuEvent[]): GpuEvent[] {
    const [arrived, departed] = [this.#arrived, this.#departed];
    if (events.length === 0) {
      // Clearing a set makes a new table, even of an empty one.
      if (arrived.size > 0) arrived.clear();
      if (departed.size > 0) departed.clear();
      return events;
    }
    if (arrived.size + departed.size === 0 && ![...this.#known.values()].some(({ device }) => device.mig !== undefined))
      return events;
    const place = ({ uuid, params }: GpuEvent): string => {
      const device = this.#known.get(uuid ?? '')?.device;
      return device === undefined ? '' : placeOf(device, Number(params['pid']));
    };
    for (const event of events) {
      if (event.kind === 'process-started') arrived.add(place(event));
      if (event.kind === 'process-ended') departed.add(place(event));
    }
    const stay = ({ kind }: GpuEvent): boolean => kind !== 'process-started' && kind !== 'process-ended';
    const kept = events.filter((event) => stay(event) || !(arrived.has(place(event)) && departed.has(place(event))));
    arrived.clear();
    departed.clear();
    return kept;
  }

  #compareClock({ at, monotonic }: Tick, events: GpuEvent[]): void {
    const last = this.#last;
    this.#last = { at, monotonic };
    if (last === null || !this.#watchClock) return;
    const step = at - last.at - (monotonic - last.monotonic);
    if (Math.abs(step) < CLOCK_STEP_MS) return;
    const seconds = Math.round(step / 1000);
    events.push({ at, kind: 'clock-stepped', severity: 'warning', uuid: null, params: { seconds } });
  }

  #compareDevice({ at, monotonic }: Tick, sample: DeviceSample, emit: Emit): void {
    const { device, state, readings } = sample;
    const known = this.#known.get(device.uuid);
    if (known === undefined) {
      this.#introduce(sample, monotonic, emit);
      return;
    }
    compareState(known, state, device, emit);
    if (state !== 'stale') known.seenAt = monotonic;
    // Every reading of a lost or sleeping GPU is absent: its other facts wait until it is back.
    if (state !== 'ok') return;
    compareThrottle(known, at, readings.number(REASONS), emit);
    known.health.compare(readings, emit);
    compareProcesses(known, sample, emit);
  }

  #reportSilence({ at, monotonic }: Tick, events: GpuEvent[]): void {
    for (const [uuid, known] of this.#known) {
      const { device, missed, seenAt, isSilent } = known;
      if (missed > 0 && this.#isCutAway(device)) {
        this.#known.delete(uuid);
        for (const pid of known.processes?.keys() ?? []) this.#departed.add(placeOf(device, pid));
      }
      if (isSilent || missed < SILENT_TICKS || monotonic - seenAt < SILENT_MS) continue;
      known.isSilent = true;
      const params = { index: device.index, name: device.name };
      events.push({ at, kind: 'gpu-silent', severity: 'warning', uuid: device.uuid, params });
    }
  }

  /** A MIG instance that is missing while its card is there was taken away on purpose. */
  #isCutAway({ mig }: Device): boolean {
    return mig !== undefined && this.#known.get(mig.parent)?.missed === 0;
  }

  #introduce(sample: DeviceSample, monotonic: number, emit: Emit): void {
    const { device, state, readings } = sample;
    const nameless = this.#takeNameless(device);
    if (nameless !== null) compareState(nameless, state, device, emit);
    else if (this.#primed) emit('gpu-found', 'info', { name: device.name });
    if (nameless === null && state === 'lost') emit('gpu-lost', 'critical', { name: device.name });
    const health = new HealthEvents();
    health.compare(readings, emit);
    const processes = byPid(sample);
    if (device.mig !== undefined && this.#primed) {
      for (const pid of processes?.keys() ?? []) this.#arrived.add(placeOf(device, pid));
    }
    this.#known.set(device.uuid, {
      device,
      state: state === 'stale' ? (nameless?.state ?? state) : state,
      missed: 0,
      seenAt: monotonic,
      isSilent: false,
      throttled: isThrottled(readings.number(REASONS) ?? 0),
      clearSince: null,
      health,
      processes,
    });
  }

  /** What was known by its place only and is this device, which has its name at last; it is forgotten. Null if there is none. */
  #takeNameless({ vendor, index, mig }: Device): Known | null {
    if (mig !== undefined) return null;
    for (const [uuid, known] of this.#known) {
      const { device, missed } = known;
      if (device.uuidIsDerived !== true || missed === 0) continue;
      if (device.vendor !== vendor || device.index !== index) continue;
      this.#known.delete(uuid);
      return known;
    }
    return null;
  }
}

function compareState(known: Known, state: DeviceState, { name }: Device, emit: Emit): void {
  if (state === 'stale') return;
  const wasSilent = known.isSilent;
  known.missed = 0;
  known.isSilent = false;
  if (known.state !== 'lost' && state === 'lost') emit('gpu-lost', 'critical', { name });
  else if (state !== 'lost' && (known.state === 'lost' || wasSilent)) emit('gpu-back', 'info', { name });
  known.state = state;
}

function compareThrottle(known: Known, at: Millis, mask: number | null, emit: Emit): void {
  if (mask === null) return;
  if (isThrottled(mask)) {
    known.clearSince = null;
    if (known.throttled) return;
    known.throttled = true;
    emit('throttle-began', 'warning', { reasons: mask & TROUBLE_BITS });
  } else if (known.throttled) {
    known.clearSince ??= at;
    if (at - known.clearSince < THROTTLE_HOLD_MS) return;
    known.throttled = false;
    known.clearSince = null;
    emit('throttle-ended', 'info');
  }
}

function compareProcesses(known: Known, sample: DeviceSample, emit: Emit): void {
  const now = byPid(sample);
  if (now === null) return;
  const before = known.processes;
  known.processes = now;
  if (before === null) return;
  for (const { pid, name } of now.values()) {
    if (!before.has(pid)) emit('process-started', 'info', { pid, name: name ?? '?' });
  }
  for (const process of before.values()) {
    const { pid, name } = process;
    if (now.has(pid)) continue;
    // Who is missing from an incomplete list need not have gone.
    if (sample.processesPartial !== undefined) now.set(pid, process);
    else emit('process-ended', 'info', { pid, name: name ?? '?' });
  }
}

/** Where a process is, whichever part of a card it is listed with. */
function placeOf({ uuid, mig }: Device, pid: number): string {
  return `${mig?.parent ?? uuid} ${pid}`;
}

function byPid({ processes }: DeviceSample): Map<number, GpuProcess> | null {
  return 'absent' in processes ? null : new Map(processes.map((process) => [process.pid, process]));
}
