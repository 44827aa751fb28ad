import type { GpuProcess } from '../../../model/process.ts';
import type { LogDevice } from '../log-devices.ts';
import { ReadingSlab } from '../reading-slab.ts';
import type { FormatContext } from '../rows.ts';

const NOBODY: readonly GpuProcess[] = [];

/** Rows of one sample may be written on both sides of a second. */
const STRADDLE_MS = 1000;

/** A row of `nvidia-smi pmon`. */
export interface PmonRow {
  readonly device: LogDevice;
  readonly index: number;
  /** Null for a GPU on which nothing runs. */
  readonly process: GpuProcess | null;
  /** Epoch milliseconds, NaN in a log without times. */
  readonly time: number;
  readonly line: number;
}

/**
 * Collects the rows of one sample: it lists the GPUs in their order and a process on a GPU once, so that what comes again
 * is of the next sample.
 */
export class PmonSample {
  readonly #context: FormatContext;
  readonly #slab = new ReadingSlab();
  readonly #seen = new Set<string>();
  #rows: PmonRow[] = [];
  #hasGivenOut = false;
  #hasNewHeader = false;

  constructor(context: FormatContext) {
    this.#context = context;
  }

  add(row: PmonRow): void {
    const key = `${row.index} ${row.process?.pid ?? '-'}`;
    if (this.#isNext(row, key)) this.finish();
    if (this.#hasNewHeader && this.#rows.length === 0) {
      this.#context.sink.header();
      this.#hasNewHeader = false;
    }
    this.#seen.add(key);
    this.#rows.push(row);
  }

  /** A header was printed, between two samples or within one. */
  header(): void {
    this.#hasNewHeader = true;
  }

  /** The sample is complete: gives out its rows. */
  finish(): void {
    const { sink } = this.#context;
    const [first] = this.#rows;
    if (first === undefined) return;
    sink.instant();
    for (const { device, process, line } of this.#rows) {
      const row = { time: first.time, device, name: null, lost: false, readings: this.#slab.take(), process, line };
      sink.row(process === null ? { ...row, processes: NOBODY } : row);
    }
    this.#hasGivenOut = true;
    this.#clear();
  }

  /** The file ends within the sample: beside whole ones it would show processes as ended that go on. */
  cut(): void {
    if (!this.#hasGivenOut) {
      this.finish();
      return;
    }
    for (const { line } of this.#rows) this.#context.report.skip('truncated', line);
    this.#clear();
  }

  #clear(): void {
    this.#rows = [];
    this.#seen.clear();
  }

  #isNext({ index, time }: PmonRow, key: string): boolean {
    const last = this.#rows.at(-1);
    if (last === undefined) return false;
    if (index < last.index || this.#seen.has(key)) return true;
    const step = Math.abs(time - last.time);
    return step > STRADDLE_MS || (step > 0 && index === last.index);
  }
}
