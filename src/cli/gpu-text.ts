import { slotOf } from '../model/catalogue.ts';
import { TROUBLE_BITS } from '../model/clock-events.ts';
import { reasonWords } from '../model/i18n/event-text.ts';
import type { GpuProcess } from '../model/process.ts';
import { isPresent } from '../model/reading.ts';
import type { DeviceSample } from '../model/tick.ts';
import type { Context } from './context.ts';

const UTILISATION = slotOf('utilization_ratio');
const TEMPERATURE = slotOf('temperature_celsius');
const POWER = slotOf('power_watts');
const POWER_LIMIT = slotOf('power_limit_watts');
const MEMORY_USED = slotOf('memory_used_bytes');
const MEMORY_TOTAL = slotOf('memory_total_bytes');
const REASONS = slotOf('clock_event_reasons');

const MIB = 2 ** 20;

/** Stands for a value that is absent; `--json` has the reason. */
const UNKNOWN = '??';

function cell(value: number | null, width: number, digits = 0): string {
  return (value === null ? UNKNOWN : value.toFixed(digits)).padStart(width);
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

/**
 * One aligned line for a GPU, in the layout gpustat users know:
 * `[0] NAME | 59°C, 100 % | 632 / 700 W | 19818 / 81559 MB | user:python3(7484M)`.
 */
export function statLine(sample: DeviceSample, nameWidth: number, context: Context): string {
  const { device, state, readings } = sample;
  const head = `[${device.index}] ${device.name.padEnd(nameWidth)}`;
  if (state !== 'ok') return `${head} | ${context.t(`state.${state}`)}`;
  const value = (slot: number): number | null => readings.number(slot);
  const parts = [
    `${cell(value(TEMPERATURE), 3)}°C, ${cell(scaled(value(UTILISATION), 100), 3)} %`,
    `${cell(value(POWER), 4)} / ${cell(value(POWER_LIMIT), 4)} W`,
    `${cell(scaled(value(MEMORY_USED), 1 / MIB), 6)} / ${cell(scaled(value(MEMORY_TOTAL), 1 / MIB), 6)} MB`,
    ...troubleOf(sample, context),
    processesOf(sample),
  ];
  return `${head} | ${parts.filter((part) => part !== '').join(' | ')}`;
}

function troubleOf({ readings }: DeviceSample, { lang }: Context): string[] {
  const mask = (readings.number(REASONS) ?? 0) & TROUBLE_BITS;
  return mask === 0 ? [] : [reasonWords(mask, lang)];
}

function processesOf({ processes }: DeviceSample): string {
  return 'absent' in processes ? '' : processes.map(processText).join(' ');
}

function processText({ pid, name, user, memoryBytes }: GpuProcess): string {
  const who = [user ?? '?', name ?? String(pid)].join(':');
  const memory = isPresent(memoryBytes) ? (memoryBytes / MIB).toFixed(0) : '?';
  return `${who}(${memory}M)`;
}

/** Wall-clock time of day, in the zone of this host or in UTC with a Z. */
export function timeOfDay(at: number, utc: boolean): string {
  if (utc) return `${new Date(at).toISOString().slice(11, 19)}Z`;
  return new Date(at).toLocaleTimeString('en-GB', { hour12: false });
}

/** The plain line for logs: `[14:23:05] GPU0: 87% | Mem: 10240/24576 MB | Temp: 72°C | Power: 235.4W`. */
export function watchLine(sample: DeviceSample, time: string, { t }: Context): string {
  const { device, state, readings } = sample;
  const head = `[${time}] GPU${device.index}:`;
  if (state !== 'ok') return `${head} ${t(`state.${state}`)}`;
  const number = (slot: number, factor = 1, digits = 0): string =>
    cell(scaled(readings.number(slot), factor), 0, digits);
  return [
    `${head} ${number(UTILISATION, 100)}%`,
    `${t('watch.memory')}: ${number(MEMORY_USED, 1 / MIB)}/${number(MEMORY_TOTAL, 1 / MIB)} MB`,
    `${t('watch.temperature')}: ${number(TEMPERATURE)}°C`,
    `${t('watch.power')}: ${number(POWER, 1, 1)}W`,
  ].join(' | ');
}
