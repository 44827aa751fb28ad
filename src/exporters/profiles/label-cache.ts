import type { Device } from '../../model/device.ts';
import type { LabelSet } from '../labels.ts';
import { type DeviceOwner, soleOwner } from '../owners.ts';
import type { Row } from '../page.ts';

interface Kept {
  readonly owner: string | null;
  readonly card: Device | null;
  readonly labels: LabelSet | null;
}

/**
 * Labels of every device in one profile, made when a device or its owner changes. With `withOwner` the series of a
 * device that works for one owner alone carry its labels.
 */
export class LabelCache {
  readonly #make: (row: Row, owner: DeviceOwner | null) => LabelSet | null;
  readonly #withOwner: boolean;
  readonly #kept = new WeakMap<Device, Kept>();

  constructor(withOwner: boolean, make: (row: Row, owner: DeviceOwner | null) => LabelSet | null) {
    this.#withOwner = withOwner;
    this.#make = make;
  }

  of(row: Row): LabelSet | null {
    const owner = this.#withOwner ? soleOwner(row.owners) : null;
    const before = this.#kept.get(row.device);
    if (before !== undefined && before.owner === (owner?.key ?? null) && before.card === row.card) return before.labels;
    const labels = this.#make(row, owner);
    this.#kept.set(row.device, { owner: owner?.key ?? null, card: row.card, labels });
    return labels;
  }
}
