import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { trialsFor } from './experiment.ts';
import { factsOf } from './facts.ts';
import { timeline } from './timeline.ts';
import { reportTranslator } from './translator.ts';
import { remarkLines, reportWords, type Verdict } from './words.ts';

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
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [strong(title), ...lines.map((line) => `  ${line}`)];
  const { lines: events, more } = timeline(diagnosis, MOST_EVENTS, lang);
  const [comma, colon] = lang === 'zh' ? ['，', '：'] : [' · ', ': '];
  const trials = trialsFor(diagnosis.findings);
  const sections = [
    [
      source,
      factsOf(diagnosis, lang)
        .map(([name, value]) => `${name}${colon}${value}`)
        .join(comma),
    ].filter((line) => line !== ''),
    nothing === null ? verdicts.flatMap((one) => verdictLines(one, lang, color)) : [strong(nothing)],
    section(t('report.timeline'), more > 0 ? [...events, t('report.more-events', { count: more })] : events),
    section(t('report.ruled-out'), remarkLines(ruledOut, lang)),
    section(t('report.not-evaluable'), remarkLines(notEvaluable, lang)),
    section(
      t('report.experiment'),
      trials.length === 0
        ? []
        : [
            ...trials.map(({ setting, value, because }) => `${setting}${colon}${value}${comma}${t(`rule.${because}`)}`),
            t('report.experiment-note'),
          ],
    ),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function verdictLines(
  { finding, title, state, where, when, lost, evidence, course, printed, missing, fix }: Verdict,
  lang: Lang,
  color: boolean,
): string[] {
  const t = reportTranslator(lang);
  const [open, close] = lang === 'zh' ? ['（', '）'] : [' (', ')'];
  const mark = color ? `${COLOURS[finding.severity]}${MARKS[finding.severity]}${RESET}` : MARKS[finding.severity];
  const head = color ? `${BOLD}${title}${RESET}` : title;
  const [separator, colon] = lang === 'zh' ? ['；', '：'] : ['; ', ': '];
  return [
    `${mark} ${head}${open}${state}${close} ${where}`.trimEnd(),
    ...(when === '' && lost === null
      ? []
      : [`  ${[when, lost].filter((part) => part !== null && part !== '').join(separator)}`]),
    ...evidence.map((line) => `    - ${line}`),
    ...(missing === null ? [] : [`    ? ${missing}`]),
    ...(course === null ? [] : [`    ${course}`]),
    ...(printed.length === 0
      ? []
      : [`    ${t('report.output')}${colon.trimEnd()}`, ...printed.map((line) => `      ${line}`)]),
    `    → ${t('report.fix')}${colon}${fix}`,
    '',
  ];
}
