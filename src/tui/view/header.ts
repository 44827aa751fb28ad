import { type Judged, verdict } from '../../client/condition.ts';
import { duration, quantityText, timeOfDay } from '../../model/format.ts';
import type { Link, SourceInfo } from '../data/feed.ts';
import { joined, type Line, leftAndRight, span } from '../text/span.ts';
import { harmless } from '../text/width.ts';
import { type Brush, conditionWord, listed } from './brush.ts';
import { CONDITION_TONES } from './glyphs.ts';

/** Users of idle cards that are named before the rest is counted. */
const MOST_USERS = 3;

export interface HeaderFacts {
  readonly host: string;
  readonly version: string;
  readonly gpus: number;
  readonly hidden: number;
  readonly source: SourceInfo | null;
  readonly server: string | null;
  readonly link: Link;
  /** Age of the newest data in milliseconds; null before the first. */
  readonly ageMs: number | null;
  /** Time of the newest data. */
  readonly at: number | null;
  readonly isPaused: boolean;
  /** Monotonic time, in which the link says when it tries again. */
  readonly monotonic: number;
}

/** Name, host, where the data come from, and of when they are. */
export function titleLine(facts: HeaderFacts, width: number, brush: Brush): Line {
  const { t, lang, glyphs } = brush;
  const { source, server, hidden, gpus } = facts;
  const dot = span(glyphs.dot, 'quiet');
  const parts: Line[] = [
    [span('gpulse', 'title'), span(` ${facts.version}`, 'quiet')],
    [span(harmless(facts.host), 'strong')],
  ];
  if (source?.origin === 'simulated') parts.push([span(t('top.simulated'), 'warning')]);
  if (source?.origin === 'recorded') {
    parts.push([span(t('top.recorded', { name: harmless(source.name.replace(/^replay:/, '')) }), 'warning')]);
  }
  const all = gpus === 1 ? t('top.one-gpu') : t('top.gpus', { n: gpus });
  parts.push([span(hidden > 0 ? t('top.gpus-hidden', { n: gpus, hidden }) : all)]);
  if (server !== null)
    parts.push([span(t('top.from-server', { url: server.replace(/^https?:\/\/|\/$/g, '') }), 'quiet')]);
  if (source !== null && source.origin !== 'recorded') {
    parts.push([span(t('top.every', { span: duration(source.intervalMs, lang) }), 'quiet')]);
  }
  const time = facts.at === null ? [] : [span(timeOfDay(facts.at), 'strong')];
  const right = facts.isPaused ? [span(t('top.paused'), 'warning'), span(' '), ...time] : time;
  return leftAndRight(joined(parts, dot), right, width, glyphs.mark);
}

/** How many GPUs are in which state, worst first. */
export function verdictLine(cards: readonly Judged[], brush: Brush): Line {
  const { t, lang, glyphs } = brush;
  const counts = verdict(cards).map((count): Line => {
    const { condition, gpus, memoryBytes } = count;
    const named = count.users.slice(0, MOST_USERS).map(harmless);
    const more = count.users.length - named.length;
    const users = listed(more > 0 ? [...named, t('top.more', { n: more })] : named, brush);
    const memory = quantityText(memoryBytes, 'bytes', lang);
    const held = users === '' ? t('top.held', { memory }) : t('top.held-by', { memory, users });
    const word = condition === 'held' ? held : conditionWord(condition, brush);
    const tone = gpus === 0 ? 'quiet' : CONDITION_TONES[condition];
    return [
      span(`${glyphs.condition[condition]} `, tone),
      span(String(gpus), gpus === 0 ? 'quiet' : 'strong'),
      span(` ${word}`, tone),
    ];
  });
  const isQuiet = cards.every(({ condition }) => CONDITION_TONES[condition] === 'text' || condition === 'free');
  const calm: Line[] = isQuiet && cards.length > 0 ? [[span(t('top.quiet'), 'quiet')]] : [];
  return joined([...counts, ...calm], span(glyphs.dot, 'quiet'));
}

/** What is amiss with the data as such, worst first; empty where they are as they should be. */
export function bannerLines(facts: HeaderFacts, brush: Brush): readonly Line[] {
  const { t, lang } = brush;
  const { link, source, ageMs } = facts;
  const age = ageMs === null ? '?' : duration(Math.floor(ageMs / 1000) * 1000 || 1000, lang);
  const lines: Line[] = [];
  if (link.phase === 'waiting') {
    const seconds = Math.max(0, Math.ceil((link.retryAt - facts.monotonic) / 1000));
    lines.push([span(t('top.server-gone', { why: harmless(link.message), seconds, age }), 'warning', 'alarm')]);
  } else if (link.phase === 'connecting' && ageMs !== null) {
    lines.push([span(t('top.server-connecting', { age }), 'warning', 'alarm')]);
  }
  if (source === null) return lines;
  if (source.state === 'stalled') lines.push([span(t('top.stalled', { age }), 'warning', 'alarm')]);
  if (source.state === 'released') {
    const time = source.releasedUntil === null ? '?' : timeOfDay(source.releasedUntil);
    lines.push([span(t('top.released', { time }), 'warning', 'alarm')]);
  }
  if (source.state === 'ended') lines.push([span(t('top.ended'), 'quiet')]);
  if (source.origin !== 'live') return lines;
  if (source.reason !== null && source.state !== 'stalled') {
    lines.push([
      span(harmless(source.reason.message), 'warning', 'alarm'),
      span(` ${harmless(source.reason.hint)}`, 'quiet'),
    ]);
  }
  for (const notice of source.notices) if (!notice.isRemark) lines.push([span(harmless(notice.text), 'warning')]);
  return lines;
}
