import type { FleetRow } from '../data/fleet.ts';
import { SPANS_MS } from '../data/history.ts';
import { THEMES } from '../text/theme.ts';
import type { Settings } from './state.ts';

/** A line of the setup: something to switch on and off, a choice, or a GPU to show or hide. */
export type SetupItem =
  | { readonly kind: 'charts' | 'events' | 'tree' | 'ascii' | 'theme' | 'span' }
  | { readonly kind: 'gpu'; readonly uuid: string };

export function setupItems(cards: readonly FleetRow[]): readonly SetupItem[] {
  const kinds = ['charts', 'events', 'tree', 'ascii', 'theme', 'span'] as const;
  return [...kinds.map((kind) => ({ kind })), ...cards.map(({ gpu }) => ({ kind: 'gpu' as const, uuid: gpu.uuid }))];
}

/** The settings after an item was chosen; null where it would hide the last GPU. */
export function changeSetting(settings: Settings, item: SetupItem, cards: readonly FleetRow[]): Settings | null {
  switch (item.kind) {
    case 'charts':
      return { ...settings, hasCharts: !settings.hasCharts };
    case 'events':
      return { ...settings, hasEvents: !settings.hasEvents };
    case 'tree':
      return { ...settings, isTree: !settings.isTree };
    case 'ascii':
      return { ...settings, isAscii: !settings.isAscii };
    case 'theme':
      return { ...settings, theme: THEMES[(THEMES.indexOf(settings.theme) + 1) % THEMES.length] ?? settings.theme };
    case 'span': {
      const index = (SPANS_MS as readonly number[]).indexOf(settings.spanMs);
      return { ...settings, spanMs: SPANS_MS[(index + 1) % SPANS_MS.length] ?? settings.spanMs };
    }
    case 'gpu': {
      if (settings.hidden.includes(item.uuid)) {
        return { ...settings, hidden: settings.hidden.filter((uuid) => uuid !== item.uuid) };
      }
      const shown = cards.filter(({ gpu }) => !settings.hidden.includes(gpu.uuid));
      return shown.length <= 1 ? null : { ...settings, hidden: [...settings.hidden, item.uuid] };
    }
  }
}
