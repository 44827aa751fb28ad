import { type Line, lineWidth, type Span } from './span.ts';
import { charWidth, textWidth } from './width.ts';

/** The parts in as many lines as they need, each part whole, with something between each two on a line. */
export function flowed(parts: readonly Line[], between: Span, width: number): readonly Line[] {
  const gap = lineWidth([between]);
  const lines: Line[] = [];
  let room = 0;
  for (const part of parts) {
    const wanted = lineWidth(part);
    const line = lines.at(-1);
    if (line !== undefined && wanted + gap <= room) {
      lines[lines.length - 1] = [...line, between, ...part];
      room -= wanted + gap;
    } else {
      lines.push(part);
      room = width - wanted;
    }
  }
  return lines;
}

/** The text in lines of at most `width` places, broken at spaces, and within a word where that is longer than a line. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<= )/)) {
    // A space at the end of a line needs no place.
    if (line !== '' && textWidth(line) + textWidth(word.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    for (const char of word) {
      if (char !== ' ' && textWidth(line) + charWidth(char) > Math.max(2, width)) {
        lines.push(line);
        line = '';
      }
      line += char;
    }
  }
  return [...lines, line.trimEnd()];
}
