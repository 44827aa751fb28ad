import { DIAGNOSIS_MESSAGES } from '../../model/i18n/messages-diagnosis.ts';
import type { Lang } from '../../model/i18n/text.ts';
import { type TranslateOf, translatorOf } from '../../model/i18n/translator.ts';

export type ReportTranslate = TranslateOf<typeof DIAGNOSIS_MESSAGES>;

export function reportTranslator(lang: Lang): ReportTranslate {
  return translatorOf(DIAGNOSIS_MESSAGES, lang);
}
