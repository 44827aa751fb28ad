import type { ApiEvent } from '../../model/api.ts';
import type { GpuEvent } from '../../model/event.ts';
import { eventText } from '../../model/i18n/event-text.ts';
import type { Lang } from '../../model/i18n/text.ts';

/** An event with its sentence in one language. */
export function apiEvent(event: GpuEvent, lang: Lang): ApiEvent {
  const { at, kind, severity, uuid, params, key } = event;
  const text = eventText(event, lang);
  return { at, kind, severity, uuid, params, text, ...(key !== undefined && { key }) };
}
