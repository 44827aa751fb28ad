import type { GpuEvent } from '../event.ts';
import { EVENT_MESSAGES } from './messages-events.ts';
import { reasonWords } from './reason-words.ts';
import { fill, type Lang, type Params } from './text.ts';
import { xidWords } from './xid-words.ts';

/** The sentence for an event. The bit set in `reasons` and the number of an Xid are spelt out. */
export function eventText(event: Pick<GpuEvent, 'kind' | 'params'>, lang: Lang): string {
  return fill(EVENT_MESSAGES[`event.${event.kind}`][lang], wordsFor(event, lang));
}

function wordsFor({ kind, params }: Pick<GpuEvent, 'kind' | 'params'>, lang: Lang): Params {
  if (kind === 'xid' || kind === 'sxid') return xidWords(params, lang);
  const { reasons } = params;
  return typeof reasons === 'number' ? { ...params, reasons: reasonWords(reasons, lang) } : params;
}
