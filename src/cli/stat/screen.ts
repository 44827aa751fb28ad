import { fitLine } from '../fit-line.ts';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const OTHER_SCREEN = '\u001b[?1049h';
const MAIN_SCREEN = '\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE_END = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** Shows frames in place. A pipe or a file gets them one behind the other, without any code of a terminal. */
export interface Screen {
  show(lines: readonly string[]): void;
  /** Gives the terminal back as it was, with the last frame on it. */
  close(): void;
}

export function openScreen(out: NodeJS.WriteStream): Screen {
  if (out.isTTY !== true) {
    return { show: (lines) => void out.write(lines.map((line) => `${line}\n`).join('')), close: () => {} };
  }
  let frame: readonly string[] = [];
  const draw = (): void => {
    const width = out.columns || 80;
    const room = (out.rows || 24) - 1;
    const shown = frame.length <= room ? frame : [...frame.slice(0, room - 1), `… +${frame.length - room + 1}`];
    const text = shown.map((line) => `${fitLine(line, width)}${CLEAR_LINE_END}\n`).join('');
    // One write for a frame: nothing is cleared before what takes its place is there.
    out.write(HOME + text + CLEAR_BELOW);
  };
  const restore = (): void => void out.write(SHOW_CURSOR + MAIN_SCREEN);
  out.write(OTHER_SCREEN + HIDE_CURSOR);
  out.on('resize', draw);
  process.once('exit', restore);
  return {
    show: (lines) => {
      frame = lines;
      draw();
    },
    close: () => {
      process.removeListener('exit', restore);
      out.removeListener('resize', draw);
      restore();
      for (const line of frame) out.write(`${fitLine(line, out.columns || 80)}\n`);
    },
  };
}
