import type { GpuEvent } from '../../model/event.ts';
import { dateTime, timeOfDay } from '../../model/format.ts';
import { eventText } from '../../model/i18n/event-text.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { reportTranslator } from './translator.ts';

/** Of these there may be thousands, and each says little. */
const MINOR: readonly GpuEvent['kind'][] = [
  'process-started',
  'process-ended',
  'ecc-corrected',
  'throttle-ended',
  'recording-ended',
  'gpu-found',
  'marker',
];

const WEIGHT: Readonly<Record<GpuEvent['severity'], number>> = { critical: 2, warning: 1, info: 0 };

/** An event, with others that say the same of the same GPU. */
interface Entry {
  readonly event: GpuEvent;
  count: number;
  last: number;
}

/** The events that matter most, a line each in order of time, and how many were left out. */
export function timeline(
  { window }: Diagnosis,
  most: number,
  lang: Lang,
): { readonly lines: readonly string[]; readonly more: number } {
  const throttled = new Set<string | null>();
  // That a GPU is throttled again and again is in the finding.
  const isRepeat = ({ kind, uuid }: GpuEvent): boolean => kind === 'throttle-began' && isKnown(throttled, uuid);
  const entries = joined(window.events.filter((event) => !MINOR.includes(event.kind) && !isRepeat(event)));
  const kept = new Set(
    [...entries]
      .sort((a, b) => WEIGHT[b.event.severity] - WEIGHT[a.event.severity] || a.event.at - b.event.at)
      .slice(0, most),
  );
  const lines = entries.filter((entry) => kept.has(entry)).sort((a, b) => a.event.at - b.event.at);
  return { lines: lines.map((entry) => lineOf(entry, lang)), more: entries.length - kept.size };
}

function lineOf({ event, count, last }: Entry, lang: Lang): string {
  const line = `${dateTime(event.at)}  ${eventText(event, lang)}`;
  if (count === 1) return line;
  const words = reportTranslator(lang)('report.repeated', { count, time: timeOfDay(last) });
  return lang === 'zh' ? `${line}（${words}）` : `${line} (${words})`;
}

/** One Xid of one GPU that comes again and again is told once. */
function joined(events: readonly GpuEvent[]): Entry[] {
  const entries: Entry[] = [];
  const byKey = new Map<string, Entry>();
  for (const event of events) {
    const { kind, uuid, params, at } = event;
    const isXid = kind === 'xid' || kind === 'sxid';
    const key = `${kind} ${uuid ?? params['bus']} ${params['xid']} ${params['causedBy']} ${params['pid']}`;
    const known = isXid ? byKey.get(key) : undefined;
    if (known !== undefined) {
      known.count++;
      known.last = Math.max(known.last, at);
      continue;
    }
    const entry = { event, count: 1, last: at };
    entries.push(entry);
    byKey.set(key, entry);
  }
  return entries;
}

/** True from the second time on. */
function isKnown(seen: Set<string | null>, uuid: string | null): boolean {
  const before = seen.size;
  return seen.add(uuid).size === before;
}
