import type { AppError } from '../model/errors.ts';
import { wordedDetail } from '../model/i18n/errno-words.ts';
import { MESSAGES, type MessageKey } from '../model/i18n/messages.ts';
import { fill, type Lang, type Params } from '../model/i18n/text.ts';

/** One thing that was looked at, with its remedy where something is wrong. */
export interface Check {
  readonly id: string;
  readonly level: 'ok' | 'warning' | 'fault';
  text(lang: Lang): string;
  /** Null where nothing has to be done. */
  remedy(lang: Lang): string | null;
}

/** A failure of gpulse as a fault. */
export function failed(error: AppError): Check {
  return { id: error.code, level: 'fault', text: (lang) => error.text(lang), remedy: (lang) => error.hint(lang) };
}

/** What was found, by the keys of its sentence and its remedy, which are filled with the same parameters. */
export function said(
  id: string,
  level: Check['level'],
  key: MessageKey,
  params: Params = {},
  remedy: MessageKey | null = null,
): Check {
  const worded = (text: string, lang: Lang): string => {
    const { detail } = params;
    return fill(text, typeof detail === 'string' ? { ...params, detail: wordedDetail(detail, lang) } : params);
  };
  return {
    id,
    level,
    text: (lang) => worded(MESSAGES[key][lang], lang),
    remedy: (lang) => (remedy === null ? null : worded(MESSAGES[remedy][lang], lang)),
  };
}
