import { type Absent, absent, type Reading } from '../../model/reading.ts';
import type { Progress } from './progress.ts';
import { readBytes, readText } from './read-file.ts';

const ERROR = absent('error');

/** How a number in a file becomes a reading. */
export interface Scale {
  /** Base units per unit of the file; a smaller unit has a divisor, which is exact where a small factor is not. */
  readonly factor?: number;
  readonly divisor?: number;
  /** Lowest and highest believable value in base units; what lies outside is an error, not a reading. */
  readonly min?: number;
  readonly max: number;
}

/** The number a text is, in base units, or `error` where it is none or beyond what is believable. */
export function parseNumber(text: string, { factor = 1, divisor = 1, min = 0, max }: Scale): Reading {
  if (!/^[+-]?\d+(\.\d+)?$/.test(text)) return ERROR;
  const value = (Number(text) * factor) / divisor;
  return value >= min && value <= max ? value : ERROR;
}

/**
 * The attribute files of one folder. What is not supported or not permitted rests until {@link wake}: a file that is not
 * there costs several times as much as one that is.
 */
export class Folder {
  readonly path: string;
  readonly #progress: Progress;
  readonly #resting = new Map<string, Absent>();

  constructor(path: string, progress: Progress) {
    this.path = path;
    this.#progress = progress;
  }

  /** A folder below this one, with a memory of its own. */
  child(name: string): Folder {
    return new Folder(`${this.path}/${name}`, this.#progress);
  }

  /** The trimmed text of a file. */
  text(name: string): string | Absent {
    const resting = this.#resting.get(name);
    if (resting !== undefined) return resting;
    this.#progress.step();
    return this.#note(name, readText(`${this.path}/${name}`));
  }

  /** The bytes of a file, valid until the next read of anything. */
  bytes(name: string): Buffer | Absent {
    const resting = this.#resting.get(name);
    if (resting !== undefined) return resting;
    this.#progress.step();
    return this.#note(name, readBytes(`${this.path}/${name}`));
  }

  number(name: string, scale: Scale): Reading {
    const text = this.text(name);
    return typeof text === 'string' ? parseNumber(text, scale) : text;
  }

  /** Lets everything be asked again. */
  wake(): void {
    this.#resting.clear();
  }

  #note<T extends string | Buffer>(name: string, answer: T | Absent): T | Absent {
    if (typeof answer === 'object' && 'absent' in answer && answer.absent !== 'error') {
      this.#resting.set(name, answer);
    }
    return answer;
  }
}

/** The first of several readings that is a number; else the reason of the first that is something else than not supported. */
export function firstPresent(...readings: readonly Reading[]): Reading {
  let reason: Absent = absent('not-supported');
  for (const reading of readings) {
    if (typeof reading === 'number') return reading;
    if (reason.absent === 'not-supported') reason = reading;
  }
  return reason;
}
