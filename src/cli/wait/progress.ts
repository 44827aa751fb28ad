import type { WaitState } from '../../app/wait.ts';
import type { GpuRequest } from '../../waiting/request.ts';
import type { Context } from '../context.ts';
import { waitLines } from './standing-text.ts';

/** Where nobody watches, so often a line is written though nothing has changed. */
const SPARSE_MS = 10 * 60_000;

/** Shows the waiting on standard error: in place on a terminal, elsewhere a line when something has changed. */
export class WaitProgress {
  readonly #request: GpuRequest;
  readonly #context: Context;
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #startedAt: number;
  #drawn = 0;
  #said = '';
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(request: GpuRequest, context: Context) {
    this.#request = request;
    this.#context = context;
    this.#startedAt = context.clock.monotonic();
  }

  get waitedMs(): number {
    return this.#context.clock.monotonic() - this.#startedAt;
  }

  show(state: WaitState): void {
    const lines = waitLines(state, this.#request, this.waitedMs, this.#context);
    if (this.#isTerminal) this.#draw(lines);
    else this.#say(lines, state);
  }

  /** Takes what was drawn away. */
  clear(): void {
    if (this.#isTerminal && this.#drawn > 0) process.stderr.write(`\u001b[${this.#drawn}F\u001b[J`);
    this.#drawn = 0;
  }

  #draw(lines: readonly string[]): void {
    const { rows = 24, columns = 80 } = process.stderr;
    const shown = lines.slice(0, Math.max(1, rows - 1));
    const up = this.#drawn > 0 ? `\u001b[${this.#drawn}F` : '';
    // A line that wraps would make the next drawing miss its place.
    const text = shown.map((line) => `\u001b[K${cut(line, columns - 1)}\n`).join('');
    process.stderr.write(`${up}${text}\u001b[J`);
    this.#drawn = shown.length;
  }

  #say(lines: readonly string[], { standings, ahead }: WaitState): void {
    const key = JSON.stringify([ahead.length, standings.map(({ obstacle, isFree }) => [obstacle, isFree])]);
    const now = this.#context.clock.monotonic();
    if (key === this.#said && now - this.#saidAt < SPARSE_MS) return;
    this.#said = key;
    this.#saidAt = now;
    this.#context.warn(lines.map((line) => line.trim()).join(' | '));
  }
}

/** At most so many places wide; Chinese characters take two. */
function cut(line: string, width: number): string {
  let taken = 0;
  let text = '';
  for (const char of line) {
    taken += char > '\u10ff' ? 2 : 1;
    if (taken > width) break;
    text += char;
  }
  return text;
}
