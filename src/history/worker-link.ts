import { Worker } from 'node:worker_threads';
import { AppError, detailOf, type ErrorData } from '../model/errors.ts';
import type {
  Asked,
  Batch,
  Cells,
  FromWorker,
  Questions,
  StoreOptions,
  StoreState,
  Topic,
  ToWorker,
} from './protocol.ts';

/** Room for the code and for the rows of one step of a query; samples pass through outside the heap. */
const HEAP_MB = 64;

/** What the worker reports of its own accord. */
export interface LinkListener {
  /** The oldest batch is on the disk; its room may be used again. */
  written(room: Cells): void;
  /** The store has looked at itself. */
  looked(state: StoreState): void;
  /** The disk does not take the oldest batch; the worker goes on trying. */
  failing(error: AppError): void;
  /** The oldest batch was left out. */
  unwritable(error: AppError): void;
  /** The worker has died. Whatever it had not written is lost. */
  died(error: AppError): void;
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: AppError) => void;
}

/** One history worker and the questions it has not answered yet. */
export class WorkerLink {
  readonly #worker: Worker;
  readonly #listener: LinkListener;
  readonly #pending = new Map<number, Pending>();
  #asked = 0;
  /** Until then whoever opens it is told what goes wrong, and from then on the listener: each failure once. */
  #isOpen = false;
  #isClosing = false;
  #isOver = false;

  /** Starts a worker on the store; rejects with the AppError for which it cannot be opened. */
  static async open(options: StoreOptions, listener: LinkListener): Promise<{ link: WorkerLink; state: StoreState }> {
    const link = new WorkerLink(options, listener);
    return { link, state: await link.#opened(options.directory) };
  }

  private constructor(options: StoreOptions, listener: LinkListener) {
    this.#listener = listener;
    this.#worker = new Worker(workerUrl(), {
      workerData: options,
      // Flags of the program, such as --input-type, are none of the worker's.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 4 },
    });
  }

  post(batch: Batch): void {
    this.#post({ type: 'write', batch }, [batch.cells.buffer, batch.codes.buffer]);
  }

  prune(now: number): void {
    this.#post({ type: 'prune', now });
  }

  ask<T extends Topic>(topic: T, query: Questions[T]['query']): Promise<Questions[T]['answer']> {
    return new Promise((resolve, reject) => {
      const id = this.#asked++;
      this.#isClosing ||= topic === 'close';
      // An idle history does not keep the process alive, a question under way does.
      if (this.#pending.size === 0) this.#worker.ref();
      this.#pending.set(id, { resolve, reject });
      this.#post({ type: 'ask', id, topic, query } as Asked);
    });
  }

  /**
   * Lets go of the worker, and rejects what is still pending. It ends by itself once it has closed the database; where the
   * disk hangs, that is when the disk answers. It is never ended by force: in the middle of a statement that takes the
   * whole process down.
   */
  end(error: AppError): void {
    this.#isOver = true;
    if (!this.#isClosing) void this.ask('close', null).catch(() => {});
    this.#rejectAll(error);
    this.#worker.unref();
  }

  #post(message: ToWorker, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #opened(path: string): Promise<StoreState> {
    return new Promise((resolve, reject) => {
      const died = (detail: string) => {
        const error = new AppError('HISTORY_STOPPED', { path, detail });
        if (this.#isOpen) this.#died(error);
        this.#isOver = true;
        reject(error);
      };
      this.#worker.on('error', (error) => died(detailOf(error)));
      this.#worker.on('exit', (code) => died(`exit ${code}`));
      this.#worker.on('message', (message: FromWorker) => {
        if (message.type === 'opened') {
          this.#isOpen = true;
          this.#worker.unref();
          resolve(message.state);
        } else if (message.type === 'refused') {
          this.#isOver = true;
          reject(appError(message.error));
        } else {
          this.#receive(message);
        }
      });
    });
  }

  #receive(message: Exclude<FromWorker, { type: 'opened' | 'refused' }>): void {
    switch (message.type) {
      case 'written':
        this.#listener.written(message.room);
        break;
      case 'state':
        this.#listener.looked(message.state);
        break;
      case 'failing':
        this.#listener.failing(appError(message.error));
        break;
      case 'unwritable':
        this.#listener.unwritable(appError(message.error));
        break;
      case 'answer':
        this.#settle(message.id, ({ resolve }) => resolve(message.answer as never));
        break;
      case 'rejected':
        this.#settle(message.id, ({ reject }) => reject(appError(message.error)));
        break;
    }
  }

  #settle(id: number, settle: (pending: Pending) => void): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker.unref();
    if (pending !== undefined) settle(pending);
  }

  #died(error: AppError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#rejectAll(error);
    this.#listener.died(error);
  }

  #rejectAll(error: AppError): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of all) reject(error);
  }
}

/** From source the worker is a module beside this one; in a build it is the bundle of that name beside ours. */
function workerUrl(): URL {
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './history-worker.js';
  return new URL(file, import.meta.url);
}

/** An error the worker sent, with its sentences. */
export function appError({ code, params }: ErrorData): AppError {
  return new AppError(code, params);
}
