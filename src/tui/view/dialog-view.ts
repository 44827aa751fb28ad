import { fitLine, type Line, lineWidth, onGround, span, withTarget } from '../text/span.ts';
import { harmless } from '../text/width.ts';
import { type ProcessEntry, SORTS } from '../ui/process-rows.ts';
import { type Dialog, type Settings, SIGNALS } from '../ui/state.ts';
import type { Brush } from './brush.ts';
import { ownerText } from './process-table.ts';

/** The lines of a dialog, to be laid over the end of the screen. */
export function dialogLines(dialog: Dialog, settings: Settings, width: number, brush: Brush): readonly Line[] {
  const lines = dialogText(dialog, settings, brush);
  const wanted = Math.min(width, Math.max(...lines.map(lineWidth)) + 4);
  const { mark } = brush.glyphs;
  const framed = lines.map((line, i) => {
    const padded = fitLine([span('  '), ...line], wanted, mark);
    if (dialog.kind === 'confirm') return onGround(padded, 'bar');
    const isChosen = i === dialog.index + 1;
    const isChoice = i > 0 && i < lines.length - 1;
    const target = isChoice ? ({ kind: 'choice', index: i - 1 } as const) : null;
    return withTarget(onGround(padded, isChosen ? 'selected' : 'bar'), target);
  });
  return framed;
}

function dialogText(dialog: Dialog, settings: Settings, brush: Brush): readonly Line[] {
  const { t, glyphs } = brush;
  switch (dialog.kind) {
    case 'sort':
      return [
        [span(t('top.sort-title'), 'title')],
        ...SORTS.map((sort): Line => {
          const sign = settings.isDescending ? glyphs.descending : glyphs.ascending;
          return [span(t(`top.sort.${sort}`)), span(sort === settings.sort ? ` ${sign}` : '', 'accent')];
        }),
        [span(t('top.sort-help'), 'quiet')],
      ];
    case 'signal':
      return [
        [span(t('top.kill.title', wordsOf(dialog.target)), 'title')],
        ...SIGNALS.map((signal): Line => [span(signal.padEnd(9), 'strong'), span(t(`top.signal.${signal}`), 'quiet')]),
        [span(t('top.kill.help'), 'quiet')],
      ];
    case 'confirm':
      return [
        [span(t('top.kill.confirm', { ...wordsOf(dialog.target), signal: dialog.signal }), 'critical')],
        [span(harmless(dialog.target.process.command ?? ''), 'quiet')],
        [span(t('top.kill.yes-no'))],
      ];
  }
}

function wordsOf(entry: ProcessEntry): { pid: number; name: string; owner: string } {
  const { pid, name } = entry.process;
  return { pid, name: harmless(name ?? '?'), owner: ownerText(entry) };
}
