import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { escapeMarkdown as plain } from './escape.ts';
import { trialsFor } from './experiment.ts';
import { factsOf } from './facts.ts';
import { gpuTable, type Table } from './gpu-table.ts';
import { timeline } from './timeline.ts';
import { reportTranslator } from './translator.ts';
import { type Remark, remarkLines, reportWords, type Verdict } from './words.ts';

const MOST_EVENTS = 50;

/** The report as Markdown, to be put into an issue or a wiki. */
export function reportMarkdown(diagnosis: Diagnosis, lang: Lang): string {
  const t = reportTranslator(lang);
  const { source, verdicts, ruledOut, notEvaluable, nothing } = reportWords(diagnosis, lang);
  const { lines: events, more } = timeline(diagnosis, MOST_EVENTS, lang);
  const trials = trialsFor(diagnosis.findings);
  const facts = factsOf(diagnosis, lang);
  const colon = lang === 'zh' ? '：' : ': ';
  const lines = [
    `# ${t('report.title')}`,
    plain(source),
    ...(facts.length === 0 ? [] : [list(facts.map(([name, value]) => `${name}${colon}${value}`))]),
    `## ${t('report.verdict')}`,
    ...(nothing === null ? verdicts.map((verdict) => verdictBlock(verdict, lang)) : [nothing]),
    `## ${t('report.gpus')}`,
    table(gpuTable(diagnosis, lang)),
    `## ${t('report.timeline')}`,
    events.length === 0 ? t('report.no-events') : list(events),
    ...(more > 0 ? [t('report.more-events', { count: more })] : []),
    ...remarks(t('report.ruled-out'), ruledOut, lang),
    ...remarks(t('report.not-evaluable'), notEvaluable, lang),
    ...(trials.length === 0
      ? []
      : [
          `## ${t('report.experiment')}`,
          t('report.experiment-note'),
          table({
            head: [t('report.setting'), t('report.try'), t('report.why')],
            rows: trials.map(({ setting, value, because }) => [setting, value, t(`rule.${because}`)]),
          }),
        ]),
  ];
  return `${lines.join('\n\n')}\n`;
}

function verdictBlock(verdict: Verdict, lang: Lang): string {
  const { title, state, where, when, lost, evidence, course, printed, missing, fix } = verdict;
  const t = reportTranslator(lang);
  const facts = [where, when, lost].filter((part) => part !== null && part !== '').join(lang === 'zh' ? '；' : '; ');
  return [
    `### ${title} — ${state}`,
    plain(facts),
    list([...evidence, ...(missing === null ? [] : [missing])]),
    ...(course === null ? [] : [fenced([course])]),
    ...(printed.length === 0 ? [] : [`${t('report.output')}${lang === 'zh' ? '：' : ':'}`, fenced(printed)]),
    `**${t('report.fix')}** ${plain(fix)}`,
  ].join('\n\n');
}

function remarks(title: string, found: readonly Remark[], lang: Lang): string[] {
  if (found.length === 0) return [];
  return [`## ${title}`, list(remarkLines(found, lang))];
}

/** Lines as they are, behind a fence that none of them can close. */
function fenced(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([ticks]) => ticks.length)));
  const fence = '`'.repeat(longest + 1);
  return [fence, ...lines, fence].join('\n');
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${plain(line)}`).join('\n');
}

function table({ head, rows }: Table): string {
  const row = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;
  return [row(head), `| ${head.map(() => '---').join(' | ')} |`, ...rows.map(row)].join('\n');
}
