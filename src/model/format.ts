import { WORD_MESSAGES } from './i18n/messages-words.ts';
import { reasonWords } from './i18n/reason-words.ts';
import { fill, type Lang, type Params } from './i18n/text.ts';
import type { Unit } from './metrics/entry.ts';
import type { Millis } from './reading.ts';

/** A number for people with its unit apart, so that a view can set the unit smaller. The unit may be empty. */
export interface Quantity {
  readonly figure: string;
  readonly unit: string;
}

/** Text of a time that every tool reads alike: ISO 8601 in UTC, with milliseconds. */
export function isoTime(at: Millis): string {
  return new Date(at).toISOString();
}

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Three significant figures, whole numbers from 1000 on, at most three decimals. `keepZeros` pads (`80.0`), for values
 * that change all the time and should not change their width. A value too small to show is `<0.001`, never `0`.
 */
export function threeFigures(value: number, keepZeros = false): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 0.0005) return value < 0 ? '>-0.001' : '<0.001';
  const rounded = Number(size.toPrecision(3));
  if (rounded >= 1000) return String(Math.round(value));
  const decimals = Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(rounded))));
  const text = value.toFixed(decimals);
  return keepZeros || !text.includes('.') ? text : text.replace(/\.?0+$/, '');
}

/** A reading in the unit people use for it: %, GiB, W, °C, MHz. `value` is in the base unit of the catalogue. */
export function quantity(value: number, unit: Unit, lang: Lang): Quantity {
  switch (unit) {
    case 'ratio':
      return { figure: threeFigures(value * 100), unit: '%' };
    case 'bytes':
      return binary(value, '');
    case 'bytes-per-second':
      return binary(value, '/s');
    case 'watts':
      return { figure: threeFigures(value, true), unit: 'W' };
    case 'joules':
      return energy(value);
    case 'hertz':
      return { figure: String(Math.round(value / 1e6)), unit: 'MHz' };
    case 'celsius':
      return { figure: threeFigures(value), unit: '°C' };
    case 'lanes':
      return { figure: `×${value}`, unit: '' };
    case 'pstate':
      return { figure: `P${value}`, unit: '' };
    case 'bits':
      return { figure: reasonWords(value, lang) || word(lang, 'word.none'), unit: '' };
    case 'seconds':
      return { figure: threeFigures(value), unit: 's' };
    case 'rpm':
      return { figure: String(Math.round(value)), unit: 'RPM' };
    case 'volts':
      return { figure: threeFigures(value, true), unit: 'V' };
    case 'per-second':
      return { figure: threeFigures(value), unit: '/s' };
    case 'count':
    case 'state':
    case 'generation':
      return { figure: String(value), unit: '' };
  }
}

/** {@link quantity} as one text: `87%`, `45.2 GiB`. */
export function quantityText(value: number, unit: Unit, lang: Lang): string {
  return joined(quantity(value, unit, lang));
}

/** Figure and unit with a space between, except before `%`. */
function joined({ figure, unit }: Quantity): string {
  return unit === '' || unit === '%' ? figure + unit : `${figure} ${unit}`;
}

/** Part and whole in the unit of the whole: `12.4` and `79.6` of `GiB`. */
export function bytesOf(part: number, whole: number): { part: string; whole: string; unit: string } {
  const power = binaryPower(whole);
  return { part: inPower(part, power), whole: inPower(whole, power), unit: BINARY[power] ?? '' };
}

/** A span of time by its two largest units: `250 ms`, `45 s`, `1 h 5 min`. */
export function duration(ms: number, lang: Lang): string {
  if (ms < SECOND) return word(lang, 'time.ms', { n: Math.round(ms) });
  if (ms < 10 * SECOND) return word(lang, 'time.s', { n: threeFigures(Math.round(ms / 100) / 10) });
  const steps = [
    [DAY, 'time.d'],
    [HOUR, 'time.h'],
    [MINUTE, 'time.min'],
    [SECOND, 'time.s'],
  ] as const;
  const first = steps.findIndex(([size]) => ms >= size);
  const smallest = steps[Math.min(first + 1, steps.length - 1)]![0];
  let rest = Math.floor(ms / smallest) * smallest;
  const words: string[] = [];
  for (const [size, key] of steps.slice(first, first + 2)) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) words.push(word(lang, key, { n }));
  }
  return words.join(' ');
}

/** How long ago, by one unit: `now`, `12 s ago`, `3 min ago`. What lies ahead of `now`, by a skewed clock, is `now`. */
export function ago(at: Millis, now: Millis, lang: Lang): string {
  const age = now - at;
  if (age < 2 * SECOND) return word(lang, 'time.now');
  const [size, key] =
    age < MINUTE
      ? ([SECOND, 'time.s'] as const)
      : age < HOUR
        ? ([MINUTE, 'time.min'] as const)
        : age < 2 * DAY
          ? ([HOUR, 'time.h'] as const)
          : ([DAY, 'time.d'] as const);
  return word(lang, 'time.ago', { span: word(lang, key, { n: Math.floor(age / size) }) });
}

/** Local time of day, `19:42:10`. */
export function timeOfDay(at: Millis): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/** Local date, `2026-11-30`. */
export function dateText(at: Millis): string {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
}

/** Local date and time, `2026-11-30 19:42:10`. */
export function dateTime(at: Millis): string {
  return `${dateText(at)} ${timeOfDay(at)}`;
}

/** The zone that local times are in, `UTC+08:00`, as of a moment: daylight saving changes it. */
export function zoneOffset(at: Millis): string {
  const minutes = -new Date(at).getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return minutes === 0 ? 'UTC' : `UTC${minutes < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(rest)}`;
}

/** The name of a device without its maker, which every row would repeat: `H100 80GB HBM3`. */
export function shortDeviceName(name: string): string {
  return name.replace(/^(NVIDIA|AMD|Intel(\(R\))?)\s+(?=\S)/i, '').replace(/^GeForce\s+(?=\S)/, '');
}

/** Only words are needed here, so that whoever formats a number does not carry every message. */
function word(lang: Lang, key: keyof typeof WORD_MESSAGES, params?: Params): string {
  return fill(WORD_MESSAGES[key][lang], params);
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0');
}

/** What is rounded to 1000 with three significant figures. */
const LEAST_OF_FOUR_DIGITS = 999.5;

/** The power of 1024 that shows `bytes` with at most three digits before the point. */
function binaryPower(bytes: number): number {
  let power = 0;
  for (let rest = Math.abs(bytes); power < BINARY.length - 1 && rest >= LEAST_OF_FOUR_DIGITS; rest /= 1024) {
    power++;
  }
  return power;
}

function inPower(bytes: number, power: number): string {
  return threeFigures(bytes / 1024 ** power, power > 0);
}

function binary(bytes: number, suffix: string): Quantity {
  const power = binaryPower(bytes);
  return { figure: inPower(bytes, power), unit: `${BINARY[power]}${suffix}` };
}

/** Joules below one watt-hour, then watt-hours: the unit of an energy bill. */
function energy(joules: number): Quantity {
  const wattHours = joules / 3600;
  if (wattHours < 1) return { figure: threeFigures(joules, true), unit: 'J' };
  const power = wattHours < 1e3 ? 0 : wattHours < 1e6 ? 1 : 2;
  return { figure: threeFigures(wattHours / 1000 ** power, true), unit: ['Wh', 'kWh', 'MWh'][power]! };
}
