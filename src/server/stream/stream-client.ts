import type { ServerResponse } from 'node:http';
import type { Clock } from '../../model/clock.ts';
import type { Lang } from '../../model/i18n/text.ts';

const KEEP_ALIVE_MS = 30_000;

interface ClientOptions {
  readonly response: ServerResponse;
  readonly lang: Lang;
  readonly clock: Clock;
  /** Above this many buffered bytes it gets no more messages until it has read them all. */
  readonly bufferedBytes: number;
  /** It has read all that was buffered, and missed messages meanwhile. */
  readonly onCaughtUp: () => void;
  readonly onGone: () => void;
}

/** One reader of the live stream. A slow one costs a bounded buffer and never holds up the others. */
export class StreamClient {
  readonly lang: Lang;
  readonly #options: ClientOptions;
  readonly #response: ServerResponse;
  #laggingSince: number | null = null;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#response = options.response;
    this.lang = options.lang;
    // Without it a peer whose machine vanished would be noticed only when its buffer is full.
    this.#response.socket?.setKeepAlive(true, KEEP_ALIVE_MS);
    this.#response.on('drain', () => this.#caughtUp());
    this.#response.on('close', options.onGone);
    this.#response.on('error', () => {});
  }

  /** Sends what is needed to begin, or to begin again, however large it is. */
  begin(bytes: Buffer): void {
    this.#response.write(bytes);
  }

  /** Sends a message, or leaves it out while the client is behind. */
  send(bytes: Buffer): void {
    if (this.#laggingSince !== null) return;
    this.#response.write(bytes);
    if (this.#response.writableLength > this.#options.bufferedBytes) {
      this.#laggingSince = this.#options.clock.monotonic();
    }
  }

  /** Milliseconds for which it has been behind; 0 where it is not. */
  laggingMs(): number {
    return this.#laggingSince === null ? 0 : this.#options.clock.monotonic() - this.#laggingSince;
  }

  /** Ends the stream in an orderly way; the client will connect again. */
  end(): void {
    this.#response.end();
  }

  /** Ends it at once, buffer and all. */
  drop(): void {
    this.#response.destroy();
  }

  #caughtUp(): void {
    if (this.#laggingSince === null) return;
    this.#laggingSince = null;
    this.#options.onCaughtUp();
  }
}
