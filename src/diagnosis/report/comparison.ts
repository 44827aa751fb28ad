import { metric } from '../../model/catalogue.ts';
import type { Finding } from '../../model/finding.ts';
import { duration, quantityText } from '../../model/format.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { type Comparison, compare, isFault } from './compare.ts';
import { escapeHtml, escapeMarkdown } from './escape.ts';
import { factsOf } from './facts.ts';
import { page } from './html-page.ts';
import { findingJson } from './json.ts';
import { reportTranslator } from './translator.ts';

type Form = 'text' | 'markdown' | 'json' | 'html';

/** Two recordings side by side in one of the forms of a report. */
export function renderComparison(before: Diagnosis, after: Diagnosis, form: Form, lang: Lang): string {
  const compared = compare(before, after);
  if (form === 'json') return JSON.stringify(comparisonJson(before, after, compared, lang), null, 2);
  const t = reportTranslator(lang);
  const { overall, sides, changes } = wordsOf(before, after, compared, lang);
  if (form === 'html') {
    const list = (lines: readonly string[]): string =>
      `<ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`;
    return page(t('report.title'), lang, [
      `<h1>${t('report.title')}</h1>${list(sides)}`,
      `<h2>${t('report.overall')}</h2><p>${escapeHtml(overall)}</p>`,
      `<h2>${t('report.changed')}</h2>${list(changes)}`,
    ]);
  }
  const shown = (line: string): string => (form === 'markdown' ? escapeMarkdown(line) : line);
  const head = (title: string): string => (form === 'markdown' ? `## ${title}\n` : title);
  return [
    ...sides.map((line) => `${shown(line)}${form === 'markdown' ? '  ' : ''}`),
    '',
    head(t('report.overall')),
    `${form === 'markdown' ? '' : '  '}${shown(overall)}`,
    '',
    head(t('report.changed')),
    ...changes.map((line) => `${form === 'markdown' ? '' : '  '}- ${shown(line)}`),
  ].join('\n');
}

interface Words {
  readonly overall: string;
  readonly sides: readonly string[];
  readonly changes: readonly string[];
}

function wordsOf(before: Diagnosis, after: Diagnosis, compared: Comparison, lang: Lang): Words {
  const t = reportTranslator(lang);
  const { changes, gone, fresh, still, lostShares, stepSeconds } = compared;
  const [open, close, colon] = lang === 'zh' ? ['（', '）', '：'] : [' (', ')', ': '];
  const [stepBefore, stepAfter] = stepSeconds;
  const facts = new Map(factsOf(after, lang));
  return {
    overall: overallText(compared, lang),
    sides: [
      `${t('report.before')}${colon}${before.recorded.name}`,
      `${t('report.after')}${colon}${after.recorded.name}`,
    ],
    changes: [
      ...factsOf(before, lang).flatMap(([name, value]) => {
        const now = facts.get(name);
        const isMeasured = name === t('report.run-step');
        return now === undefined || now === value || isMeasured ? [] : [`${name}${colon}${value} → ${now}`];
      }),
      ...(stepBefore === null || stepAfter === null
        ? []
        : [`${t('report.run-step')}${colon}${seconds(stepBefore, lang)} → ${seconds(stepAfter, lang)}`]),
      ...changes.map(({ metric: id, before: a, after: b, verdict }) => {
        const { label, unit } = metric(id);
        const word = verdict === null ? '' : `${open}${t(`report.${verdict}`)}${close}`;
        return `${label[lang]}${colon}${quantityText(a, unit, lang)} → ${quantityText(b, unit, lang)}${word}`;
      }),
      ...(lostShares.some((share) => share > 0)
        ? [`${t('report.lost-time')}${colon}${lostShares.map(percent).join(' → ')}`]
        : []),
      ...(
        [
          ['report.gone', gone],
          ['report.new', fresh],
          ['report.still', still],
        ] as const
      ).flatMap(([key, found]) => (found.length === 0 ? [] : [`${t(key)}${colon}${rulesText(found, lang)}`])),
    ],
  };
}

function overallText(
  { overall: { verdict, by }, changes, gone, fresh, lostShares, stepSeconds }: Comparison,
  lang: Lang,
): string {
  const t = reportTranslator(lang);
  if (verdict === null) return t(`report.overall-${by === 'same-run' || by === 'short' ? by : 'unknown'}`);
  const word = t(`report.${verdict}`);
  switch (by) {
    case 'health':
      return t('report.overall-health', { verdict: word, rules: rulesText(fresh.filter(isFault), lang) });
    case 'healed':
      return t('report.overall-healed', { verdict: word, rules: rulesText(gone.filter(isFault), lang) });
    case 'steps': {
      const [before, after] = stepSeconds.map((time) => seconds(time ?? 0, lang));
      return t('report.overall-steps', { verdict: word, before: before!, after: after! });
    }
    case 'lost': {
      const [before, after] = lostShares.map(percent);
      return t('report.overall-lost', { verdict: word, before: before!, after: after! });
    }
    default: {
      const use = changes.find(({ metric: id }) => id === 'utilization_ratio');
      const [before, after] = [use?.before ?? 0, use?.after ?? 0].map((value) => quantityText(value, 'ratio', lang));
      return t('report.overall-use', { verdict: word, before: before!, after: after! });
    }
  }
}

function comparisonJson(before: Diagnosis, after: Diagnosis, compared: Comparison, lang: Lang): object {
  const { gone, fresh, still, ...rest } = compared;
  const inLang = (findings: readonly Finding[]): object[] => findings.map((finding) => findingJson(finding, lang));
  return {
    before: before.recorded.name,
    after: after.recorded.name,
    ...rest,
    gone: inLang(gone),
    fresh: inLang(fresh),
    still: inLang(still),
  };
}

function rulesText(findings: readonly Finding[], lang: Lang): string {
  const t = reportTranslator(lang);
  return [...new Set(findings.map(({ rule }) => t(`rule.${rule}`)))].join(lang === 'zh' ? '、' : ', ');
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10}%`;
}

function seconds(time: number, lang: Lang): string {
  return duration(time * 1000, lang);
}
