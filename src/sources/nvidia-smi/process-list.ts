import type { Clock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import type { GpuProcess } from '../../model/process.ts';
import { type Absent, absent } from '../../model/reading.ts';
import type { DeviceSample } from '../../model/tick.ts';

/** Answers come a little later than asked for. */
const LATE_INTERVALS = 2.5;

/**
 * The processes of every device, as the query for them gives them now and then. It writes nothing at all where there are
 * none, so that silence for longer than it takes is an answer too.
 */
export class ProcessList {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #startedAt: number;
  #lists: ReadonlyMap<string, readonly GpuProcess[]> = new Map();
  #answeredAt: number | null = null;
  #failed = false;

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#startedAt = clock.monotonic();
  }

  take(samples: readonly DeviceSample[]): void {
    const lists = new Map<string, readonly GpuProcess[]>();
    for (const { device, processes } of samples) if (!('absent' in processes)) lists.set(device.uuid, processes);
    this.#lists = lists;
    this.#answeredAt = this.#clock.monotonic();
    this.#failed = false;
  }

  fail(): void {
    this.#failed = true;
    this.#answeredAt = null;
  }

  of({ uuid }: Device): readonly GpuProcess[] | Absent {
    if (this.#failed) return absent('error');
    const silentMs = this.#clock.monotonic() - (this.#answeredAt ?? this.#startedAt);
    if (silentMs > LATE_INTERVALS * this.#intervalMs) return [];
    return this.#answeredAt === null ? absent('not-collected') : (this.#lists.get(uuid) ?? []);
  }
}
