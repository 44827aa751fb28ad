import type { ApiEvent } from '../../model/api.ts';
import { ago, timeOfDay } from '../../model/format.ts';
import type { FindingLine } from '../data/feed.ts';
import type { FleetRow } from '../data/fleet.ts';
import { wrapped } from '../text/flow.ts';
import { fitLine, type Line, span } from '../text/span.ts';
import { harmless } from '../text/width.ts';
import { type Brush, bracketed, listed } from './brush.ts';
import { SEVERITY_TONES } from './glyphs.ts';
import { gpuLabel } from './gpu-words.ts';

/** Events, newest first, each with its time and how long ago that is. */
export function eventLines(events: readonly ApiEvent[], brush: Brush, isRecorded: boolean): readonly Line[] {
  const { glyphs, now, lang } = brush;
  return events.toReversed().map(({ at, severity, text }) => {
    const tone = SEVERITY_TONES[severity];
    const when = isRecorded ? timeOfDay(at) : `${timeOfDay(at)} ${ago(at, now, lang)}`;
    return [
      span(`${glyphs.severity[severity]} `, tone),
      span(`${when}  `, 'quiet'),
      span(harmless(text), severity === 'info' ? 'text' : tone),
    ];
  });
}

/** Causes that the server has found, each with the GPUs it is about. */
function findingLines(findings: readonly FindingLine[], rows: readonly FleetRow[], brush: Brush): readonly Line[] {
  const labels = new Map(rows.map(({ gpu }) => [gpu.uuid, gpuLabel(gpu)]));
  return findings.map(({ text, isCurrent, severity, gpus }) => {
    const named = gpus.flatMap((uuid) => labels.get(uuid) ?? []);
    const tone = isCurrent ? SEVERITY_TONES[severity] : 'quiet';
    return [
      span(`${brush.glyphs.severity[severity]} `, tone),
      span(harmless(text), severity === 'info' ? 'text' : tone),
      ...(named.length === 0 ? [] : [span(`  GPU ${listed(named, brush)}`, 'quiet')]),
    ];
  });
}

/** The same with what speaks for each, and what to do about it. */
export function findingTexts(
  findings: readonly FindingLine[],
  rows: readonly FleetRow[],
  width: number,
  brush: Brush,
): readonly Line[] {
  const heads = findingLines(findings, rows, brush);
  const indented = (text: string): readonly Line[] =>
    wrapped(harmless(text), width - 2).map((part): Line => [span(`  ${part}`, 'quiet')]);
  return findings.flatMap(({ stateText, isCurrent, evidence, fix }, i) => [
    [
      ...(heads[i] ?? []),
      span(`  ${harmless(stateText)}`, 'quiet'),
      ...(isCurrent ? [] : [span(`${brush.glyphs.dot}${brush.t('top.over')}`, 'quiet')]),
    ],
    ...evidence.flatMap(indented),
    ...(fix === '' ? [] : indented(brush.t('top.fix') + fix)),
    [],
  ]);
}

export interface EventStrip {
  readonly events: readonly ApiEvent[];
  readonly findings: readonly FindingLine[];
  readonly rows: readonly FleetRow[];
  readonly isRecorded: boolean;
  readonly width: number;
  /** Lines there are, the one of headings included. */
  readonly lines: number;
}

/** The newest events under a heading, with what was found before them. What matters goes before what is only of note. */
export function eventStrip(strip: EventStrip, brush: Brush): readonly Line[] {
  const { events, rows, isRecorded, width, lines } = strip;
  if (lines < 2) return [];
  const { t, glyphs } = brush;
  const findings = strip.findings.filter(({ isCurrent }) => isCurrent);
  const found = findingLines(findings, rows, brush);
  // Processes come and go; trouble must not be pushed out of sight by them.
  const room = lines - 1 - Math.min(found.length, lines - 1);
  const trouble = events.filter(({ severity }) => severity !== 'info').slice(-Math.ceil(room / 2));
  const rest = events.filter((event) => !trouble.includes(event)).slice(-(room - trouble.length) || events.length);
  const shown = [...trouble, ...(room > trouble.length ? rest : [])].sort((a, b) => a.at - b.at);
  const body = [...found, ...eventLines(shown, brush, isRecorded)];
  // How many there are tells what there is no room for.
  const counted = (key: 'top.findings' | 'top.events', count: number): readonly string[] =>
    count === 0 ? [] : [bracketed(t(key), String(count), brush)];
  const titles = [...counted('top.findings', findings.length), ...counted('top.events', events.length)];
  const title = titles.length === 0 ? t('top.events') : titles.join(glyphs.dot);
  const none = [[span(t('top.no-events'), 'quiet')]];
  return [
    fitLine([span(title, 'quiet', 'bar')], width, glyphs.mark, 'bar'),
    ...(body.length === 0 ? none : body).slice(0, lines - 1),
  ];
}
