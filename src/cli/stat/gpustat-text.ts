import type { Look } from '../../app/look.ts';
import type { GpuProcess } from '../../model/process.ts';
import type { DeviceView } from '../../model/reader.ts';
import { valueOrNull } from '../../model/reading.ts';
import { paint } from '../paint.ts';
import { type GpustatFigures, gpustatFigures, wholeMiB } from './gpustat-figures.ts';

/** What gpustat's flags choose. */
export interface GpustatLayout {
  readonly command: boolean;
  readonly user: boolean;
  readonly pid: boolean;
  readonly fullCommand: boolean;
  readonly fan: boolean;
  readonly codec: readonly ('enc' | 'dec')[];
  readonly power: readonly ('draw' | 'limit')[];
  readonly header: boolean;
  readonly processes: boolean;
  /** Places for the name; null for as many as the longest takes, 0 for none. */
  readonly nameWidth: number | null;
}

/** What stands for a number that is not known. */
const UNKNOWN = '??';

/** The lines that gpustat prints, for scripts that take them apart. Colours are its own, where `color` is set. */
export function gpustatLines({ host, snapshot }: Look, layout: GpustatLayout, color: boolean): string[] {
  // gpustat knows no MIG instances, and what reads its output would take them for cards.
  const views = snapshot.devices.filter(({ device }) => device.mig === undefined);
  const width = layout.nameWidth ?? Math.max(0, ...views.map((view) => nameOf(view).length));
  const lines = views.flatMap((view) => gpuLines(view, width, layout, paint(color)));
  return layout.header ? [headerOf(host, views, snapshot.at, width), ...lines] : lines;
}

function headerOf(host: string, views: readonly DeviceView[], at: number | null, width: number): string {
  const drivers = views.map(({ device }) => device.driverVersion).filter((version) => version !== null);
  const driver = drivers.find((version) => /^\d/.test(version)) ?? '';
  return `${host.padEnd(width + 3)}  ${cDate(new Date(at ?? 0))}  ${driver}`.trimEnd();
}

/** `Fri Oct  4 21:22:05 2019`: date(1) in the locale C. */
function cDate(date: Date): string {
  const [day, month] = [date.toDateString().slice(0, 3), date.toDateString().slice(4, 7)];
  const time = date.toTimeString().slice(0, 8);
  return `${day} ${month} ${String(date.getDate()).padStart(2)} ${time} ${date.getFullYear()}`;
}

/** A lost GPU has no name there. */
function nameOf({ device, state }: DeviceView): string {
  return state === 'lost' ? '((GPU is lost))' : device.name;
}

type Paint = ReturnType<typeof paint>;

function gpuLines(view: DeviceView, width: number, layout: GpustatLayout, color: Paint): string[] {
  const { device, processes } = view;
  const figures = gpustatFigures(view);
  const name = width === 0 ? '' : ` ${color('blue', fitted(nameOf(view), width))}`;
  const heat = [
    `${color('red', cell(figures.temperature, 3), (figures.temperature ?? 0) >= 50)}${color('red', '°C')}`,
    ...(layout.fan ? [`${color('cyan', cell(figures.fan, 3), (figures.fan ?? 0) >= 30)} ${color('cyan', '%')}`] : []),
    `${color('green', cell(figures.utilization, 3), (figures.utilization ?? 0) >= 30)} ${color('green', '%')}`,
  ].join(', ');
  const memory = `${color('yellow', cell(figures.memoryUsed, 5), true)} / ${color('yellow', cell(figures.memoryTotal, 5))} MB`;
  const head = `${color('cyan', `[${device.index}]`)}${name} | ${heat}${codecText(figures, layout, color)}${powerText(figures, layout, color)} | ${memory} |`;
  if (!layout.processes) return [head];
  if ('absent' in processes) return [`${head} (Not Supported)`];
  const users = processes.map((process) => ` ${processText(process, layout, color)}`).join('');
  const trees = layout.fullCommand ? processes.map((process, i) => treeLine(process, i === processes.length - 1)) : [];
  return [head + users, ...trees];
}

/** Cut from the left, where names of products differ least. */
function fitted(name: string, width: number): string {
  return name.length > width ? `…${name.slice(name.length - width + 1)}` : name.padEnd(width);
}

function cell(value: number | null, width: number): string {
  return (value === null ? UNKNOWN : String(value)).padStart(width);
}

function codecText({ encoder, decoder }: GpustatFigures, { codec }: GpustatLayout, color: Paint): string {
  if (codec.length === 0) return '';
  const parts = [
    ...(codec.includes('enc') ? [`E: ${color('green', cell(encoder, 3), (encoder ?? 0) >= 50)} %`] : []),
    ...(codec.includes('dec') ? [`D: ${color('green', cell(decoder, 3), (decoder ?? 0) >= 50)} %`] : []),
  ];
  return ` (${parts.join('  ')})`;
}

/** Share of the limit from which on the power draw is set in bold. */
const BOLD_POWER = 0.4;

function powerText({ power, powerLimit }: GpustatFigures, { power: parts }: GpustatLayout, color: Paint): string {
  if (parts.length === 0) return '';
  const isHigh = power !== null && powerLimit !== null && power >= powerLimit * BOLD_POWER;
  const draw = color('magenta', cell(power, 3), isHigh);
  if (!parts.includes('limit')) return `,  ${draw}`;
  return `,  ${draw} / ${color('magenta', cell(powerLimit, 3))} W`;
}

/** `user:command/pid(7484M)`, of which the flags choose the parts. The user is told where nothing else would be. */
function processText(process: GpuProcess, { command, user, pid }: GpustatLayout, color: Paint): string {
  const words = [
    ...(!command || user ? [color('gray', process.user ?? '--', true)] : []),
    ...(command ? [process.name ?? '--'] : []),
  ].join(':');
  const memory = wholeMiB(valueOrNull(process.memoryBytes));
  return `${words}${pid ? `/${process.pid}` : ''}(${color('yellow', memory === null ? '?' : String(memory))}M)`;
}

/** ` ├─ PPPPPP (CCCC%, MMMMMM): command`: its load and its memory on the host. */
function treeLine(process: GpuProcess, isLast: boolean): string {
  const load = process.cpuRatio === undefined ? null : valueOrNull(process.cpuRatio);
  const cpu = load === null ? UNKNOWN : String(Math.round(load * 100));
  const bytes = process.hostMemoryBytes === undefined ? null : valueOrNull(process.hostMemoryBytes);
  const memory = bytes === null ? UNKNOWN : hostMemory(bytes);
  const command = process.command ?? process.name ?? UNKNOWN;
  return ` ${isLast ? '└─' : '├─'} ${String(process.pid).padStart(6)} (${cpu.padStart(4)}%, ${memory.padStart(6)}): ${command}`;
}

function hostMemory(bytes: number): string {
  const MIB = 2 ** 20;
  if (bytes < MIB) return `${Math.round(bytes / 1024)}KB`;
  return bytes < 1024 * MIB ? `${Math.round(bytes / MIB)}MB` : `${(bytes / 1024 / MIB).toFixed(1)}GB`;
}
