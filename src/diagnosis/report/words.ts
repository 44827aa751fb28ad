import { metric } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { Finding } from '../../model/finding.ts';
import { NAMED_STATES } from '../../model/finding.ts';
import { dateTime, duration, timeOfDay, zoneOffset } from '../../model/format.ts';
import type { Lang } from '../../model/i18n/text.ts';
import { type Diagnosis, spanOfRecording } from '../diagnosis.ts';
import { headlineOf } from '../headline.ts';
import { lostWords } from './cost.ts';
import { linesAround } from './log-lines.ts';
import { sparkline } from './sparkline.ts';
import { reportTranslator } from './translator.ts';

/** Characters of a line that the program has printed. */
const LONGEST_PRINTED = 160;

/** A finding that names a cause, in the words of a report. */
export interface Verdict {
  readonly finding: Finding;
  readonly title: string;
  readonly state: string;
  readonly layer: string;
  readonly where: string;
  readonly when: string;
  /** What it cost; null where nothing was lost, or not known. */
  readonly lost: string | null;
  readonly evidence: readonly string[];
  /** The course of what it is about, in one line of text; null where there is nothing to draw. */
  readonly course: string | null;
  /** What the program printed then, with times. */
  readonly printed: readonly string[];
  readonly missing: string | null;
  readonly fix: string;
}

/** A rule that names no cause, with the reason. */
export interface Remark {
  readonly title: string;
  readonly why: string;
  readonly missing: string | null;
}

/** What every readable form of a report says, in the same words. */
export interface ReportWords {
  readonly source: string;
  readonly verdicts: readonly Verdict[];
  readonly ruledOut: readonly Remark[];
  readonly notEvaluable: readonly Remark[];
  /** Said where no cause is named; null otherwise. */
  readonly nothing: string | null;
}

export function reportWords(diagnosis: Diagnosis, lang: Lang): ReportWords {
  const { findings } = diagnosis;
  const named = findings.filter(({ state }) => NAMED_STATES.includes(state));
  const remarks = (state: Finding['state']): Remark[] =>
    findings.filter((finding) => finding.state === state).map((finding) => remark(finding, lang));
  const ruledOut = remarks('ruled-out');
  return {
    source: sourceLine(diagnosis, lang),
    verdicts: named.map((finding) => verdict(diagnosis, finding, lang)),
    ruledOut,
    notEvaluable: remarks('not-evaluable'),
    nothing: headlineOf(findings, diagnosis.window.length)?.[lang] ?? null,
  };
}

function sourceLine(diagnosis: Diagnosis, lang: Lang): string {
  const { recorded, window } = diagnosis;
  const t = reportTranslator(lang);
  const span = spanOfRecording(diagnosis);
  if (span === null) return t('report.program', { name: recorded.name, lines: recorded.lines ?? 0 });
  const { from, to } = span;
  return t(from === to ? 'report.source-moment' : 'report.source', {
    name: recorded.name,
    rows: recorded.rows ?? window.rows,
    gpus: recorded.gpus ?? window.gpus.length,
    from: `${dateTime(from)} ${zoneOffset(from)}`,
    to: dateTime(to),
    span: duration(to - from, lang),
  });
}

function verdict(diagnosis: Diagnosis, finding: Finding, lang: Lang): Verdict {
  const t = reportTranslator(lang);
  const { rule, state, layer, from, to } = finding;
  return {
    finding,
    title: t(`rule.${rule}`),
    state: t(`finding.${state}`),
    layer: t(`report.${layer}`),
    where: whereOf(diagnosis, finding, lang),
    when: spanOfRecording(diagnosis) === null ? '' : whenOf(from, to, lang),
    lost: lostWords(diagnosis, finding, lang),
    evidence: finding.evidence.map(({ text }) => text[lang]),
    course: sparkline(diagnosis, finding, lang),
    printed: linesAround(diagnosis, finding).map(
      ({ at, text }) => `${timeOfDay(at)} ${text.slice(0, LONGEST_PRINTED)}`,
    ),
    missing: missingWords(finding, lang, 'report.would-settle'),
    fix: finding.fix[lang],
  };
}

function whenOf(from: number, to: number, lang: Lang): string {
  if (dateTime(from) === dateTime(to)) return dateTime(from);
  return reportTranslator(lang)('report.when', { from: dateTime(from), to: dateTime(to) });
}

function whereOf({ window }: Diagnosis, { gpus }: Finding, lang: Lang): string {
  const t = reportTranslator(lang);
  if (gpus.length === 0) return '';
  const cards = window.gpus.filter(({ device }) => device.mig === undefined);
  if (gpus.length === cards.length && gpus.length > 1)
    return t('report.on', { gpus: t('report.all-gpus', { count: gpus.length }) });
  const names = gpus.map((uuid) => nameOf(window.gpus.find(({ device }) => device.uuid === uuid)?.device, uuid));
  return t('report.on', { gpus: names.join(lang === 'zh' ? '、' : ', ') });
}

function nameOf(device: Device | undefined, uuid: string): string {
  return device === undefined ? uuid : `GPU ${device.index}`;
}

function remark(finding: Finding, lang: Lang): Remark {
  return {
    title: reportTranslator(lang)(`rule.${finding.rule}`),
    why: finding.evidence[0]?.text[lang] ?? '',
    missing: finding.state === 'ruled-out' ? null : missingWords(finding, lang, 'report.missing'),
  };
}

/** Rules that name no cause, those with the same reason in one line. */
export function remarkLines(remarks: readonly Remark[], lang: Lang): readonly string[] {
  const byReason = Map.groupBy(remarks, ({ why, missing }) => missing ?? why);
  const [comma, colon] = lang === 'zh' ? ['、', '：'] : [', ', ': '];
  return [...byReason].map(
    ([reason, same]) => `${[...new Set(same.map(({ title }) => title))].join(comma)}${colon}${reason}`,
  );
}

function missingWords({ missing }: Finding, lang: Lang, key: 'report.missing' | 'report.would-settle'): string | null {
  if (missing.length === 0) return null;
  const labels = missing.map((id) => metric(id).label[lang]);
  return reportTranslator(lang)(key, { metrics: labels.join(lang === 'zh' ? '、' : ', ') });
}
