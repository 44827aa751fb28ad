import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { escapeHtml as plain } from './escape.ts';
import { evidenceCharts } from './evidence-charts.ts';
import { trialsFor } from './experiment.ts';
import { factsOf } from './facts.ts';
import { gpuTable, type Table } from './gpu-table.ts';
import { page } from './html-page.ts';
import { timeline } from './timeline.ts';
import { reportTranslator } from './translator.ts';
import { type Remark, remarkLines, reportWords, type Verdict } from './words.ts';

const MOST_EVENTS = 200;

/** The report as one HTML file: it loads nothing, runs no script, and prints well. */
export function reportHtml(diagnosis: Diagnosis, lang: Lang): string {
  const t = reportTranslator(lang);
  const { source, verdicts, ruledOut, notEvaluable, nothing } = reportWords(diagnosis, lang);
  const { lines: events, more } = timeline(diagnosis, MOST_EVENTS, lang);
  const trials = trialsFor(diagnosis.findings);
  const experiment = {
    head: [t('report.setting'), t('report.try'), t('report.why')],
    rows: trials.map(({ setting, value, because }) => [setting, value, t(`rule.${because}`)]),
  };
  const facts = factsOf(diagnosis, lang);
  const body = [
    `<h1>${t('report.title')}</h1><p class="soft">${plain(source)}</p>`,
    facts.length === 0
      ? ''
      : `<dl>${facts.map(([name, value]) => `<dt>${plain(name)}</dt><dd>${plain(value)}</dd>`).join('')}</dl>`,
    `<h2>${t('report.verdict')}</h2>`,
    nothing === null ? verdicts.map((one) => verdictHtml(diagnosis, one, lang)).join('') : `<p>${nothing}</p>`,
    `<h2>${t('report.gpus')}</h2>${tableHtml(gpuTable(diagnosis, lang))}`,
    `<h2>${t('report.timeline')}</h2>`,
    events.length === 0 ? `<p>${t('report.no-events')}</p>` : list(events),
    more > 0 ? `<p class="soft">${t('report.more-events', { count: more })}</p>` : '',
    remarksHtml(t('report.ruled-out'), ruledOut, lang),
    remarksHtml(t('report.not-evaluable'), notEvaluable, lang),
    trials.length === 0
      ? ''
      : `<h2>${t('report.experiment')}</h2><p class="soft">${plain(t('report.experiment-note'))}</p>${tableHtml(experiment)}`,
  ];
  return page(`${t('report.title')}: ${diagnosis.recorded.name}`, lang, body);
}

function verdictHtml(diagnosis: Diagnosis, verdict: Verdict, lang: Lang): string {
  const t = reportTranslator(lang);
  const { finding, title, state, layer, where, when, lost, evidence, printed, missing, fix } = verdict;
  const facts = [layer, where, when, lost].filter((part) => part !== null && part !== '').join(' · ');
  return `<section class="verdict ${finding.severity}"><h3>${title} <span class="state">${state}</span></h3>
<p class="soft">${plain(facts)}</p>${list([...evidence, ...(missing === null ? [] : [missing])])}
${evidenceCharts(diagnosis, finding, lang).join('')}${printedHtml(printed, lang)}<p><strong>${t('report.fix')}</strong> ${plain(fix)}</p></section>`;
}

/** Lines of the program's output, which stand at the same times as the curves above them. */
function printedHtml(lines: readonly string[], lang: Lang): string {
  if (lines.length === 0) return '';
  return `<p class="soft">${reportTranslator(lang)('report.output')}</p><pre>${lines.map(plain).join('\n')}</pre>`;
}

function remarksHtml(title: string, found: readonly Remark[], lang: Lang): string {
  if (found.length === 0) return '';
  return `<h2>${title}</h2>${list(remarkLines(found, lang))}`;
}

function list(lines: readonly string[]): string {
  return `<ul>${lines.map((line) => `<li>${plain(line)}</li>`).join('')}</ul>`;
}

function tableHtml({ head, rows }: Table): string {
  const row = (cells: readonly string[], tag: 'td' | 'th'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${plain(cell)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${row(head, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
}
