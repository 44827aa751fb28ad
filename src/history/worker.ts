import { parentPort, workerData } from 'node:worker_threads';
import { Jobs } from './jobs.ts';
import { removeLeftovers } from './leftovers.ts';
import type { Answer, Asked, FromWorker, GridData, StoreOptions, ToWorker } from './protocol.ts';
import { Store } from './store.ts';
import { StoreError, storeError } from './store-error.ts';
import { WriteQueue } from './write-queue.ts';

/** The thread that owns the database, so that neither a slow disk nor a long query holds up sampling or the API. */

const RETRY_MS = 1000;
/** Queries that may be under way at once. */
const MAX_JOBS = 64;
/** How long after a write the size of the files is looked up, together for all writes within that time. */
const MEASURE_MS = 2000;

const port = parentPort!;
const options = workerData as StoreOptions;

function send(message: FromWorker, transfer: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

function reply(id: number, answer: Answer): void {
  send({ type: 'answer', id, answer });
}

function replyGrid(id: number, grid: GridData): void {
  const arrays = [grid.min, grid.mean, grid.max, grid.count];
  send(
    { type: 'answer', id, answer: grid },
    arrays.map((array) => array.buffer as ArrayBuffer),
  );
}

function reject(id: number, error: unknown): void {
  send({ type: 'rejected', id, error: storeError(error, options.directory, 'HISTORY_READ_FAILED').data });
}

function serve(store: Store): void {
  const jobs = new Jobs();
  const measure = sizeReport(store);
  const queue = new WriteQueue((batch) => store.write(batch), RETRY_MS, {
    written: () => {
      send({ type: 'written' });
      measure();
    },
    failing: (error) => send({ type: 'failing', error }),
    refused: (error) => send({ type: 'unwritable', error }),
  });

  port.on('message', (message: ToWorker) => {
    switch (message.type) {
      case 'write':
        queue.add(message.batch);
        break;
      case 'prune':
        // Where deleting fails, writing fails too and says so; the next round goes on from here.
        jobs.start(store.prune(message.before), ignore, ignore);
        break;
      case 'ask':
        try {
          answer(message, store, queue, jobs);
        } catch (error) {
          reject(message.id, error);
        }
        break;
    }
  });
}

/** Answers at once or, where it takes time, later; fails with whatever the store throws. */
function answer(asked: Asked, store: Store, queue: WriteQueue, jobs: Jobs): void {
  const { id, topic, query } = asked;
  switch (topic) {
    case 'range':
      if (jobs.size >= MAX_JOBS) throw new StoreError('BUSY', {});
      jobs.start(
        store.range(query),
        (grid) => replyGrid(id, grid),
        (error) => reject(id, error),
      );
      break;
    case 'events':
      reply(id, store.events.find(query));
      break;
    case 'devices':
      reply(id, store.devices.list());
      break;
    case 'extent':
      reply(id, store.extent());
      break;
    case 'flush':
      queue.afterAll(() => reply(id, null));
      break;
    case 'close':
      queue.end();
      store.close();
      reply(id, null);
      port.close();
      break;
  }
}

/** A function to be called after every write: sends the size of the store some time later, so that the last one counts. */
function sizeReport(store: Store): () => void {
  let isDue = false;
  const report = () => {
    isDue = false;
    try {
      send({ type: 'size', bytes: store.bytes() });
    } catch {
      // A disk that fails says so when it is written to.
    }
  };
  return () => {
    if (isDue) return;
    isDue = true;
    // It does not keep a closed history's thread alive.
    setTimeout(report, MEASURE_MS).unref();
  };
}

/** Failing to tidy up is no failure of this history. */
function tidyUp(): void {
  try {
    removeLeftovers(options.directory);
  } catch {
    // The place of temporary files cannot be listed.
  }
}

function ignore(): void {}

try {
  const store = Store.open(options);
  serve(store);
  send({ type: 'opened', bytes: store.bytes() });
  if (options.isTemporary === true) setImmediate(tidyUp);
} catch (error) {
  send({ type: 'refused', error: storeError(error, options.directory, 'HISTORY_UNUSABLE').data });
}
