import { duration, shortDeviceName } from '../../model/format.ts';
import type { FleetRow } from '../data/fleet.ts';
import { fitLine, type Line, onGround, span } from '../text/span.ts';
import { harmless } from '../text/width.ts';
import { type SetupItem, setupItems } from '../ui/setup-items.ts';
import type { Settings } from '../ui/state.ts';
import type { Brush } from './brush.ts';
import { gpuLabel } from './gpu-words.ts';

/** What can be switched on and off, and every GPU to show or hide. */
export function setupLines(
  settings: Settings,
  cards: readonly FleetRow[],
  chosen: number,
  width: number,
  brush: Brush,
): readonly Line[] {
  const { t, glyphs } = brush;
  const items = setupItems(cards);
  const index = Math.min(chosen, items.length - 1);
  const lines = items.map((item, i): Line => {
    const isOn = isSwitchedOn(item, settings);
    const box = isOn === null ? ' ' : isOn ? glyphs.checked : glyphs.unchecked;
    const line = fitLine(
      [span(`  ${box} `, 'accent'), span(itemWords(item, settings, cards, brush))],
      width,
      glyphs.mark,
    );
    return i === index ? onGround(line, 'selected') : line;
  });
  return [[span(t('top.setup.title'), 'title'), span(`   ${t('top.setup.help')}`, 'quiet')], ...lines];
}

/** Null for what is a choice and no switch. */
function isSwitchedOn(item: SetupItem, settings: Settings): boolean | null {
  switch (item.kind) {
    case 'charts':
      return settings.hasCharts;
    case 'events':
      return settings.hasEvents;
    case 'tree':
      return settings.isTree;
    case 'ascii':
      return settings.isAscii;
    case 'gpu':
      return !settings.hidden.includes(item.uuid);
    case 'theme':
    case 'span':
      return null;
  }
}

function itemWords(item: SetupItem, settings: Settings, cards: readonly FleetRow[], { t, lang }: Brush): string {
  switch (item.kind) {
    case 'theme':
      return t('top.setup.theme', { theme: t(`top.theme.${settings.theme}`) });
    case 'span':
      return t('top.setup.span', { span: duration(settings.spanMs, lang) });
    case 'gpu': {
      const gpu = cards.find((card) => card.gpu.uuid === item.uuid)?.gpu;
      return gpu === undefined ? item.uuid : `GPU ${gpuLabel(gpu)} ${harmless(shortDeviceName(gpu.name))}`;
    }
    default:
      return t(`top.setup.${item.kind}`);
  }
}
