import { absent, type Reading } from '../../model/reading.ts';
import type { DeviceDetails, NvLink } from '../../model/tick.ts';

/** The parts of one GPU: what does not fit into one number per metric. */
export class Details {
  /** Set by a change; whoever passes the details on resets it. */
  isChanged = false;
  #fans: readonly Reading[] | null = null;
  #links: readonly NvLink[] | null = null;

  /** The list is copied: it may be filled anew. */
  setFans(fans: readonly Reading[]): void {
    if (this.#fans !== null && isSameList(this.#fans, fans)) return;
    this.#fans = [...fans];
    this.isChanged = true;
  }

  setLinks(links: readonly NvLink[]): void {
    if (links === this.#links) return;
    this.#links = links;
    this.isChanged = true;
  }

  clear(): void {
    this.isChanged ||= this.#fans !== null || this.#links !== null;
    this.#fans = null;
    this.#links = null;
  }

  /** The details as they are now; parts that nobody asked for are missing, and null means that all are. */
  get(): DeviceDetails | null {
    if (this.#fans === null && this.#links === null) return null;
    return {
      ...(this.#fans === null ? {} : { fans: this.#fans }),
      ...(this.#links === null ? {} : { links: this.#links }),
    };
  }
}

/**
 * The details of all GPUs, in their order, where those of any have changed since the last call; else null. Those of a GPU that is
 * closed are as old as its readings.
 */
export function takeDetails(gpus: readonly { readonly details: Details }[]): readonly (DeviceDetails | null)[] | null {
  if (gpus.every(({ details }) => !details.isChanged)) return null;
  for (const { details } of gpus) details.isChanged = false;
  return gpus.map(({ details }) => details.get());
}

function isSameList(a: readonly Reading[], b: readonly Reading[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** A reading out of what a call gave: absent, `error`, for a value that cannot be. */
export function checked(value: number, min: number, max: number): Reading {
  return value >= min && value <= max ? value : absent('error');
}
