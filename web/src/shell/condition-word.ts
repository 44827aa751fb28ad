import type { Condition } from '../../../src/client/condition.ts';
import type { Translate } from '../../../src/model/i18n/messages.ts';

/** The word for a condition. */
export function conditionWord(condition: Condition, t: Translate): string {
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
