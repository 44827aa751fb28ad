import type { Device } from '../model/device.ts';
import type { DeviceSample, Tick } from '../model/tick.ts';
import { type Obstacle, obstacleOf } from './obstacle.ts';
import type { GpuRequest } from './request.ts';

/** A GPU that has given no sample for so long is not known to be idle any more. */
const LONGEST_SILENCE_MS = 5000;

/** How a GPU stands. */
export interface Standing {
  readonly sample: DeviceSample;
  readonly device: Device;
  /** Null where it is idle. */
  readonly obstacle: Obstacle | null;
  /** Milliseconds without a break in which it was idle. */
  readonly idleMs: number;
  /** Idle for as long as is asked for. */
  readonly isFree: boolean;
}

interface Seen {
  sample: DeviceSample;
  obstacle: Obstacle | null;
  idleSince: number | null;
  at: number;
}

/** Follows GPUs from tick to tick: one that is idle between two steps is not free. Pure state machine. */
export class IdleWatch {
  readonly #request: GpuRequest;
  readonly #seen = new Map<string, Seen>();

  constructor(request: GpuRequest) {
    this.#request = request;
  }

  /** `claimed` are UUIDs that somebody holds. Times are those of the monotonic clock of the ticks. */
  observe({ devices, monotonic }: Tick, claimed: ReadonlySet<string>): void {
    for (const sample of devices) {
      if (!this.#request.wanted(sample.device)) continue;
      const { uuid } = sample.device;
      const before = this.#seen.get(uuid);
      const obstacle = claimed.has(uuid) ? 'claimed' : obstacleOf(sample, this.#request);
      const isBroken = before === undefined || monotonic - before.at > LONGEST_SILENCE_MS || monotonic < before.at;
      const idleSince = obstacle !== null ? null : isBroken ? monotonic : (before.idleSince ?? monotonic);
      this.#seen.set(uuid, { sample, obstacle, idleSince, at: monotonic });
    }
  }

  /** By index. */
  standings(monotonic: number): readonly Standing[] {
    return [...this.#seen.values()]
      .map(({ sample, obstacle, idleSince, at }): Standing => {
        const isSilent = monotonic - at > LONGEST_SILENCE_MS;
        const idleMs = idleSince === null || isSilent ? 0 : at - idleSince;
        const found = isSilent ? 'unwell' : obstacle;
        const isFree = found === null && idleMs >= this.#request.idleMs;
        return { sample, device: sample.device, obstacle: found, idleMs, isFree };
      })
      .sort((a, b) => a.device.index - b.device.index || a.device.uuid.localeCompare(b.device.uuid));
  }
}
