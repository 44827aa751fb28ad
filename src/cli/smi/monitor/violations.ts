import { slotOf } from '../../../model/catalogue.ts';
import type { Millis } from '../../../model/reading.ts';
import type { Card, Shot } from '../cards.ts';

const POWER = slotOf('clock_event_power_cap_seconds_total');
const THERMAL = slotOf('clock_event_thermal_seconds_total');

interface Seen {
  readonly at: Millis;
  readonly power: number | null;
  readonly thermal: number | null;
}

/** For how much of the time since the shot before a limit held a card down, from counters that only grow. */
export class ViolationShares {
  #before = new Map<string, Seen>();
  #now = new Map<string, Seen>();

  take({ cards }: Shot): void {
    this.#before = this.#now;
    this.#now = new Map(
      cards.map(({ view: { device, readings, at } }) => [
        device.uuid,
        { at, power: readings.number(POWER), thermal: readings.number(THERMAL) },
      ]),
    );
  }

  /** Percent of the time in which the power limit did; `-` before there are two shots. */
  power(card: Card): string {
    const share = this.#share(card, 'power');
    return share === null ? '-' : String(Math.round(share * 100));
  }

  /** 1 if the temperature did. */
  thermal(card: Card): string {
    const share = this.#share(card, 'thermal');
    return share === null ? '-' : String(Number(share > 0));
  }

  #share({ view: { device } }: Card, limit: 'power' | 'thermal'): number | null {
    const [before, now] = [this.#before.get(device.uuid), this.#now.get(device.uuid)];
    const [from, to] = [before?.[limit] ?? null, now?.[limit] ?? null];
    if (before === undefined || now === undefined || from === null || to === null || now.at <= before.at) return null;
    return Math.min(1, Math.max(0, to - from) / ((now.at - before.at) / 1000));
  }
}
