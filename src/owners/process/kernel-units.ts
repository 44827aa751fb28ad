import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../model/clock.ts';
import type { Millis } from '../../model/reading.ts';

/** Entries of the auxiliary vector, from getauxval(3). */
const AT_PAGESZ = 6;
const AT_CLKTCK = 17;

/** Units in which this kernel counts. */
export interface KernelUnits {
  readonly ticksPerSecond: number;
  readonly pageBytes: number;
}

/** The units of the running kernel, without starting `getconf`; the usual ones where it does not tell. */
export function readKernelUnits(root: string): KernelUnits {
  const values = readAuxiliaryVector(join(root, 'self/auxv'));
  return { ticksPerSecond: values.get(AT_CLKTCK) || 100, pageBytes: values.get(AT_PAGESZ) || 4096 };
}

function readAuxiliaryVector(path: string): ReadonlyMap<number, number> {
  const values = new Map<number, number>();
  try {
    const bytes = readFileSync(path);
    const isLittle = endianness() === 'LE';
    // Pairs of words of the kernel's own width.
    const is32 = process.arch === 'arm' || process.arch === 'ia32';
    const width = is32 ? 4 : 8;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const word = (at: number): number =>
      is32 ? view.getUint32(at, isLittle) : Number(view.getBigUint64(at, isLittle) & 0xffff_ffffn);
    for (let at = 0; at + 2 * width <= bytes.length; at += 2 * width) values.set(word(at), word(at + width));
  } catch {
    // A procfs without it: the usual units serve.
  }
  return values;
}

/** The wall clock may be stepped this far from the monotonic one before the boot time is read again. */
const STEP_MS = 1000;

/** When this kernel was booted, on the wall clock as it stands now. */
export class BootTime {
  readonly #path: string;
  readonly #clock: Clock;
  #offset = Number.NaN;
  #bootedAt: Millis | null = null;

  constructor(root: string, clock: Clock) {
    this.#path = join(root, 'stat');
    this.#clock = clock;
  }

  /** Null where procfs does not tell. The kernel gives whole seconds. */
  get(): Millis | null {
    const offset = this.#clock.now() - this.#clock.monotonic();
    // The kernel reckons it backwards from the wall clock, so that it moves when that is stepped.
    if (!(Math.abs(offset - this.#offset) < STEP_MS)) {
      this.#offset = offset;
      this.#bootedAt = this.#read();
    }
    return this.#bootedAt;
  }

  #read(): Millis | null {
    try {
      const seconds = /^btime (\d+)$/m.exec(readFileSync(this.#path, 'utf8'))?.[1];
      return seconds === undefined ? null : Number(seconds) * 1000;
    } catch {
      return null;
    }
  }
}
