import type { GpuEvent } from '../../model/event.ts';
import { LANGUAGES, type Lang } from '../../model/i18n/text.ts';
import type { Changes } from '../wire/api-changes.ts';
import { apiEvent } from '../wire/api-event.ts';

/** A tick message, made once for all clients and ready to be written. */
export interface Frame {
  /** The next message has the next number. */
  readonly number: number;
  /** The same buffer where no text is in it. */
  readonly bytes: Readonly<Record<Lang, Buffer>>;
  /** Memory it takes. */
  readonly size: number;
}

export function tickFrame(number: number, id: string, changes: Changes, events: readonly GpuEvent[]): Frame {
  if (events.length === 0) {
    const bytes = message('tick', id, JSON.stringify({ ...changes, events }));
    return { number, bytes: { en: bytes, zh: bytes }, size: bytes.length };
  }
  const start = JSON.stringify(changes).slice(0, -1);
  const inLanguage = (lang: Lang): Buffer => {
    const texts = JSON.stringify(events.map((event) => apiEvent(event, lang)));
    return message('tick', id, `${start},"events":${texts}}`);
  };
  const bytes: Record<Lang, Buffer> = { en: inLanguage('en'), zh: inLanguage('zh') };
  return { number, bytes, size: LANGUAGES.reduce((sum, lang) => sum + bytes[lang].length, 0) };
}

export function snapshotMessage(id: string, json: string): Buffer {
  return message('snapshot', id, json);
}

/** A server-sent event. JSON holds no line break, so its data is one line. */
function message(event: 'snapshot' | 'tick', id: string, json: string): Buffer {
  return Buffer.from(`event: ${event}\nid: ${id}\ndata: ${json}\n\n`);
}
