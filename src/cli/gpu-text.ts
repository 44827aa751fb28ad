import { CATALOGUE, slotOf } from '../model/catalogue.ts';
import { TROUBLE_BITS } from '../model/clock-events.ts';
import type { Device } from '../model/device.ts';
import { reasonWords } from '../model/i18n/reason-words.ts';
import { ownerLabel, podName } from '../model/owner-label.ts';
import type { GpuProcess } from '../model/process.ts';
import { type AbsenceReason, isPresent } from '../model/reading.ts';
import type { DeviceSample } from '../model/tick.ts';
import type { Context } from './context.ts';
import { paint } from './paint.ts';

const UTILISATION = slotOf('utilization_ratio');
const ENGINE = slotOf('graphics_engine_active_ratio');
const TEMPERATURE = slotOf('temperature_celsius');
const POWER = slotOf('power_watts');
const POWER_LIMIT = slotOf('power_limit_watts');
const MEMORY_USED = slotOf('memory_used_bytes');
const MEMORY_TOTAL = slotOf('memory_total_bytes');
const REASONS = slotOf('clock_event_reasons');

/** What a line shows. */
const SHOWN = [TEMPERATURE, UTILISATION, POWER, POWER_LIMIT, MEMORY_USED, MEMORY_TOTAL];

const MIB = 2 ** 20;

/** Stands for a value that is absent: the device does not have it, unless the line says something else. */
const UNKNOWN = '??';

function cell(value: number | null, width: number, digits = 0): string {
  return (value === null ? UNKNOWN : value.toFixed(digits)).padStart(width);
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

/** What a line of `stat` begins with: `[0] NAME`, and below it `  [0:1] MIG 3g.40gb` for GPU instance 1. */
export function statHead({ index, name, mig }: Device): string {
  if (mig === undefined) return `[${index}] ${name}`;
  const place = mig.gpuInstance === null ? `${index}` : `${index}:${mig.gpuInstance}`;
  return `  [${place}] MIG${mig.profile === null ? '' : ` ${mig.profile}`}`;
}

/**
 * One aligned line for a GPU, in the layout gpustat users know:
 * `[0] NAME | 59°C, 100 % | 632 / 700 W | 19818 / 81559 MB | user:python3(7484M)`. What only the card of a MIG instance
 * has is left blank. Colours, where the context has them, only stress what is said in words.
 */
export function statLine(sample: DeviceSample, width: number, context: Context): string {
  const { device, state } = sample;
  const head = statHead(device).padEnd(width);
  const color = paint(context.color);
  if (state !== 'ok') {
    return `${head} | ${color(state === 'asleep' ? 'gray' : 'red', stateText(sample, context))}`;
  }
  const parts = [
    ...figuresOf(sample),
    ...troubleOf(sample, context).map((text) => color('yellow', text)),
    ...unreadOf(sample, context).map((text) => color('yellow', text)),
    usersOf(sample, context),
  ];
  return `${head} | ${parts.filter((part) => part !== '').join(' | ')}`;
}

function figuresOf(sample: DeviceSample): string[] {
  const value = (slot: number): number | null => sample.readings.number(slot);
  const shown = (text: string, ...slots: number[]): string =>
    slots.every((slot) => isOfTheCard(sample, slot)) ? ' '.repeat(text.length) : text;
  return [
    shown(`${cell(value(TEMPERATURE), 3)}°C, `, TEMPERATURE) +
      shown(`${percent(sample, 3)} %`, utilisationSlot(sample)),
    shown(`${cell(value(POWER), 4)} / ${cell(value(POWER_LIMIT), 4)} W`, POWER, POWER_LIMIT),
    `${cell(scaled(value(MEMORY_USED), 1 / MIB), 6)} / ${cell(scaled(value(MEMORY_TOTAL), 1 / MIB), 6)} MB`,
  ];
}

/** True for what a MIG instance does not have, since it is the card's. */
function isOfTheCard({ device, readings }: DeviceSample, slot: number): boolean {
  const reading = readings.at(slot);
  return device.mig !== undefined && !isPresent(reading) && reading.absent === 'mig';
}

/** Drivers give no utilisation of MIG instances, but perhaps what their engines do. */
function utilisationSlot({ device, readings }: DeviceSample): number {
  return device.mig !== undefined && readings.number(UTILISATION) === null && readings.number(ENGINE) !== null
    ? ENGINE
    : UTILISATION;
}

function percent(sample: DeviceSample, width: number): string {
  return cell(scaled(sample.readings.number(utilisationSlot(sample)), 100), width);
}

function troubleOf({ readings }: DeviceSample, { lang }: Context): string[] {
  const mask = (readings.number(REASONS) ?? 0) & TROUBLE_BITS;
  return mask === 0 ? [] : [reasonWords(mask, lang)];
}

/** `stale (no permission)`: the state with the reason that all its readings share, where that adds something. */
function stateText({ state, readings }: DeviceSample, { t, lang }: Context): string {
  const word = t(`state.${state}`);
  const reading = readings.at(UTILISATION);
  if (state !== 'stale' || readings.isReadable() || isPresent(reading)) return word;
  if (reading.absent === 'not-collected') return word;
  const reason = t(`absent.${reading.absent}`);
  return lang === 'zh' ? `${word}（${reason}）` : `${word} (${reason})`;
}

/** Reasons that whoever reads `??` should know: something is amiss, or the card is cut into instances. */
const TOLD: readonly AbsenceReason[] = ['no-permission', 'gpu-lost', 'error', 'mig'];

/** `no permission: Power, Temperature`, for the values of a line that are missing though the device has them. */
function unreadOf(sample: DeviceSample, { t, lang }: Context): string[] {
  return TOLD.flatMap((reason) => {
    const labels = SHOWN.filter((slot) => {
      const reading = sample.readings.at(slot);
      return !isPresent(reading) && reading.absent === reason && !isOfTheCard(sample, slot);
    }).map((slot) => CATALOGUE[slot]!.label[lang]);
    if (labels.length === 0) return [];
    return [`${t(`absent.${reason}`)}${lang === 'zh' ? `：${labels.join('、')}` : `: ${labels.join(', ')}`}`];
  });
}

/** The processes, and where there are none the pods that have the device all the same. */
function usersOf({ processes, processesPartial, allotted = [] }: DeviceSample, { t, lang }: Context): string {
  if ('absent' in processes) return '';
  const words = processes.map(processText);
  if (words.length === 0 && allotted.length > 0) {
    const pods = [...new Set(allotted.map(podName))].join(lang === 'zh' ? '、' : ', ');
    words.push(t('stat.allotted', { pods }));
  }
  if (processesPartial !== undefined) words.push(t('stat.partial', { reason: t(`absent.${processesPartial}`) }));
  return words.join(' ');
}

/** `user:name(7484M)`, and `user@pod:name(7484M)` where it is known whom the process works for. */
function processText({ pid, name, user, memoryBytes, owner }: GpuProcess): string {
  const label = ownerLabel(owner);
  const place = label === null || label.kind === 'unit' ? '' : `@${label.kind === 'job' ? 'job-' : ''}${label.text}`;
  const memory = isPresent(memoryBytes) ? (memoryBytes / MIB).toFixed(0) : '?';
  return `${user ?? '?'}${place}:${name ?? pid}(${memory}M)`;
}

/** When a line of `watch` was read: the time of day in the zone of this host, or date and time in UTC. */
export function watchTime(at: number, utc: boolean): string {
  if (utc) return `${new Date(at).toISOString().slice(0, 19)}Z`;
  return new Date(at).toLocaleTimeString('en-GB', { hour12: false });
}

/**
 * The plain line for logs: `[14:23:05] GPU0: 87% | Mem: 10240/24576 MB | Temp: 72°C | Power: 235.4W`. That of a MIG instance
 * has only what is its own: `[14:23:05] GPU0 MIG 3g.40gb GI1: 87% | Mem: 10240/40960 MB`.
 */
export function watchLine(sample: DeviceSample, time: string, context: Context): string {
  return `[${time}] ${watchName(sample.device)}: ${watchParts(sample, context).join(' | ')}`;
}

/** All GPUs in one line: `[14:23:05] GPU0: 87%, Mem: 10240/24576 MB, Temp: 72°C, Power: 235.4W | GPU1: …`. */
export function watchTickLine(samples: readonly DeviceSample[], time: string, context: Context): string {
  const gpus = samples.map((sample) => `${watchName(sample.device)}: ${watchParts(sample, context).join(', ')}`);
  return `[${time}] ${gpus.join(' | ')}`;
}

function watchParts(sample: DeviceSample, context: Context): readonly string[] {
  const { t } = context;
  const { state, readings } = sample;
  if (state !== 'ok') return [stateText(sample, context)];
  const number = (slot: number, factor = 1, digits = 0): string =>
    cell(scaled(readings.number(slot), factor), 0, digits);
  const shown = (slot: number, text: string): string[] => (isOfTheCard(sample, slot) ? [] : [text]);
  return [
    ...shown(utilisationSlot(sample), `${percent(sample, 0)}%`),
    `${t('watch.memory')}: ${number(MEMORY_USED, 1 / MIB)}/${number(MEMORY_TOTAL, 1 / MIB)} MB`,
    ...shown(TEMPERATURE, `${t('watch.temperature')}: ${number(TEMPERATURE)}°C`),
    ...shown(POWER, `${t('watch.power')}: ${number(POWER, 1, 1)}W`),
    ...unreadOf(sample, context),
  ];
}

function watchName({ index, mig }: Device): string {
  if (mig === undefined) return `GPU${index}`;
  return [`GPU${index} MIG`, mig.profile, mig.gpuInstance === null ? null : `GI${mig.gpuInstance}`]
    .filter((word) => word !== null)
    .join(' ');
}
