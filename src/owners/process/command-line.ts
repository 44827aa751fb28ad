import { open } from 'node:fs/promises';
import { basename } from 'node:path';

/** Bytes that are kept of a command line; scripts given on the command line are longer. */
const MAX_BYTES = 4096;

/** Reads that may be under way at a time, so that stuck ones leave threads of the pool to others. */
const MAX_READS = 2;

/** What a process was started with. */
export interface CommandLine {
  /** Program by its first argument; null where there are no arguments. */
  readonly program: string | null;
  /** Arguments with blanks between them; null where there are none. Long ones are cut, which `…` shows. */
  readonly text: string | null;
}

/** Reads that may wait for their turn; more wait only while others are stuck. */
const MAX_WAITING = 1024;

/**
 * Reads `/proc/PID/cmdline`. The kernel fetches it out of the process's own memory, which can block for as long as that
 * process hangs in the driver, so it is never read on the main thread and not by more than two threads.
 */
export class CommandLineReader {
  readonly #waiting: (() => void)[] = [];
  #reads = 0;

  /** Null where it cannot be read. Never rejects, but may never resolve. */
  async read(path: string): Promise<CommandLine | null> {
    if (this.#reads < MAX_READS) this.#reads++;
    else if (this.#waiting.length < MAX_WAITING) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else return null;
    try {
      return parseCommandLine(await readStart(path));
    } catch {
      return null;
    } finally {
      // Its turn goes to the next one, or ends.
      const next = this.#waiting.shift();
      if (next === undefined) this.#reads--;
      else next();
    }
  }
}

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(MAX_BYTES + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** Reads arguments that end with NUL each; one that rewrites its title may have anything there. */
function parseCommandLine(bytes: Buffer): CommandLine {
  const isCut = bytes.length > MAX_BYTES;
  // A character cut in two would end as a replacement character.
  const text = bytes.toString('utf8', 0, Math.min(bytes.length, MAX_BYTES)).replace(isCut ? /\ufffd+$/ : /\0+$/, '');
  const first = text.split('\0', 1)[0] ?? '';
  // A process that writes its own title (`ray::worker`, `sshd: li@pts/0`) is named by its first word.
  const program = first.startsWith('/') ? basename(first) : basename(first.split(' ')[0] ?? '');
  const shown = printable(text.replaceAll('\0', ' ')).trim();
  return { program: printable(program).trim() || null, text: shown === '' ? null : isCut ? `${shown}…` : shown };
}

/** The text with blanks for control characters, which would steer a terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
  return text.replace(/[\0-\x1f\x7f-\x9f]/g, ' ');
}
