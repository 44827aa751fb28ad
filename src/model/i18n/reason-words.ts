import { reasonsIn } from '../clock-events.ts';
import type { Lang } from './text.ts';

/** The reasons in a mask as short words, or an empty string where none is set. */
export function reasonWords(mask: number, lang: Lang): string {
  return reasonsIn(mask)
    .map((reason) => reason.word[lang])
    .join(lang === 'zh' ? '、' : ', ');
}
