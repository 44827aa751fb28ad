import { slotOf } from '../model/catalogue.ts';
import { CLOCK_EVENT_REASONS } from '../model/clock-events.ts';
import type { GpuEvent } from '../model/event.ts';
import type { TickSink } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import { absenceCode } from '../model/reading-set.ts';
import type { Tick } from '../model/tick.ts';

/** What one Xid did to one device so far. */
export interface XidCount {
  readonly xid: number;
  readonly total: number;
  /** Epoch milliseconds of the newest report. */
  readonly last: Millis;
}

/** Sliding window of what is counted over "the last minutes", as dcgm-exporter has it by default. */
export const WINDOW_MS = 5 * 60_000;

/** The window moves in steps of this. */
const STEP_MS = 10_000;
const STEPS = WINDOW_MS / STEP_MS;

const REASONS_SLOT = slotOf('clock_event_reasons');
const ERROR = absenceCode('error');

interface DeviceMemory {
  readonly xids: Map<number, { total: number; last: Millis; recent: { at: Millis; count: number }[] }>;
  lastXid: number | null;
  /** Samples with each clock event reason, per step of the window. */
  readonly reasonSteps: Uint32Array;
  failedReadings: number;
}

/**
 * What the newest tick alone does not tell: how often an Xid came, how long clocks were held down, how many readings
 * failed. It lasts as long as the process.
 */
export class TickMemory implements TickSink {
  readonly #devices = new Map<string, DeviceMemory>();
  /** Counts already taken in of events that go on, by their key. */
  readonly #counted = new Map<string, number>();
  #step = 0;

  accept({ at, devices, events }: Tick): void {
    for (const event of events) if (event.kind === 'xid') this.#takeXid(event);
    if (devices.length === 0) return;
    this.#moveTo(Math.floor(at / STEP_MS));
    for (const { device, readings, state } of devices) {
      if (state !== 'ok') continue;
      const memory = this.#of(device.uuid);
      for (const code of readings.codes) if (code === ERROR) memory.failedReadings++;
      if (readings.codes[REASONS_SLOT] === 0) this.#takeReasons(memory, readings.values[REASONS_SLOT]!);
    }
  }

  /** Xids of a device by number, as far as any came. */
  xids(uuid: string): readonly XidCount[] {
    const memory = this.#devices.get(uuid);
    if (memory === undefined || memory.xids.size === 0) return [];
    return [...memory.xids].map(([xid, { total, last }]) => ({ xid, total, last })).sort((a, b) => a.xid - b.xid);
  }

  /** The newest Xid of a device; null where none came. */
  lastXid(uuid: string): number | null {
    return this.#devices.get(uuid)?.lastXid ?? null;
  }

  /** How often each Xid came to a device within the window that ends at `now`. */
  recentXids(uuid: string, now: Millis): readonly { readonly xid: number; readonly count: number }[] {
    const memory = this.#devices.get(uuid);
    if (memory === undefined || memory.xids.size === 0) return [];
    return [...memory.xids].flatMap(([xid, entry]) => {
      entry.recent = entry.recent.filter(({ at }) => at > now - WINDOW_MS);
      const count = entry.recent.reduce((sum, report) => sum + report.count, 0);
      return count === 0 ? [] : [{ xid, count }];
    });
  }

  /** Samples within the window at which the reason with this position in the table of reasons was set. */
  recentSamples(uuid: string, reason: number): number {
    const steps = this.#devices.get(uuid)?.reasonSteps;
    if (steps === undefined) return 0;
    let sum = 0;
    for (let step = 0; step < STEPS; step++) sum += steps[step * CLOCK_EVENT_REASONS.length + reason]!;
    return sum;
  }

  /** Readings of a device that the driver answered with an error or an impossible value, over all ticks. */
  failedReadings(uuid: string): number {
    return this.#devices.get(uuid)?.failedReadings ?? 0;
  }

  #of(uuid: string): DeviceMemory {
    let memory = this.#devices.get(uuid);
    if (memory === undefined) {
      const reasonSteps = new Uint32Array(STEPS * CLOCK_EVENT_REASONS.length);
      memory = { xids: new Map(), lastXid: null, reasonSteps, failedReadings: 0 };
      this.#devices.set(uuid, memory);
    }
    return memory;
  }

  #takeXid(event: GpuEvent): void {
    const { uuid, params, key, at } = event;
    const xid = Number(params['xid'] ?? params['code']);
    if (uuid === null || !Number.isInteger(xid)) return;
    const all = Math.max(1, Number(params['count'] ?? 1) || 1);
    const before = key === undefined ? 0 : (this.#counted.get(key) ?? 0);
    const count = Math.max(0, all - before);
    if (key !== undefined) this.#remember(key, all);
    const last = Number(params['last'] ?? at) || at;
    const memory = this.#of(uuid);
    const entry = memory.xids.get(xid) ?? { total: 0, last, recent: [] };
    entry.total += count;
    entry.last = Math.max(entry.last, last);
    if (count > 0) {
      entry.recent = [...entry.recent.filter(({ at: seen }) => seen > last - WINDOW_MS), { at: last, count }];
      memory.lastXid = xid;
    }
    memory.xids.set(xid, entry);
  }

  /** Keys are of no use for ever: an event goes on for some minutes at most. */
  #remember(key: string, count: number): void {
    this.#counted.delete(key);
    this.#counted.set(key, count);
    if (this.#counted.size <= 1000) return;
    const [oldest] = this.#counted.keys();
    if (oldest !== undefined) this.#counted.delete(oldest);
  }

  #takeReasons(memory: DeviceMemory, mask: number): void {
    if (mask === 0) return;
    const start = (this.#step % STEPS) * CLOCK_EVENT_REASONS.length;
    CLOCK_EVENT_REASONS.forEach(({ bit }, position) => {
      if ((mask & bit) !== 0) memory.reasonSteps[start + position]!++;
    });
  }

  /** Empties the steps that have come round. A clock that was stepped back loses nothing but its old window. */
  #moveTo(step: number): void {
    const ahead = step - this.#step;
    if (ahead === 0) return;
    this.#step = step;
    const stale = ahead < 0 ? STEPS : Math.min(ahead, STEPS);
    for (const { reasonSteps } of this.#devices.values()) {
      for (let i = 0; i < stale; i++) {
        const start = ((((step - i) % STEPS) + STEPS) % STEPS) * CLOCK_EVENT_REASONS.length;
        reasonSteps.fill(0, start, start + CLOCK_EVENT_REASONS.length);
      }
    }
  }
}
