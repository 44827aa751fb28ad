import { CLOCK_EVENT_REASONS } from '../../../model/clock-events.ts';
import type { MessageKey } from '../../../model/i18n/messages.ts';
import { MESSAGES } from '../../../model/i18n/messages.ts';
import type { Lang } from '../../../model/i18n/text.ts';
import type { Field } from './fields.ts';
import { fieldMetric } from './gpu-values.ts';
import { QUERIES, type QueryName } from './query.ts';

/**
 * The page of `--help-query-…` in the layout of nvidia-smi, from which exporters take the names of the fields: a line with
 * them in quotes behind an empty one, then what the field means.
 */
export function fieldHelp(name: QueryName, lang: Lang): readonly string[] {
  return [
    `List of valid properties to query for the switch "--query-${name}":`,
    '',
    ...QUERIES[name].all.flatMap((field) => [
      [field.name, ...field.aliases].map((word) => `"${word}"`).join(' or '),
      meaningOf(field, lang),
      '',
    ]),
  ];
}

function meaningOf({ name }: Field, lang: Lang): string {
  const key = `smi.field.${name}`;
  if (key in MESSAGES) return MESSAGES[key as MessageKey][lang];
  const reason = CLOCK_EVENT_REASONS.find(({ smi }) => name === `clocks_event_reasons.${smi}`);
  if (reason !== undefined) return reason.word[lang];
  return fieldMetric(name)?.help[lang] ?? MESSAGES['smi.field-unread'][lang];
}
