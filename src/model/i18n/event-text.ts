import { reasonsIn } from '../clock-events.ts';
import type { GpuEvent } from '../event.ts';
import { EVENT_MESSAGES } from './messages-events.ts';
import { fill, type Lang } from './text.ts';

/** The sentence for an event. The bit set in `reasons` is spelt out; every other parameter is put in as it is. */
export function eventText(event: Pick<GpuEvent, 'kind' | 'params'>, lang: Lang): string {
  const { reasons } = event.params;
  const params = typeof reasons === 'number' ? { ...event.params, reasons: reasonWords(reasons, lang) } : event.params;
  return fill(EVENT_MESSAGES[`event.${event.kind}`][lang], params);
}

/** The reasons in a mask as short words, or an empty string where none is set. */
export function reasonWords(mask: number, lang: Lang): string {
  return reasonsIn(mask)
    .map((reason) => reason.word[lang])
    .join(lang === 'zh' ? '、' : ', ');
}
