import { fitLine, type Line, type Span, span } from '../text/span.ts';
import { harmless } from '../text/width.ts';
import { KEY_BINDINGS, keyLabel } from '../ui/keys.ts';
import type { UiState } from '../ui/state.ts';
import type { Brush } from './brush.ts';

/** The last line: what was just said, the filter that is being typed, or the keys that matter most. */
export function footerLine(state: UiState, canKill: boolean, width: number, brush: Brush): Line {
  const { t, glyphs } = brush;
  const { notice, isFiltering, filter } = state;
  if (isFiltering) {
    const typed = [span(t('top.filter'), 'accent'), span(harmless(filter), 'strong'), span(glyphs.cursor, 'accent')];
    return fitLine([...typed, span(`   ${t('top.filter-help')}`, 'quiet')], width, glyphs.mark);
  }
  if (notice !== null) return fitLine([span(harmless(notice.text), notice.tone)], width, glyphs.mark);
  const kept = filter === '' ? [] : [span(t('top.filter'), 'accent'), span(`${harmless(filter)}  `, 'strong')];
  return fitLine([...kept, ...keyBar(state, canKill, width, brush)], width, glyphs.mark);
}

function keyBar({ view }: UiState, canKill: boolean, width: number, { t }: Brush): Line {
  const keys: [string, string][] = [];
  if (view === 'main') keys.push(['return', t('top.bar.open')]);
  if (view !== 'main') keys.push(['escape', t('top.bar.back')]);
  if (view === 'setup') keys.push(['f12', t('top.bar.save')]);
  const isList = view === 'main' || view === 'gpu';
  for (const { action, keys: bound, bar } of KEY_BINDINGS) {
    if (bar === undefined || bound[0] === undefined) continue;
    if (action === 'kill' && !canKill) continue;
    if (!isList && action !== 'help' && action !== 'quit' && (action !== 'kill' || view !== 'process')) continue;
    keys.push([bound[0], t(`top.bar.${bar}`)]);
  }
  // What does not fit at all is left out; a word cut in the middle would help nobody.
  const spans: Span[] = [];
  let room = width;
  for (const [key, word] of keys) {
    const label = keyLabel(key);
    room -= label.length + word.length * (/[^\x20-\x7e]/.test(word) ? 2 : 1) + 3;
    if (room < -1) break;
    spans.push({ ...span(label, 'accent'), target: { kind: 'key', name: key } }, span(` ${word}  `, 'quiet'));
  }
  return [...spans, { ...span(''), target: null }];
}
