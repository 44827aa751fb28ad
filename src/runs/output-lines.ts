import { StringDecoder } from 'node:string_decoder';

/** A line of a program's output. A progress bar draws over its line: `isRedrawn` where more of the same line follows. */
export interface OutputLine {
  readonly text: string;
  readonly isRedrawn: boolean;
}

/** What is longer is cut in pieces: nobody reads it as one line. */
const LONGEST = 16_384;

/** Sequences that move the cursor or set colours, and window titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_=>78])/g;

/** A carriage return at the very end may still be the first half of a line feed. */
const LINE_END = /\r*\n|\r+(?=[^\r\n])/g;

/** Cuts output into lines, wherever its pieces are cut: at line feeds, and at carriage returns that draw over a line. */
export class OutputLines {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  push(bytes: Uint8Array): OutputLine[] {
    const text = this.#rest + this.#decoder.write(Buffer.from(bytes));
    const lines: OutputLine[] = [];
    let start = 0;
    LINE_END.lastIndex = 0;
    for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
      start = cutLong(text, start, end.index, lines);
      const isRedrawn = !end[0].endsWith('\n');
      if (!isRedrawn || end.index > start) addLine(text.slice(start, end.index), isRedrawn, lines);
      start = LINE_END.lastIndex;
    }
    this.#rest = text.slice(cutLong(text, start, text.length, lines));
    return lines;
  }

  /** What came last, without a line end. */
  end(): OutputLine[] {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    const lines: OutputLine[] = [];
    if (rest !== '') addLine(rest, false, lines);
    return lines;
  }
}

/** Gives out pieces of what is too long for a line, and where the rest of it begins. */
function cutLong(text: string, start: number, end: number, lines: OutputLine[]): number {
  let at = start;
  for (; end - at > LONGEST; at += LONGEST) addLine(text.slice(at, at + LONGEST), false, lines);
  return at;
}

function addLine(text: string, isRedrawn: boolean, lines: OutputLine[]): void {
  const plain = text.includes('\u001b') ? text.replaceAll(ESCAPES, '') : text;
  lines.push({ text: plain.replaceAll('\r', '').trimEnd(), isRedrawn });
}
