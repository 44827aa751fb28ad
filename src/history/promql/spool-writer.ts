import type { Clock, Stop } from '../../model/clock.ts';
import { AppError } from '../../model/errors.ts';
import { storeError } from '../store-error.ts';
import { appError } from '../worker-link.ts';
import type { Spool } from './spool.ts';

/** Bytes that may wait in memory: a stuck disk must not eat it. */
const MAX_BYTES = 16 * 2 ** 20;
const RETRY_MS = 1000;

/** Records on their way from memory to the queue on the disk, one write at a time. */
export class SpoolWriter {
  readonly #spool: Spool;
  readonly #clock: Clock;
  readonly #directory: string;
  readonly #written: () => void;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #writing: Promise<void> | null = null;
  #stopRetry: Stop = () => {};
  #isRetrying = false;
  #isStopped = false;
  #dropped = 0;
  #failure: AppError | null = null;

  /** `written` is called whenever there is something new in the queue. */
  constructor(spool: Spool, clock: Clock, directory: string, written: () => void) {
    this.#spool = spool;
    this.#clock = clock;
    this.#directory = directory;
    this.#written = written;
  }

  /** Records that are in memory only. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Records that the disk did not take in time. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Why nothing is written at the moment, or null. */
  get failure(): AppError | null {
    return this.#failure;
  }

  add(record: Buffer): void {
    if (this.#isStopped || this.#bytes + record.length > MAX_BYTES) {
      this.#dropped++;
      this.#failure ??= new AppError('HISTORY_BEHIND', { path: this.#directory });
      return;
    }
    this.#waiting.push(record);
    this.#bytes += record.length;
    this.#start();
  }

  /** Resolves once everything added so far is on the disk, or the disk does not take it. */
  async settled(): Promise<void> {
    if (this.#isRetrying) {
      this.#stopRetry();
      this.#isRetrying = false;
    }
    this.#start();
    while (this.#writing !== null) await this.#writing;
  }

  /** What still waits is dropped. */
  stop(): void {
    this.#isStopped = true;
    this.#stopRetry();
    this.#dropped += this.#waiting.length;
    this.#waiting = [];
  }

  #start(): void {
    if (this.#writing !== null || this.#isRetrying || this.#waiting.length === 0) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
      this.#start();
    });
  }

  async #write(): Promise<void> {
    // Ticks that come in one go are written together.
    await new Promise((resolve) => setImmediate(resolve));
    const records = this.#waiting.slice();
    try {
      await this.#spool.append(records);
      this.#waiting.splice(0, records.length);
      this.#bytes -= records.reduce((sum, { length }) => sum + length, 0);
      this.#failure = null;
      this.#written();
    } catch (error) {
      this.#failure = appError(storeError(error, this.#directory, 'HISTORY_WRITE_FAILED').data);
      this.#isRetrying = true;
      this.#stopRetry = this.#clock.after(RETRY_MS, () => {
        this.#isRetrying = false;
        this.#start();
      });
    }
  }
}
