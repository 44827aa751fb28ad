import { dateTime } from '../../model/format.ts';
import { eventText } from '../../model/i18n/event-text.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { timeline } from './timeline.ts';
import { type Remark, reportTranslator, reportWords, type Verdict } from './words.ts';

const BOLD = '\u001b[1m';
const RED = '\u001b[31m';
const YELLOW = '\u001b[33m';
const RESET = '\u001b[0m';

const MARKS = { critical: '✖', warning: '▲', info: '•' } as const;
const COLOURS = { critical: RED, warning: YELLOW, info: '' } as const;

/** Events a terminal shows. */
const MOST_EVENTS = 20;

/** The report for a terminal: the verdict first, then what was looked at. */
export function reportText(diagnosis: Diagnosis, lang: Lang, color: boolean): string {
  const t = reportTranslator(lang);
  const { source, verdicts, ruledOut, notEvaluable, nothing } = reportWords(diagnosis, lang);
  const strong = (text: string): string => (color ? `${BOLD}${text}${RESET}` : text);
  const { events, more } = timeline(diagnosis, MOST_EVENTS);
  const eventLines = events.map((event) => `  ${dateTime(event.at)}  ${eventText(event, lang)}`);
  const sections = [
    [source],
    nothing === null ? verdicts.flatMap((one) => verdictLines(one, lang, color)) : [strong(nothing)],
    eventLines.length === 0
      ? []
      : [
          strong(t('report.timeline')),
          ...eventLines,
          ...(more > 0 ? [`  ${t('report.more-events', { count: more })}`] : []),
        ],
    ruledOut.length === 0 ? [] : [strong(t('report.ruled-out')), ...remarkLines(ruledOut, lang)],
    notEvaluable.length === 0 ? [] : [strong(t('report.not-evaluable')), ...remarkLines(notEvaluable, lang)],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function verdictLines(
  { finding, title, state, where, when, lost, evidence, missing, fix }: Verdict,
  lang: Lang,
  color: boolean,
): string[] {
  const t = reportTranslator(lang);
  const [open, close] = lang === 'zh' ? ['（', '）'] : [' (', ')'];
  const mark = color ? `${COLOURS[finding.severity]}${MARKS[finding.severity]}${RESET}` : MARKS[finding.severity];
  const head = color ? `${BOLD}${title}${RESET}` : title;
  const separator = lang === 'zh' ? '；' : '; ';
  return [
    `${mark} ${head}${open}${state}${close} ${where}`.trimEnd(),
    ...(when === '' && lost === null
      ? []
      : [`  ${[when, lost].filter((part) => part !== null && part !== '').join(separator)}`]),
    ...evidence.map((line) => `    - ${line}`),
    ...(missing === null ? [] : [`    ? ${missing}`]),
    `    → ${t('report.fix')}${lang === 'zh' ? '：' : ': '}${fix}`,
    '',
  ];
}

/** Rules with the same reason share a line. */
function remarkLines(remarks: readonly Remark[], lang: Lang): string[] {
  const byReason = new Map<string, string[]>();
  for (const { title, why, missing } of remarks) {
    const reason = missing === null ? why : missing;
    byReason.set(reason, [...(byReason.get(reason) ?? []), title]);
  }
  const [comma, colon] = lang === 'zh' ? ['、', '：'] : [', ', ': '];
  return [...byReason].map(([reason, titles]) => `  ${titles.join(comma)}${colon}${reason}`);
}
