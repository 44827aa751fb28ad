import { CONDITIONS } from '../../client/condition.ts';
import { wrapped } from '../text/flow.ts';
import { fitLine, type Line, lineWidth, span } from '../text/span.ts';
import { padded, textWidth } from '../text/width.ts';
import { KEY_BINDINGS, keyLabels } from '../ui/keys.ts';
import { type Brush, conditionWord } from './brush.ts';
import { CONDITION_TONES } from './glyphs.ts';

const GAP = 2;

/** Every key, and what the glyphs of the states mean; in two columns where there is room for them. */
export function helpLines(width: number, room: number, brush: Brush): readonly Line[] {
  const { t } = brush;
  const keys = keyLines(brush);
  const states: readonly Line[] = [[span(t('top.help.states'), 'title')], ...stateLines(brush)];
  const half = Math.floor((width - GAP) / 2);
  const isWide = Math.max(...keys.map(lineWidth)) <= half;
  const body = isWide ? besides([...keys, [], ...states], half, brush) : [...keys, [], ...states];
  const mouse = wrapped(t('top.help.mouse'), width).map((text): Line => [span(text, 'quiet')]);
  const lines = [...mouse, [], ...body, [], [span(t('top.help.dash'), 'quiet')]];
  const more = lines.length + 1 > room ? [span(`   ${t('top.help.scroll')}`, 'quiet')] : [];
  return [[span(t('top.help.title'), 'title'), ...more], ...lines];
}

function keyLines({ t }: Brush): readonly Line[] {
  const labels = Math.max(...KEY_BINDINGS.map((binding) => textWidth(keyLabels(binding))));
  return KEY_BINDINGS.map((binding) => [
    span(`  ${padded(keyLabels(binding), labels)}  `, 'accent'),
    span(t(`top.key.${binding.action}`)),
  ]);
}

function stateLines(brush: Brush): readonly Line[] {
  return CONDITIONS.map((condition) => {
    const tone = CONDITION_TONES[condition];
    return [span(`  ${brush.glyphs.condition[condition]} `, tone), span(conditionWord(condition, brush), tone)];
  });
}

/** The second half of the lines beside the first. */
function besides(lines: readonly Line[], width: number, { glyphs }: Brush): readonly Line[] {
  const down = Math.ceil(lines.length / 2);
  return lines.slice(0, down).map((line, i) => {
    return [...fitLine(line, width, glyphs.mark), span(' '.repeat(GAP)), ...(lines[down + i] ?? [])];
  });
}
