import { metric } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { Finding } from '../../model/finding.ts';
import { NAMED_STATES } from '../../model/finding.ts';
import { dateTime, duration, zoneOffset } from '../../model/format.ts';
import { DIAGNOSIS_MESSAGES } from '../../model/i18n/messages-diagnosis.ts';
import type { Lang } from '../../model/i18n/text.ts';
import { type TranslateOf, translatorOf } from '../../model/i18n/translator.ts';
import { type Diagnosis, spanOfRecording } from '../diagnosis.ts';

export type ReportTranslate = TranslateOf<typeof DIAGNOSIS_MESSAGES>;

export function reportTranslator(lang: Lang): ReportTranslate {
  return translatorOf(DIAGNOSIS_MESSAGES, lang);
}

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
  const t = reportTranslator(lang);
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
    nothing: named.length > 0 ? null : t(isJudged(diagnosis) ? 'report.nothing-wrong' : 'report.nothing-evaluable'),
  };
}

/** True where at least one rule about work could be judged. */
function isJudged({ findings, window }: Diagnosis): boolean {
  return (
    window.length >= 10 &&
    findings.some(({ rule, state }) => state === 'ruled-out' && rule !== 'gpu-lost' && rule !== 'monitor-overhead')
  );
}

function sourceLine(diagnosis: Diagnosis, lang: Lang): string {
  const { recorded, window } = diagnosis;
  const t = reportTranslator(lang);
  const span = spanOfRecording(diagnosis);
  if (span === null) return t('report.program', { name: recorded.name, lines: recorded.lines ?? 0 });
  const { from, to } = span;
  return t('report.source', {
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
  const { rule, state, layer, lostSeconds, from, to } = finding;
  return {
    finding,
    title: t(`rule.${rule}`),
    state: t(`finding.${state}`),
    layer: t(`report.${layer}`),
    where: whereOf(diagnosis, finding, lang),
    when: spanOfRecording(diagnosis) === null ? '' : t('report.when', { from: dateTime(from), to: dateTime(to) }),
    lost: lostSeconds <= 0 ? null : lostWords(diagnosis, lostSeconds, lang),
    evidence: finding.evidence.map(({ text }) => text[lang]),
    missing: missingWords(finding, lang, 'report.would-settle'),
    fix: finding.fix[lang],
  };
}

function lostWords({ window }: Diagnosis, seconds: number, lang: Lang): string {
  const t = reportTranslator(lang);
  const time = duration(seconds * 1000, lang);
  const whole = window.gpus.length * window.secondsOf(() => true);
  if (whole === 0) return t('report.lost-only', { time });
  return t('report.lost', { time, share: `${Math.round((seconds / whole) * 1000) / 10}%` });
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

function missingWords({ missing }: Finding, lang: Lang, key: 'report.missing' | 'report.would-settle'): string | null {
  if (missing.length === 0) return null;
  const labels = missing.map((id) => metric(id).label[lang]);
  return reportTranslator(lang)(key, { metrics: labels.join(lang === 'zh' ? '、' : ', ') });
}
