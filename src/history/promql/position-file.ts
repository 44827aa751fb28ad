import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './passes.ts';

/** Where reading goes on. */
export interface Cursor {
  /** Number of the next record. */
  readonly record: number;
  /** Number of the first record of its file, and where it is in there. */
  readonly segment: number;
  readonly offset: number;
}

/** What is kept beside the records once they are delivered. */
export interface Delivered extends Place {
  readonly from: number;
  readonly to: number;
}

interface Position extends Cursor {
  readonly delivered: Delivered | null;
}

/** The file that says how far a queue has been delivered. */
export class PositionFile {
  readonly #path: string;
  /** Saving happens once at a time, or two of them would write into each other. */
  #saving: Promise<void> = Promise.resolve();

  constructor(directory: string) {
    this.#path = join(directory, 'position.json');
  }

  /** Null where there is none yet, or a failure of the power tore it: all is delivered again then, which does no harm. */
  async load(): Promise<Position | null> {
    try {
      const position: unknown = JSON.parse(await readFile(this.#path, 'utf8'));
      const isOurs = typeof position === 'object' && position !== null && 'record' in position;
      return isOurs && Number.isSafeInteger(position.record) ? (position as Position) : null;
    } catch {
      return null;
    }
  }

  /** Never rejects: on a full disk what has been delivered since is compared with what the engine has, after a restart. */
  save(position: Position): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      try {
        await writeFile(`${this.#path}.new`, JSON.stringify(position), { mode: 0o600 });
        await rename(`${this.#path}.new`, this.#path);
      } catch {
        // As promised.
      }
    });
    return this.#saving;
  }
}
