import { FINDINGS_PAGE_MESSAGES } from './messages-findings-page.ts';
import { GPU_PAGE_MESSAGES } from './messages-gpu-page.ts';
import { HOST_MESSAGES } from './messages-host.ts';
import { WEB_MESSAGES } from './messages-web.ts';
import { WORD_MESSAGES } from './messages-words.ts';
import type { Lang, Text } from './text.ts';
import { type TranslateOf, translatorOf } from './translator.ts';

/** The messages that the dashboard can show: those of commands need not be sent to a browser. */
const PAGE_MESSAGES = {
  ...WORD_MESSAGES,
  ...WEB_MESSAGES,
  ...HOST_MESSAGES,
  ...GPU_PAGE_MESSAGES,
  ...FINDINGS_PAGE_MESSAGES,
} as const satisfies Record<string, Text>;

export type PageMessageKey = keyof typeof PAGE_MESSAGES;

/** {@link TranslateOf} the messages of the dashboard. */
export type PageTranslate = TranslateOf<typeof PAGE_MESSAGES>;

export function pageTranslator(lang: Lang): PageTranslate {
  return translatorOf(PAGE_MESSAGES, lang);
}
