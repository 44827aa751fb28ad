import { absent, isPresent, type Reading } from '../../model/reading.ts';
import { type Folder, firstPresent } from '../drm/folder.ts';
import { channelsByLabel, HERTZ, MICROWATTS, MILLIDEGREES, MILLIVOLTS, TURNS } from '../drm/hwmon.ts';
import type { Row } from '../drm/row.ts';

const NOT_SUPPORTED = absent('not-supported');

const PWM_MAX = 255;

/** The sensors of an amdgpu card. Its channels are known by their labels; older drivers have one temperature and no label. */
export class Sensors {
  readonly #hwmon: Folder;
  readonly #edge: string;
  readonly #junction: string | null;
  readonly #memory: string | null;
  readonly #graphicsClock: string;
  readonly #memoryClock: string;
  readonly #coreVoltage: string;

  constructor(hwmon: Folder) {
    this.#hwmon = hwmon;
    const temperatures = channelsByLabel(hwmon, 'temp');
    this.#junction = temperatures.get('junction') ?? null;
    this.#memory = temperatures.get('mem') ?? null;
    // The largest chips measure no edge: their hotspot is all there is.
    this.#edge = temperatures.get('edge') ?? (temperatures.size === 0 ? 'temp1' : (this.#junction ?? 'temp1'));
    const clocks = channelsByLabel(hwmon, 'freq');
    this.#graphicsClock = clocks.get('sclk') ?? 'freq1';
    this.#memoryClock = clocks.get('mclk') ?? 'freq2';
    this.#coreVoltage = channelsByLabel(hwmon, 'in').get('vddgfx') ?? 'in0';
  }

  /** True where the card has a fan or a power limit of its own: parts of a processor have neither. */
  get isOfCard(): boolean {
    return ['fan1_input', 'pwm1', 'power1_cap'].some((name) => typeof this.#hwmon.text(name) === 'string');
  }

  read(row: Row): void {
    const hwmon = this.#hwmon;
    row.put('temperature_celsius', this.#temperature(this.#edge, 'input'));
    row.put('hotspot_temperature_celsius', this.#temperature(this.#junction, 'input'));
    row.put('memory_temperature_celsius', this.#temperature(this.#memory, 'input'));
    const average = hwmon.number('power1_average', MICROWATTS);
    const instant = hwmon.number('power1_input', MICROWATTS);
    row.put('power_watts', firstPresent(average, instant));
    row.put('power_instant_watts', instant);
    row.put('graphics_clock_hertz', hwmon.number(`${this.#graphicsClock}_input`, HERTZ));
    row.put('memory_clock_hertz', hwmon.number(`${this.#memoryClock}_input`, HERTZ));
    row.put('core_voltage_volts', hwmon.number(`${this.#coreVoltage}_input`, MILLIVOLTS));
    const turns = hwmon.number('fan1_input', TURNS);
    row.put('fan_speed_rpm', turns);
    row.put('fan_speed_ratio', this.#fanRatio(turns));
  }

  readLimits(row: Row): void {
    const hwmon = this.#hwmon;
    hwmon.wake();
    row.put('temperature_slowdown_celsius', this.#temperature(this.#edge, 'crit'));
    row.put('temperature_shutdown_celsius', this.#temperature(this.#edge, 'emergency'));
    row.put('hotspot_temperature_slowdown_celsius', this.#temperature(this.#junction, 'crit'));
    row.put('memory_temperature_max_celsius', this.#temperature(this.#memory, 'crit'));
    row.put('power_limit_watts', limit(hwmon.number('power1_cap', MICROWATTS)));
    row.put('power_limit_default_watts', limit(hwmon.number('power1_cap_default', MICROWATTS)));
    row.put('power_limit_max_watts', limit(hwmon.number('power1_cap_max', MICROWATTS)));
    row.put('power_limit_min_watts', hwmon.number('power1_cap_min', MICROWATTS));
  }

  #temperature(channel: string | null, what: 'input' | 'crit' | 'emergency'): Reading {
    if (channel === null) return NOT_SUPPORTED;
    const degrees = this.#hwmon.number(`${channel}_${what}`, MILLIDEGREES);
    return what === 'input' ? degrees : limit(degrees);
  }

  #fanRatio(turns: Reading): Reading {
    const pwm = this.#hwmon.number('pwm1', { divisor: PWM_MAX, max: 1 });
    if (isPresent(pwm) || !isPresent(turns)) return pwm;
    const most = this.#hwmon.number('fan1_max', TURNS);
    return isPresent(most) && most > 0 ? turns / most : pwm;
  }
}

/** A limit of zero is none. */
function limit(reading: Reading): Reading {
  return reading === 0 ? NOT_SUPPORTED : reading;
}
