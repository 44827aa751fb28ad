import type { AppError } from '../model/errors.ts';
import type { CONFIG_WORDS } from '../model/i18n/config-words.ts';
import { fill, LANGUAGES, type Params, type Text } from '../model/i18n/text.ts';
import { WordedError } from '../server/worded-error.ts';

export type ConfigWord = keyof typeof CONFIG_WORDS;

/** BAD_OPTION; a notation of what is expected that has no words in it, such as `1s … 30s`, needs no translation. */
export function badOption(option: string, value: string, expected: string | Text): AppError {
  const text = typeof expected === 'string' ? { en: expected, zh: expected } : expected;
  return new WordedError('BAD_OPTION', { option, value }, { expected: text });
}

/** A text with parameters put in; those that have words are put in in the language of each. */
export function filled(text: Text, params: Readonly<Record<string, Params[string] | Text>>): Text {
  const inLanguage = (lang: keyof Text): string => {
    const values = Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'object' ? value[lang] : value,
    ]);
    return fill(text[lang], Object.fromEntries(values));
  };
  const [en, zh] = LANGUAGES.map(inLanguage);
  return { en: en!, zh: zh! };
}
