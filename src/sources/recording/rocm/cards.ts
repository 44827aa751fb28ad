import { absent } from '../../../model/reading.ts';
import { RowReadings } from '../row-readings.ts';
import type { FormatContext } from '../rows.ts';
import { Snapshots } from '../snapshots.ts';
import { type AmdValues, amdIdentity, readAmdValues, toldApart } from './keys.ts';

/** A card with everything that was printed of it. */
export interface AmdCard {
  readonly index: number;
  readonly values: AmdValues;
  readonly line: number;
}

/** Turns what one call of the tools printed of all cards into a tick. */
export class AmdSnapshots {
  readonly snapshots: Snapshots;
  readonly #readings: RowReadings;

  constructor(context: FormatContext) {
    this.snapshots = new Snapshots(context);
    this.#readings = new RowReadings(context.report);
  }

  /** `time` is epoch milliseconds or NaN. `driver` is what is not printed per card. */
  emit(time: number, cards: readonly AmdCard[], driver: string | null = null): void {
    if (cards.length === 0) return;
    const identities = toldApart(cards.map(({ index, values }) => amdIdentity(values, index)));
    const devices = cards.map(({ values, line }, place) => ({
      identity: { ...identities[place]!, driverVersion: identities[place]!.driverVersion ?? driver },
      readings: readAmdValues(this.#readings, values, line),
      processes: absent('not-collected'),
      lost: false,
      line,
    }));
    this.snapshots.emit(time, devices);
  }
}
