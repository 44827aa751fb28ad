import type { Condition } from '../../client/condition.ts';
import type { Translate } from '../../model/i18n/messages.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Millis } from '../../model/reading.ts';
import { type Span, span, type Tone } from '../text/span.ts';
import type { Glyphs } from './glyphs.ts';

/** What every view needs to draw: words, characters, and what time it is for the data. */
export interface Brush {
  readonly t: Translate;
  readonly lang: Lang;
  readonly glyphs: Glyphs;
  /** "Now" for charts and ages: that of the source, which for a recording is its newest tick. */
  readonly now: Millis;
}

/** The word for a condition. */
export function conditionWord(condition: Condition, { t }: Brush): string {
  switch (condition) {
    case 'errors':
    case 'full':
    case 'light':
    case 'unknown':
      return t(`top.state.${condition}`);
    default:
      return t(`state.${condition}`);
  }
}

/** A figure, or the dash for one that is not there. */
export function figure(text: string | null, { glyphs }: Brush, tone: Tone = 'text'): Span {
  return text === null ? span(glyphs.dash, 'quiet') : span(text, tone);
}

/** Words between which the language puts its own comma. */
export function listed(words: readonly string[], { lang }: Brush): string {
  return words.join(lang === 'zh' ? '、' : ', ');
}

/** A remark behind a word, in the brackets of the language. */
export function bracketed(word: string, remark: string, { lang }: Brush): string {
  return lang === 'zh' ? `${word}（${remark}）` : `${word} (${remark})`;
}
