import type { Clock, Stop } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import { normalBusId } from '../recording/log-devices.ts';

/** How soon the GPUs that could not be reached are asked for again, and how late at most. */
const RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 600_000;

/**
 * GPUs because of which nvidia-smi gives nothing at all unless it is asked for the others only. They are listed as lost
 * and asked for again from time to time.
 */
export class UnreachableGpus {
  readonly #clock: Clock;
  readonly #retry: () => void;
  #places = new Set<string>();
  #retryMs = RETRY_MS;
  #stopRetry: Stop = () => {};

  /** `retry` asks for all of them again. */
  constructor(clock: Clock, retry: () => void) {
    this.#clock = clock;
    this.#retry = retry;
  }

  /** Takes note of one. True if there are others that can be asked for; `known` are the places of GPUs. */
  add(busId: string, known: readonly string[]): boolean {
    const place = normalBusId(busId);
    if (this.#places.has(place)) return false;
    this.#places.add(place);
    const others = this.others(known);
    if (others === null || others.length === 0) {
      this.#places.delete(place);
      return false;
    }
    this.#stopRetry();
    this.#stopRetry = this.#clock.after(this.#retryMs, () => {
      this.#places = new Set();
      this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
      this.#retry();
    });
    return true;
  }

  /** Places of the GPUs that can be asked for; null for all. */
  others(known: readonly string[]): readonly string[] | null {
    if (this.#places.size === 0) return null;
    return [...new Set(known.map(normalBusId))].filter((place) => !this.#places.has(place));
  }

  /** The devices in these places; one that was never met is made up of its place. */
  lost(devices: readonly Device[]): readonly Device[] {
    return [...this.#places].map((place) => {
      const known = devices.find(({ pciBusId }) => pciBusId !== null && normalBusId(pciBusId) === place);
      return known ?? unknownDevice(place, devices.length);
    });
  }

  close(): void {
    this.#stopRetry();
  }
}

function unknownDevice(place: string, index: number): Device {
  return {
    uuid: `smi-${place}`,
    uuidIsDerived: true,
    vendor: 'nvidia',
    name: 'NVIDIA GPU',
    index,
    pciBusId: place,
    minor: null,
    serial: null,
    driverVersion: null,
  };
}
