import type { ApiFinding } from '../../model/api-finding.ts';
import { metric } from '../../model/catalogue.ts';
import type { LiveFinding } from '../../model/finding.ts';
import { DIAGNOSIS_MESSAGES } from '../../model/i18n/messages-diagnosis.ts';
import type { Lang } from '../../model/i18n/text.ts';

/** A finding with its sentences in one language. */
export function apiFinding(finding: LiveFinding, lang: Lang): ApiFinding {
  const { rule, state, severity, layer, gpus, since, from, to, isCurrent, lostSeconds, evidence, missing, fix } =
    finding;
  const labels = missing.map((id) => metric(id).label[lang]);
  return {
    rule,
    title: DIAGNOSIS_MESSAGES[`rule.${rule}`][lang],
    state,
    stateText: DIAGNOSIS_MESSAGES[`finding.${state}`][lang],
    severity,
    layer,
    gpus: [...gpus],
    since: Math.round(since),
    from: Math.round(from),
    to: Math.round(to),
    isCurrent,
    lostSeconds,
    evidence: evidence.map(({ text, metric, values }) => ({ text: text[lang], metric, values: finite(values) })),
    missing: [...missing],
    missingText: labels.length === 0 ? null : labels.join(lang === 'zh' ? '、' : ', '),
    fix: fix[lang],
    ...(finding.consequenceOf !== undefined && { consequenceOf: finding.consequenceOf }),
  };
}

/** What could not be worked out has no number. */
function finite(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => Number.isFinite(value)));
}
