import { AppError } from '../model/errors.ts';
import type { ErrorCode } from '../model/i18n/errors.ts';
import { fill, type Lang, type Params, type Text } from '../model/i18n/text.ts';

/** A failure whose parameters have words in them, which differ from language to language. */
export class WordedError extends AppError {
  readonly #words: Readonly<Record<string, Text>>;

  constructor(code: ErrorCode, params: Params, words: Readonly<Record<string, Text>>) {
    super(code, { ...params, ...inLanguage(words, 'en') });
    this.#words = words;
  }

  override text(lang: Lang): string {
    return fill(this.entry.message[lang], { ...this.params, ...inLanguage(this.#words, lang) });
  }

  override hint(lang: Lang): string {
    return fill(this.entry.hint[lang], { ...this.params, ...inLanguage(this.#words, lang) });
  }
}

function inLanguage(words: Readonly<Record<string, Text>>, lang: Lang): Params {
  return Object.fromEntries(Object.entries(words).map(([name, text]) => [name, text[lang]]));
}
