import { slotOf } from '../model/catalogue.ts';
import { isThrottled, TROUBLE_BITS } from '../model/clock-events.ts';
import type { Device, DeviceState } from '../model/device.ts';
import type { EventKind, GpuEvent, Severity } from '../model/event.ts';
import type { GpuProcess } from '../model/process.ts';
import type { Millis } from '../model/reading.ts';
import type { DeviceSample, Tick } from '../model/tick.ts';

const REASONS = slotOf('clock_event_reasons');
const ECC_COUNTERS = [
  { slot: slotOf('ecc_corrected_volatile_total'), kind: 'ecc-corrected', severity: 'info' },
  { slot: slotOf('ecc_uncorrected_volatile_total'), kind: 'ecc-uncorrected', severity: 'critical' },
] as const satisfies readonly { slot: number; kind: EventKind; severity: Severity }[];

/** A wall clock that moved this much more or less than the monotonic one was stepped. */
const CLOCK_STEP_MS = 2000;

/** Clocks held down on and off within this time are one episode, not a flood of events. */
const THROTTLE_HOLD_MS = 5000;

/** A device that is missing from this many ticks in a row has gone silent. */
const SILENT_TICKS = 3;

interface Known {
  readonly device: Device;
  state: DeviceState;
  /** Ticks in a row in which there was no sample of it, or only a stale one. */
  missed: number;
  throttled: boolean;
  /** While throttled: since when no trouble bit has been set, or null. */
  clearSince: Millis | null;
  readonly ecc: (number | null)[];
  processes: ReadonlyMap<number, GpuProcess> | null;
}

/**
 * Finds what happened between two ticks: a GPU lost or back, throttling begun or ended, ECC counters grown, processes
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

  /** `watchClock` only for ticks stamped by this host's clock; a recording has its own. */
  constructor(options: { watchClock: boolean }) {
    this.#watchClock = options.watchClock;
  }

  /** The events of this tick that are not already in it, in a stable order. */
  next(tick: Tick): GpuEvent[] {
    const events: GpuEvent[] = [];
    this.#compareClock(tick, events);
    if (tick.devices.length > 0) for (const known of this.#known.values()) known.missed++;
    for (const sample of tick.devices) this.#compareDevice(tick.at, sample, events);
    if (tick.devices.length > 0) this.#reportSilence(tick.at, events);
    this.#primed ||= tick.devices.length > 0;
    return events;
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

  #compareDevice(at: Millis, sample: DeviceSample, events: GpuEvent[]): void {
    const { device, state, readings } = sample;
    const known = this.#known.get(device.uuid);
    // Most ticks bring no event: the closure below is all they allocate per device.
    const emit: Emit = (kind, severity, params) => {
      events.push({ at, kind, severity, uuid: device.uuid, params: { index: device.index, ...params } });
    };
    if (known === undefined) {
      this.#introduce(sample, emit);
      return;
    }
    compareState(known, state, device, emit);
    // Every reading of a lost or sleeping GPU is absent: its other facts wait until it is back.
    if (state !== 'ok') return;
    compareThrottle(known, at, readings.number(REASONS), emit);
    compareEcc(known, sample, emit);
    compareProcesses(known, sample, emit);
  }

  #reportSilence(at: Millis, events: GpuEvent[]): void {
    for (const { device, missed } of this.#known.values()) {
      if (missed !== SILENT_TICKS) continue;
      const params = { index: device.index, name: device.name };
      events.push({ at, kind: 'gpu-silent', severity: 'warning', uuid: device.uuid, params });
    }
  }

  #introduce(sample: DeviceSample, emit: Emit): void {
    const { device, state, readings } = sample;
    if (this.#primed) emit('gpu-found', 'info', { name: device.name });
    if (state === 'lost') emit('gpu-lost', 'critical', { name: device.name });
    this.#known.set(device.uuid, {
      device,
      state,
      missed: 0,
      throttled: isThrottled(readings.number(REASONS) ?? 0),
      clearSince: null,
      ecc: ECC_COUNTERS.map(({ slot }) => readings.number(slot)),
      processes: byPid(sample),
    });
  }
}

type Emit = (kind: EventKind, severity: Severity, params?: GpuEvent['params']) => void;

function compareState(known: Known, state: DeviceState, { name }: Device, emit: Emit): void {
  if (state === 'stale') return;
  const wasSilent = known.missed > SILENT_TICKS;
  known.missed = 0;
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

function compareEcc(known: Known, { readings }: DeviceSample, emit: Emit): void {
  for (let i = 0; i < ECC_COUNTERS.length; i++) {
    const { slot, kind, severity } = ECC_COUNTERS[i]!;
    const before = known.ecc[i] ?? null;
    const now = readings.number(slot);
    if (now === null) continue;
    if (before !== null && now > before) emit(kind, severity, { count: now - before });
    known.ecc[i] = now;
  }
}

function compareProcesses(known: Known, sample: DeviceSample, emit: Emit): void {
  const now = byPid(sample);
  if (now === null) return;
  if (known.processes !== null) {
    for (const { pid, name } of now.values()) {
      if (!known.processes.has(pid)) emit('process-started', 'info', { pid, name: name ?? '?' });
    }
    for (const { pid, name } of known.processes.values()) {
      if (!now.has(pid)) emit('process-ended', 'info', { pid, name: name ?? '?' });
    }
  }
  known.processes = now;
}

function byPid({ processes }: DeviceSample): Map<number, GpuProcess> | null {
  return 'absent' in processes ? null : new Map(processes.map((process) => [process.pid, process]));
}
