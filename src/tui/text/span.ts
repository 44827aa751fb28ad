import type { Target } from '../ui/target.ts';
import { cut, textWidth } from './width.ts';

/** What a piece of text means; the theme says how that looks. Colour is for state alone. */
export const TONES = [
  ...(['text', 'quiet', 'strong', 'title', 'accent'] as const),
  ...(['critical', 'warning', 'waste', 'chart', 'peak'] as const),
] as const;
export type Tone = (typeof TONES)[number];

/** What lies behind a piece of text: nothing, the filled and the empty part of a meter, the selected row, a bar. */
export const GROUNDS = ['none', 'fill', 'track', 'selected', 'bar', 'alarm'] as const;
export type Ground = (typeof GROUNDS)[number];

/** A piece of a line that looks the same throughout. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
  readonly ground: Ground;
  /** What a click on it means; null for nothing, and without it as for what is left of it on the line. */
  readonly target?: Target | null;
}

/** One line of the screen. What it does not fill is blank. */
export type Line = readonly Span[];

export function span(text: string, tone: Tone = 'text', ground: Ground = 'none'): Span {
  return { text, tone, ground };
}

export function lineWidth(line: Line): number {
  let width = 0;
  for (const { text } of line) width += textWidth(text);
  return width;
}

/** What of a line that is wider than `width` fits into it. */
function cutLine(line: Line, width: number, mark: string): Line {
  const kept: Span[] = [];
  let room = width;
  for (const [i, each] of line.entries()) {
    const wanted = textWidth(each.text);
    // What follows is cut too: the mark then needs its place here.
    const isLast = wanted > room || (wanted === room && i < line.length - 1);
    if (!isLast) {
      kept.push(each);
      room -= wanted;
      continue;
    }
    const text = wanted > room ? cut(each.text, room, mark) : cut(`${each.text} `, room, mark);
    kept.push({ ...each, text });
    break;
  }
  return kept;
}

/** The line in exactly `width` places, at its left or right end; the rest has `ground`. */
export function fitLine(
  line: Line,
  width: number,
  mark: string,
  ground: Ground = 'none',
  align: 'left' | 'right' = 'left',
): Line {
  const places = lineWidth(line);
  if (places === width) return line;
  const kept = places < width ? line : cutLine(line, width, mark);
  const gap = width - (places < width ? places : lineWidth(kept));
  if (gap <= 0) return kept;
  const blank = ground === 'none' ? blankSpan(gap) : span(' '.repeat(gap), 'text', ground);
  return align === 'left' ? kept.concat(blank) : [blank].concat(kept);
}

const BLANKS: Span[] = [];

/** So many places with nothing in them. Most cells have some, and most of these are as wide as many others. */
function blankSpan(places: number): Span {
  const known = BLANKS[places];
  if (known !== undefined) return known;
  const blank = span(' '.repeat(places));
  if (places < MOST_BLANKS) BLANKS[places] = blank;
  return blank;
}

const MOST_BLANKS = 512;

/** A line with something at its right end; the left part gives way. */
export function leftAndRight(left: Line, right: Line, width: number, mark: string): Line {
  const rightWidth = lineWidth(right);
  if (rightWidth + 1 >= width) return fitLine(left, width, mark);
  return [...fitLine(left, width - rightWidth - 1, mark), span(' '), ...right];
}

/** The line on another ground; meters keep theirs. */
export function onGround(line: Line, ground: Ground): Line {
  return line.map((each) => (each.ground === 'none' ? { ...each, ground } : each));
}

/** Spans with something between each two. */
export function joined(parts: readonly Line[], between: Span): Line {
  return parts.flatMap((part, i) => (i === 0 ? part : [between, ...part]));
}

/** The line as something that can be clicked on, as far as nothing in it says otherwise. */
export function withTarget(line: Line, target: Target | null): Line {
  const first = line[0];
  if (first === undefined) return line;
  const marked = line.slice();
  marked[0] = { ...first, target };
  return marked;
}
