import { dateTime } from '../../model/format.ts';
import { eventText } from '../../model/i18n/event-text.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { escapeMarkdown as plain } from './escape.ts';
import { trialsFor } from './experiment.ts';
import { gpuTable, type Table } from './gpu-table.ts';
import { timeline } from './timeline.ts';
import { type Remark, reportTranslator, reportWords, type Verdict } from './words.ts';

const MOST_EVENTS = 50;

/** The report as Markdown, to be put into an issue or a wiki. */
export function reportMarkdown(diagnosis: Diagnosis, lang: Lang): string {
  const t = reportTranslator(lang);
  const { source, verdicts, ruledOut, notEvaluable, nothing } = reportWords(diagnosis, lang);
  const { events, more } = timeline(diagnosis, MOST_EVENTS);
  const trials = trialsFor(diagnosis.findings);
  const lines = [
    `# ${t('report.title')}`,
    plain(source),
    `## ${t('report.verdict')}`,
    ...(nothing === null ? verdicts.map((verdict) => verdictBlock(verdict, lang)) : [nothing]),
    `## ${t('report.gpus')}`,
    table(gpuTable(diagnosis, lang)),
    `## ${t('report.timeline')}`,
    events.length === 0
      ? t('report.no-events')
      : list(events.map((event) => `${dateTime(event.at)} ${eventText(event, lang)}`)),
    ...(more > 0 ? [t('report.more-events', { count: more })] : []),
    ...remarks(t('report.ruled-out'), ruledOut),
    ...remarks(t('report.not-evaluable'), notEvaluable),
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

function verdictBlock({ title, state, where, when, lost, evidence, missing, fix }: Verdict, lang: Lang): string {
  const t = reportTranslator(lang);
  const facts = [where, when, lost].filter((part) => part !== null && part !== '').join(lang === 'zh' ? '；' : '; ');
  return [
    `### ${title} — ${state}`,
    plain(facts),
    list([...evidence, ...(missing === null ? [] : [missing])]),
    `**${t('report.fix')}** ${plain(fix)}`,
  ].join('\n\n');
}

function remarks(title: string, found: readonly Remark[]): string[] {
  if (found.length === 0) return [];
  return [
    `## ${title}`,
    list(
      found.map(({ title: rule, why, missing }) => [rule, why, missing].filter((part) => part !== null).join(' — ')),
    ),
  ];
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${plain(line)}`).join('\n');
}

function table({ head, rows }: Table): string {
  const row = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;
  return [row(head), `| ${head.map(() => '---').join(' | ')} |`, ...rows.map(row)].join('\n');
}
