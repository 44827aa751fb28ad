import { displayWidth } from './text-table.ts';

/** A colour, or the end of one: `ESC [ … m`. */
const SGR = new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m)`);

/**
 * The line in at most `width` places of a terminal. What is too long ends behind a word, never in the middle of a number, and
 * with an ellipsis. Colours take no place and are ended where the line is cut.
 */
export function fitLine(line: string, width: number): string {
  const bare = line.replaceAll(new RegExp(SGR, 'g'), '');
  if (displayWidth(bare) <= width) return line;
  const room = Math.max(1, width - 1);
  let places = 0;
  let length = 0;
  for (const character of bare) {
    places += displayWidth(character);
    if (places > room) break;
    length += character.length;
  }
  const isWordEnd = bare[length] === ' ';
  const lastSpace = bare.lastIndexOf(' ', length - 1);
  const kept = isWordEnd || lastSpace <= 0 ? length : lastSpace;
  return `${head(line, kept).trimEnd()}…`;
}

/** The first so many characters that are no colours, with the colours among them. */
function head(line: string, length: number): string {
  let left = length;
  let text = '';
  let isColoured = false;
  for (const [i, part] of line.split(SGR).entries()) {
    if (i % 2 === 1) {
      if (left > 0 || part === RESET) text += part;
      isColoured = left > 0 ? part !== RESET : isColoured && part !== RESET;
    } else {
      text += part.slice(0, left);
      left = Math.max(0, left - part.length);
    }
    if (left === 0 && !isColoured) break;
  }
  return isColoured ? text + RESET : text;
}

const RESET = '\u001b[0m';
