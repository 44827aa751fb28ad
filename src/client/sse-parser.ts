/** One message of an event stream. `id` is the newest id seen, also by a message without one of its own. */
export interface SseMessage {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/**
 * Parser of `text/event-stream` (WHATWG HTML, section 9.2), fed with pieces cut anywhere. Comments, which serve as
 * heartbeats, and messages without data yield nothing.
 */
export class SseParser {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id = '';
  /** The last piece ended with CR, so a LF at the start of the next one belongs to the same line end. */
  #afterCr = false;

  push(piece: string): SseMessage[] {
    const text = this.#afterCr && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') this.#afterCr = piece.endsWith('\r');
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? '';
    const messages: SseMessage[] = [];
    for (const line of lines) {
      const message = this.#take(line);
      if (message !== null) messages.push(message);
    }
    return messages;
  }

  #take(line: string): SseMessage | null {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return null;
  }

  #dispatch(): SseMessage | null {
    const [event, data] = [this.#event || 'message', this.#data];
    this.#event = '';
    this.#data = [];
    return data.length === 0 ? null : { event, data: data.join('\n'), id: this.#id };
  }
}
