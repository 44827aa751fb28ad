import { StringDecoder } from 'node:string_decoder';
import type { Stop } from '../../model/clock.ts';

/** What a mouse did, and in which cell of the screen, counted from 0. */
export interface MousePress {
  readonly kind: 'click' | 'wheel-up' | 'wheel-down';
  readonly column: number;
  readonly row: number;
}

/**
 * A report of xterm's mode 1006: button, column and row from 1; M where a button goes down, m where it comes up. Terminals
 * without that mode send three characters instead, which are no keys either.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a terminal sends.
const REPORT = /\x1b\[<([\d;]*)([Mm])|\x1b\[M.{3}/s;
/** The beginning of one, at the end of what has come so far. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const BEGUN = /\x1b(?:\[(?:<[\d;]*|M.{0,2})?)?$/s;
/** From so many characters on it can be nothing else. */
const CERTAIN = 3;

/** Shift, Alt and Ctrl, by which a button is reported with another number. */
const MODIFIERS = 4 | 8 | 16;
const KINDS = new Map<number, MousePress['kind']>([
  [0, 'click'],
  [64, 'wheel-up'],
  [65, 'wheel-down'],
]);

export interface InputFilterOptions {
  readonly after: (ms: number, run: () => void) => Stop;
  /** How long an escape sequence may be torn apart; an Esc that is followed by nothing for so long is a key. */
  readonly escapeMs: number;
  readonly onKeys: (text: string) => void;
  readonly onMouse: (press: MousePress) => void;
}

/** Parts what a terminal sends into keys and what the mouse did, wherever the line tears it apart. */
export class InputFilter {
  readonly #options: InputFilterOptions;
  readonly #decoder = new StringDecoder('utf8');
  #held = '';
  #stopWaiting: Stop = () => {};

  constructor(options: InputFilterOptions) {
    this.#options = options;
  }

  take(bytes: Buffer): void {
    this.#stopWaiting();
    let text = this.#held + this.#decoder.write(bytes);
    for (let report = REPORT.exec(text); report !== null; report = REPORT.exec(text)) {
      this.#keys(text.slice(0, report.index));
      this.#report(report);
      text = text.slice(report.index + report[0].length);
    }
    this.#held = BEGUN.exec(text)?.[0] ?? '';
    this.#keys(text.slice(0, text.length - this.#held.length));
    if (this.#held !== '') this.#stopWaiting = this.#options.after(this.#options.escapeMs, () => this.#release());
  }

  #report([, numbers, end]: RegExpExecArray): void {
    const [button = 0, column = 0, row = 0] = (numbers ?? '').split(';').map(Number);
    const kind = KINDS.get(button & ~MODIFIERS);
    if (kind === undefined || end !== 'M' || column < 1 || row < 1) return;
    this.#options.onMouse({ kind, column: column - 1, row: row - 1 });
  }

  /** What has begun is not continued: keys, unless it was a report of which the end got lost. */
  #release(): void {
    const held = this.#held;
    this.#held = '';
    if (held.length < CERTAIN) this.#keys(held);
  }

  #keys(text: string): void {
    if (text !== '') this.#options.onKeys(text);
  }
}
