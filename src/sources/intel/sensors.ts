import { absent, isPresent, type Reading } from '../../model/reading.ts';
import { type Folder, firstPresent } from '../drm/folder.ts';
import { channelsByLabel, MICROJOULES, MICROWATTS, MILLIDEGREES, MILLIVOLTS, TURNS } from '../drm/hwmon.ts';
import type { Row } from '../drm/row.ts';

const NOT_SUPPORTED = absent('not-supported');
const NOT_COLLECTED = absent('not-collected');

/** Shorter spans give no power worth having: the last one is kept. */
const MIN_SPAN_MS = 50;
const MAX_WATTS = 10_000;
const MAX_FANS = 3;

/** The sensors of an Intel card: one channel is the whole card, another the chip and what is packaged with it. */
export class Sensors {
  readonly #hwmon: Folder;
  readonly #energies: readonly string[];
  readonly #limits: readonly string[];
  readonly #temperature: string;
  readonly #memory: string | null;
  readonly #meter = new PowerMeter();

  constructor(hwmon: Folder) {
    this.#hwmon = hwmon;
    const temperatures = channelsByLabel(hwmon, 'temp');
    this.#temperature = temperatures.get('pkg') ?? 'temp1';
    this.#memory = temperatures.get('vram') ?? null;
    this.#energies = byExtent(channelsByLabel(hwmon, 'energy'), 'energy');
    this.#limits = byExtent(channelsByLabel(hwmon, 'power'), 'power');
  }

  /** `now` is monotonic. */
  read(row: Row, now: number): void {
    const hwmon = this.#hwmon;
    row.put('temperature_celsius', hwmon.number(`${this.#temperature}_input`, MILLIDEGREES));
    row.put(
      'memory_temperature_celsius',
      this.#memory === null ? NOT_SUPPORTED : hwmon.number(`${this.#memory}_input`, MILLIDEGREES),
    );
    row.put('core_voltage_volts', hwmon.number('in0_input', MILLIVOLTS));
    const energy = firstPresent(...this.#energies.map((channel) => hwmon.number(`${channel}_input`, MICROJOULES)));
    row.put('energy_joules_total', energy);
    row.put('power_watts', this.#meter.watts(energy, now));
    row.put('fan_speed_rpm', this.#fastestFan());
  }

  readLimits(row: Row): void {
    const hwmon = this.#hwmon;
    hwmon.wake();
    const limits = (what: string): Reading =>
      firstPresent(...this.#limits.map((channel) => positive(hwmon.number(`${channel}_${what}`, MICROWATTS))));
    row.put('power_limit_watts', limits('max'));
    row.put('power_limit_default_watts', limits('rated_max'));
  }

  #fastestFan(): Reading {
    const fans: Reading[] = [];
    for (let fan = 1; fan <= MAX_FANS; fan++) fans.push(this.#hwmon.number(`fan${fan}_input`, TURNS));
    const turning = fans.filter(isPresent);
    return turning.length === 0 ? fans[0]! : Math.max(...turning);
  }
}

/** The card before the package, and without labels the first before the second. */
function byExtent(channels: ReadonlyMap<string, string>, kind: string): string[] {
  const labelled = ['card', 'pkg'].flatMap((label) => channels.get(label) ?? []);
  return labelled.length > 0 ? labelled : [`${kind}1`, `${kind}2`];
}

/** A limit of zero is switched off. */
function positive(reading: Reading): Reading {
  return reading === 0 ? NOT_SUPPORTED : reading;
}

/** Power out of a counter of energy. */
class PowerMeter {
  #before: { readonly joules: number; readonly at: number } | null = null;
  #last: Reading = NOT_COLLECTED;

  watts(energy: Reading, now: number): Reading {
    if (!isPresent(energy)) {
      this.#before = null;
      return energy;
    }
    const before = this.#before;
    if (before !== null && now - before.at < MIN_SPAN_MS) return this.#last;
    this.#before = { joules: energy, at: now };
    this.#last = before === null ? NOT_COLLECTED : rate(energy - before.joules, now - before.at);
    return this.#last;
  }
}

/** A counter that went back was reset: there is no rate across that. */
function rate(joules: number, ms: number): Reading {
  if (joules < 0) return NOT_COLLECTED;
  const watts = joules / (ms / 1000);
  return watts <= MAX_WATTS ? watts : absent('error');
}
