import type { ErrorData } from '../model/errors.ts';
import type { Batch } from './protocol.ts';
import type { StoreError } from './store-error.ts';

/** What became of batches, in the order in which they were added. */
export interface WriteReport {
  written(batch: Batch): void;
  /** The disk does not take it; it is tried again. */
  failing(error: ErrorData): void;
  /** The batch itself can never be written. */
  refused(error: ErrorData): void;
}

/** Batches on their way to the store: in order, and again and again while the disk does not take them. */
export class WriteQueue {
  readonly #write: (batch: Batch) => void;
  readonly #report: WriteReport;
  readonly #retryMs: number;
  /** A function among the batches runs once everything before it has been dealt with. */
  readonly #queue: (Batch | (() => void))[] = [];
  #retry: ReturnType<typeof setTimeout> | null = null;

  /** `write` throws a {@link StoreError} where it fails. */
  constructor(write: (batch: Batch) => void, retryMs: number, report: WriteReport) {
    this.#write = write;
    this.#retryMs = retryMs;
    this.#report = report;
  }

  add(batch: Batch): void {
    this.#queue.push(batch);
    if (this.#retry === null) this.#drain();
  }

  /** Runs once every batch added so far has been written or refused. */
  afterAll(run: () => void): void {
    this.#queue.push(run);
    if (this.#retry === null) this.#drain();
  }

  /** Tries what waits a last time. */
  end(): void {
    this.#drain();
    if (this.#retry !== null) clearTimeout(this.#retry);
  }

  #drain(): void {
    for (let item = this.#queue[0]; item !== undefined; item = this.#queue[0]) {
      if (typeof item === 'function') item();
      else if (!this.#try(item)) return;
      this.#queue.shift();
    }
  }

  /** True where the batch has been dealt with. */
  #try(batch: Batch): boolean {
    try {
      this.#write(batch);
      this.#report.written(batch);
      return true;
    } catch (error) {
      const { data, mayPass } = error as StoreError;
      if (!mayPass) {
        this.#report.refused(data);
        return true;
      }
      this.#report.failing(data);
      this.#retryLater();
      return false;
    }
  }

  #retryLater(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#drain();
    }, this.#retryMs);
  }
}
