import type { Frame } from './frame.ts';

/** The latest frames in order, bounded in number and in bytes, for clients that lost their connection for a moment. */
export class FrameRing {
  readonly #mostFrames: number;
  readonly #mostBytes: number;
  #frames: Frame[] = [];
  #bytes = 0;

  constructor(limits: { frames: number; bytes: number }) {
    this.#mostFrames = limits.frames;
    this.#mostBytes = limits.bytes;
  }

  push(frame: Frame): void {
    this.#frames.push(frame);
    this.#bytes += frame.size;
    while (this.#frames.length > this.#mostFrames || this.#bytes > this.#mostBytes) {
      this.#bytes -= this.#frames.shift()?.size ?? 0;
    }
  }

  /** Everything that follows message `number`; null where some of it is no longer there. */
  after(number: number): readonly Frame[] | null {
    const first = this.#frames[0];
    const last = this.#frames.at(-1);
    if (first === undefined || last === undefined || number < first.number - 1 || number > last.number) return null;
    return this.#frames.slice(number - first.number + 1);
  }

  clear(): void {
    this.#frames = [];
    this.#bytes = 0;
  }
}
