import { readingOf, reasonOf } from '../../client/gpu-reading.ts';
import { holderOf } from '../../client/holder.ts';
import type { ApiGpu } from '../../model/api.ts';
import type { MetricId } from '../../model/catalogue.ts';
import { DEVICE_METRICS, metric } from '../../model/catalogue.ts';
import { reasonsIn } from '../../model/clock-events.ts';
import { bytesOf, duration, quantity } from '../../model/format.ts';
import { podName } from '../../model/owner-label.ts';
import type { AbsenceReason } from '../../model/reading.ts';
import type { FleetRow } from '../data/fleet.ts';
import { type Line, type Span, span } from '../text/span.ts';
import { harmless } from '../text/width.ts';
import { type Brush, listed } from './brush.ts';

/** What a GPU is called in a table: `3`, and `3:1` for GPU instance 1 on it. */
export function gpuLabel({ index, mig }: Pick<ApiGpu, 'index' | 'mig'>): string {
  return mig === null ? String(index) : `${index}:${mig.gpuInstance ?? '?'}`;
}

/** The value of a metric in its unit, without a space where room is short; null where absent. */
export function shortReading(gpu: ApiGpu, id: MetricId, { lang }: Brush): string | null {
  const value = readingOf(gpu, id);
  if (value === null) return null;
  const { figure, unit } = quantity(value, metric(id).unit, lang);
  return unit === '' || unit === '%' ? figure + unit : `${figure} ${unit}`;
}

/** `1.2G` of bytes, for columns that have no room for `1.2 GiB`. */
function shortBytes(bytes: number, lang: Brush['lang']): string {
  const { figure, unit } = quantity(bytes, 'bytes', lang);
  return figure + (unit === 'B' ? 'B' : unit.charAt(0));
}

/** Memory in use and in all, as much of it as fits. */
export function memoryText(gpu: ApiGpu, width: number, { lang }: Brush): string | null {
  const [used, total] = [readingOf(gpu, 'memory_used_bytes'), readingOf(gpu, 'memory_total_bytes')];
  if (used === null) {
    const share = readingOf(gpu, 'memory_used_ratio');
    return share === null ? null : `${Math.round(share * 100)}%`;
  }
  if (total === null) return width >= 8 ? withUnit(used, lang) : shortBytes(used, lang);
  const { part, whole, unit } = bytesOf(used, total);
  const long = `${part}/${whole} ${unit}`;
  if (long.length <= width) return long;
  const middle = `${part}/${whole}${unit.charAt(0)}`;
  return middle.length <= width ? middle : shortBytes(used, lang);
}

function withUnit(bytes: number, lang: Brush['lang']): string {
  const { figure, unit } = quantity(bytes, 'bytes', lang);
  return `${figure} ${unit}`;
}

/** `632/700 W`, or `632 W` where there is no limit or no room. */
export function powerText(gpu: ApiGpu, width: number): string | null {
  const [now, limit] = [readingOf(gpu, 'power_watts'), readingOf(gpu, 'power_limit_watts')];
  if (now === null) return null;
  const long = limit === null ? `${now.toFixed(0)} W` : `${now.toFixed(0)}/${limit.toFixed(0)} W`;
  return long.length <= width ? long : `${now.toFixed(0)}W`;
}

/** Traffic in both directions, `↓1.2G ↑310M` per second; null where neither is known. */
export function trafficText(gpu: ApiGpu, link: 'pcie' | 'nvlink', { glyphs, lang }: Brush): string | null {
  const [rx, tx] = [readingOf(gpu, `${link}_rx_bytes_per_second`), readingOf(gpu, `${link}_tx_bytes_per_second`)];
  if (rx === null && tx === null) return null;
  const half = (value: number | null): string => (value === null ? glyphs.dash : shortBytes(value, lang));
  return `${glyphs.into}${half(rx)} ${glyphs.outOf}${half(tx)}`;
}

/** The reasons for which it runs slower than it could: its power cap, and all that is trouble. */
export function slowingSpans(gpu: ApiGpu, brush: Brush): Line {
  const reasons = reasonsIn(readingOf(gpu, 'clock_event_reasons') ?? 0).filter(
    ({ id, trouble }) => trouble || id === 'power-cap',
  );
  if (reasons.length === 0) return [];
  const words = listed(
    reasons.map(({ word }) => word[brush.lang]),
    brush,
  );
  return [span(words, reasons.some(({ trouble }) => trouble) ? 'warning' : 'quiet')];
}

/** Who uses it: holders of processes by what they hold, with the name of their program. */
export function userSpans(gpu: ApiGpu, brush: Brush): Line {
  const { t } = brush;
  if (gpu.processesAbsent !== null) {
    const isOnTheCard = gpu.processesAbsent === 'mig';
    return isOnTheCard ? [] : [span(t(`absent.${gpu.processesAbsent}`), 'quiet')];
  }
  if (gpu.processes.length === 0) {
    const pods = [...new Set((gpu.allotted ?? []).map(podName))];
    return pods.length === 0 ? [] : [span(t('top.allotted', { pods: listed(pods, brush) }), 'waste')];
  }
  const holders = new Map<string, { bytes: number; names: Set<string> }>();
  for (const process of gpu.processes) {
    const holder = holderOf(process) ?? `pid ${process.pid}`;
    const known = holders.get(holder) ?? { bytes: 0, names: new Set<string>() };
    known.bytes += process.memoryBytes ?? 0;
    if (process.name !== null) known.names.add(process.name);
    holders.set(holder, known);
  }
  const largest = [...holders].sort((a, b) => b[1].bytes - a[1].bytes);
  return largest.flatMap(([holder, { names }], i): Span[] => [
    ...(i === 0 ? [] : [span(brush.lang === 'zh' ? '、' : ', ', 'quiet')]),
    span(harmless(holder)),
    ...(names.size === 0 ? [] : [span(` ${harmless([...names].join('+'))}`, 'quiet')]),
  ]);
}

/** Why the GPU is not well; empty where the word for its condition says it all. */
export function whySpans({ gpu, condition, error }: FleetRow, brush: Brush): Line {
  const { t, now, lang } = brush;
  const silent = (): string => t('top.no-data-for', { span: duration(wholeUnits(now - gpu.at), lang) });
  switch (condition) {
    case 'lost':
      return [span(silent(), 'critical')];
    case 'stale': {
      const reason = sharedReason(gpu);
      return [span(reason === null ? silent() : t(`absent.${reason}`), 'warning')];
    }
    case 'errors':
      return [span(error?.text ?? t(`absent.${reasonOf(gpu, 'utilization_ratio')}`), 'critical')];
    case 'asleep':
      return [span(t('top.asleep'), 'quiet')];
    case 'unknown':
      return [span(t(`absent.${reasonOf(gpu, 'utilization_ratio')}`), 'quiet')];
    default:
      return [];
  }
}

/** Why nothing at all can be read; null where there are old values, or nobody has asked yet. */
function sharedReason(gpu: ApiGpu): AbsenceReason | null {
  if (DEVICE_METRICS.some(({ id }) => readingOf(gpu, id) !== null)) return null;
  const reason = reasonOf(gpu, 'utilization_ratio');
  return reason === 'not-collected' ? null : reason;
}

const UNITS_MS = [86_400_000, 3_600_000, 60_000, 1000];

/** Whole days, hours, minutes or seconds, and at least one: a finer figure would change all the time. */
function wholeUnits(ms: number): number {
  const unit = UNITS_MS.find((each) => ms >= each) ?? 1000;
  return Math.max(1000, Math.floor(ms / unit) * unit);
}
