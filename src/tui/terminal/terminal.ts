import { EventEmitter } from 'node:events';
import { writeSync } from 'node:fs';
import { emitKeypressEvents, type Interface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Clock } from '../../model/clock.ts';
import type { Line } from '../text/span.ts';
import type { Theme } from '../text/theme.ts';
import { type Frame, frameOf } from './frame.ts';
import { frameChanges } from './frame-diff.ts';
import { InputFilter, type MousePress } from './input-filter.ts';
import { type KeyPress, PasteFilter } from './key-press.ts';

/** Alternate screen, no cursor, no wrapping at the right edge, pasted text marked as such. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J';
/** Reports of buttons and of the wheel, none of mere moving, in the form that has no limit of columns. */
const MOUSE = '\x1b[?1000h\x1b[?1006h';
const LEAVE = '\x1b[0m\x1b[?2026l\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l';
/** A terminal that knows them shows what is sent between at once. Others ignore both. */
const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';

/** A lone Esc is told from the start of an escape sequence by this pause; slow lines tear sequences apart. */
const ESCAPE_MS = 50;
/** What comes through has been waited for. */
const AT_ONCE_MS = 1;

export interface TerminalOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly clock: Clock;
  /** Whether the terminal is to report its mouse. */
  readonly hasMouse: boolean;
  readonly onKey: (key: KeyPress) => void;
  readonly onMouse: (press: MousePress) => void;
  /** The size changed, or the screen has to be drawn anew. */
  readonly onResize: () => void;
  /** A signal asks to end, or the terminal is gone. */
  readonly onEnd: (signal: NodeJS.Signals | null) => void;
}

const STDOUT = 1;

/** The terminal while it is a full screen: takes keys, shows lines, and is given back as it was, whatever happens. */
export class Terminal {
  readonly #options: TerminalOptions;
  readonly #paste = new PasteFilter();
  readonly #filter: InputFilter;
  /** Readline makes keys of what is emitted here. */
  readonly #keys = new EventEmitter();
  #shown: Frame | null = null;
  #isOpen = false;
  #pending: (() => void) | null = null;

  readonly #keypress = (text: string | undefined, key: KeyPress | undefined): void => {
    const press = this.#paste.take(text, key);
    if (press !== null) this.#options.onKey(press);
  };
  readonly #data = (bytes: Buffer): void => this.#filter.take(bytes);
  readonly #resize = (): void => {
    this.#shown = null;
    this.#options.onResize();
  };
  readonly #signal = (signal: NodeJS.Signals): void => this.#options.onEnd(signal);
  readonly #gone = (): void => this.#options.onEnd(null);
  readonly #stop = (): void => this.suspend();
  readonly #continue = (): void => this.#resume();
  readonly #exit = (): void => this.#leave();
  readonly #drained = (): void => {
    const draw = this.#pending;
    this.#pending = null;
    draw?.();
  };

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#filter = new InputFilter({
      after: (ms, run) => options.clock.after(ms, run),
      escapeMs: ESCAPE_MS,
      onKeys: (text) => this.#keys.emit('data', text),
      onMouse: options.onMouse,
    });
  }

  get columns(): number {
    return this.#options.output.columns || 80;
  }

  get rows(): number {
    return this.#options.output.rows || 24;
  }

  open(): void {
    const { input, output } = this.#options;
    // readline reads this option of an interface, and needs nothing else of it.
    const settings = { escapeCodeTimeout: AT_ONCE_MS } as unknown as Interface;
    emitKeypressEvents(this.#keys as unknown as NodeJS.ReadableStream, settings);
    this.#keys.on('keypress', this.#keypress);
    input.on('data', this.#data);
    input.on('end', this.#gone);
    input.on('error', this.#gone);
    output.on('resize', this.#resize);
    output.on('drain', this.#drained);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, this.#signal);
    process.on('SIGTSTP', this.#stop);
    process.on('SIGCONT', this.#continue);
    // The last resort: whoever ends the process, the terminal is given back, before an error is printed on it.
    process.on('exit', this.#exit);
    process.on('uncaughtExceptionMonitor', this.#exit);
    this.#enter();
  }

  close(): void {
    const { input, output } = this.#options;
    this.#leave();
    this.#keys.off('keypress', this.#keypress);
    input.off('data', this.#data);
    input.off('end', this.#gone);
    input.off('error', this.#gone);
    output.off('resize', this.#resize);
    output.off('drain', this.#drained);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.off(signal, this.#signal);
    process.off('SIGTSTP', this.#stop);
    process.off('SIGCONT', this.#continue);
    process.off('exit', this.#exit);
    process.off('uncaughtExceptionMonitor', this.#exit);
  }

  /** Shows lines. Where the line to the terminal is slower than the frames, frames are left out, and `again` draws the next. */
  show(lines: readonly Line[], theme: Theme, again: () => void): void {
    const { output } = this.#options;
    if (!this.#isOpen) return;
    if (output.writableNeedDrain) {
      this.#pending = again;
      return;
    }
    const { columns, rows } = this;
    const known = this.#shown?.columns === columns && this.#shown.rows === rows ? this.#shown : null;
    const frame = frameOf(lines, columns, rows);
    const changes = frameChanges(known, frame, theme);
    this.#shown = frame;
    if (changes === '') return;
    this.#write(`${BEGIN}${known === null ? '\x1b[0m\x1b[2J' : ''}${changes}${END}`);
  }

  /** Everything is drawn at the next frame: another program has written over it, or the theme is another one. */
  forget(): void {
    this.#shown = null;
  }

  /** Gives the terminal back and stops, as Ctrl-Z does; it goes on where the shell says so. */
  suspend(): void {
    this.#leave();
    process.kill(process.pid, 'SIGSTOP');
  }

  #resume(): void {
    this.#leave();
    this.#enter();
    this.#resize();
  }

  #enter(): void {
    const { input, hasMouse } = this.#options;
    if (this.#isOpen) return;
    this.#isOpen = true;
    input.setRawMode(true);
    input.resume();
    this.#write(hasMouse ? ENTER + MOUSE : ENTER);
    this.#shown = null;
  }

  #leave(): void {
    const { input } = this.#options;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      // At the end of the process nothing that is queued would be written any more.
      writeSync(STDOUT, LEAVE);
    } catch {
      // The terminal is gone, or it takes nothing now: there is nobody to give it back to.
    }
    try {
      input.setRawMode(false);
      input.pause();
    } catch {
      // As above.
    }
  }

  #write(text: string): void {
    this.#options.output.write(text);
  }
}
