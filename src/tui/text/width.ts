/** Blocks of East Asian wide and fullwidth characters (UAX #11), from and to inclusive. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/** Marks that are drawn over the character before them, and characters that are not drawn at all. */
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;
const ASCII = /^[\x20-\x7e]*$/;
/** C0 and C1 controls, and the marks that turn the direction of text: a name must not write to the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Widths of the characters up to U+FFFF that were asked for before, plus one: a screen draws the same few again and again. */
const known = new Uint8Array(0x1_0000);
/** Below this code point every character takes one place. */
const NARROW_END = 0x300;

/** Places that one character (a code point) takes on a terminal: 0, 1 or 2. */
export function charWidth(char: string): 0 | 1 | 2 {
  return codeWidth(char.codePointAt(0) ?? 0);
}

/** The same of a code point. */
export function codeWidth(code: number): 0 | 1 | 2 {
  if (code < NARROW_END) return 1;
  const before = known[code] ?? 0;
  if (before > 0) return (before - 1) as 0 | 1 | 2;
  const width = measuredWidth(code);
  if (code < known.length) known[code] = width + 1;
  return width;
}

function measuredWidth(code: number): 0 | 1 | 2 {
  const char = String.fromCodePoint(code);
  if (ZERO.test(char)) return 0;
  for (const [from, to] of WIDE) {
    if (code < from) break;
    if (code <= to) return 2;
  }
  return EMOJI.test(char) ? 2 : 1;
}

/** Places that a text takes on a terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) < NARROW_END) {
      width++;
      continue;
    }
    const code = text.codePointAt(at)!;
    if (code > 0xffff) at++;
    width += codeWidth(code);
  }
  return width;
}

/** A text from outside, such as a command line, without anything that a terminal would act on. */
export function harmless(text: string): string {
  return ASCII.test(text) ? text : text.replace(CONTROL, '·');
}

/** The text in at most `width` places; where it is cut it ends in `mark`. */
export function cut(text: string, width: number, mark = '…'): string {
  if (width <= 0) return '';
  if (textWidth(text) <= width) return text;
  let taken = '';
  let room = width - textWidth(mark);
  for (const char of text) {
    room -= charWidth(char);
    if (room < 0) break;
    taken += char;
  }
  return taken + mark;
}

/** What is left of a text when its first `places` are scrolled out of sight; half a wide character becomes a space. */
export function scrolled(text: string, places: number): string {
  if (places <= 0) return text;
  if (ASCII.test(text)) return text.slice(places);
  let gone = 0;
  let at = 0;
  for (const char of text) {
    if (gone >= places) break;
    gone += charWidth(char);
    at += char.length;
  }
  return ' '.repeat(Math.max(0, gone - places)) + text.slice(at);
}

/** The text in exactly `width` places. */
export function padded(text: string, width: number, align: 'left' | 'right' = 'left', mark = '…'): string {
  const places = textWidth(text);
  if (places === width) return text;
  const kept = places < width ? text : cut(text, width, mark);
  const gap = ' '.repeat(Math.max(0, width - (places < width ? places : textWidth(kept))));
  return align === 'left' ? kept + gap : gap + kept;
}
