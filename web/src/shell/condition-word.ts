import type { Condition } from '../../../src/client/condition.ts';
import type { PageTranslate } from '../../../src/model/i18n/page-messages.ts';

/** The word for a condition. */
export function conditionWord(condition: Condition, t: PageTranslate): string {
  switch (condition) {
    case 'errors':
    case 'full':
    case 'light':
    case 'unknown':
      return t(`web.state.${condition}`);
    default:
      return t(`state.${condition}`);
  }
}
