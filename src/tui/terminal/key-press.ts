/** A key as readline names it. */
export interface KeyPress {
  /** `up`, `f4`, `return`, `a`; missing for characters that are no key of a usual keyboard. */
  readonly name?: string | undefined;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
  /** What the terminal sent. */
  readonly sequence?: string;
  /** The character that was typed, or the whole text that was pasted. */
  readonly text?: string | undefined;
  /** Pasted, so that it is text and no command. */
  readonly isPaste?: boolean;
}

/** Keys that the terminal marks as pasted become one text, so that a pasted word is no series of commands. */
export class PasteFilter {
  #pasted: string | null = null;

  /** The key, or null while something is being pasted. */
  take(text: string | undefined, key: KeyPress | undefined): KeyPress | null {
    if (key?.name === 'paste-start') {
      this.#pasted = '';
      return null;
    }
    if (key?.name === 'paste-end') {
      const pasted = this.#pasted ?? '';
      this.#pasted = null;
      return { text: pasted, isPaste: true };
    }
    if (this.#pasted !== null) {
      this.#pasted += text ?? '';
      return null;
    }
    return { ...key, text };
  }
}

/** One word for a key, as key tables use it: `q`, `Q`, `up`, `f10`, `ctrl-c`, `/`. */
export function keyWord({ name, ctrl, meta, shift, text }: KeyPress): string {
  // readline says that Esc by itself was pressed together with Alt.
  if (name === 'escape') return name;
  if (ctrl && name !== undefined) return `ctrl-${name}`;
  if (meta && name !== undefined) return `alt-${name}`;
  if (name === 'tab') return shift ? 'shift-tab' : 'tab';
  // A letter is told by what it writes, since upper and lower case are two keys.
  if (text !== undefined && text.length > 0 && !/[\p{Cc}]/u.test(text)) return text === ' ' ? 'space' : text;
  return name === 'enter' ? 'return' : (name ?? '');
}
