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
/** Pause after a block could not be written. */
const SEAL_RETRY_MS = 10_000;
/** How long after a write the size of the files is looked up, together for all writes within that time. */
const REPORT_MS = 2000;

const port = parentPort!;
const options = workerData as StoreOptions;

function send(message: FromWorker, transfer: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

function reply(id: number, answer: Answer): void {
  send({ type: 'answer', id, answer });
}

function replyGrid(id: number, grid: GridData): void {
  const arrays = [grid.min, grid.mean, grid.max, grid.count, ...(grid.growth === null ? [] : [grid.growth])];
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
  const seal = sealer(store, jobs);
  const measure = stateReport(store);
  takeOver(store, jobs);
  const queue = new WriteQueue((batch) => store.write(batch), RETRY_MS, {
    written: ({ cells, codes }) => {
      send({ type: 'written', room: { cells, codes } }, [cells.buffer, codes.buffer]);
      measure();
      seal();
    },
    failing: (error) => {
      send({ type: 'failing', error });
      // Writing to a damaged file would not help it. The main thread starts another worker, which takes over what is whole.
      if (error.code === 'HISTORY_UNUSABLE') process.exit(1);
    },
    refused: (error) => send({ type: 'unwritable', error }),
  });

  port.on('message', (message: ToWorker) => {
    switch (message.type) {
      case 'write':
        queue.add(message.batch);
        break;
      case 'prune':
        // Where deleting fails, writing fails too and says so; the next round goes on from here.
        jobs.start(store.prune(message.now), seal, seal);
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

/**
 * A function to be called after every write: turns what is full into blocks. Where that fails, writing fails too and says
 * so; it is tried again with a later write.
 */
function sealer(store: Store, jobs: Jobs): () => void {
  let pausedUntil = 0;
  let isRunning = false;
  return () => {
    if (isRunning || !store.hasWork || performance.now() < pausedUntil) return;
    isRunning = true;
    const ended = (pauseMs: number) => () => {
      isRunning = false;
      pausedUntil = performance.now() + pauseMs;
    };
    jobs.start(store.seal(), ended(0), ended(SEAL_RETRY_MS));
  };
}

/** A function to be called after every write: sends the state of the store some time later, so that the last one counts. */
function stateReport(store: Store): () => void {
  let isDue = false;
  const report = () => {
    isDue = false;
    try {
      send({ type: 'state', state: store.state() });
    } catch {
      // A disk that fails says so when it is written to.
    }
  };
  return () => {
    if (isDue) return;
    isDue = true;
    // It does not keep a closed history's thread alive.
    setTimeout(report, REPORT_MS).unref();
  };
}

/** Takes over what an older format or a damaged file holds. Where the disk does not take it, it is tried again. */
function takeOver(store: Store, jobs: Jobs): void {
  const steps = store.takeOver();
  if (steps === null) return;
  const retry = () => void setTimeout(() => takeOver(store, jobs), SEAL_RETRY_MS).unref();
  jobs.start(steps, () => {}, retry);
}

/** Failing to tidy up is no failure of this history. */
function tidyUp(): void {
  try {
    removeLeftovers(options.directory);
  } catch {
    // The place of temporary files cannot be listed.
  }
}

try {
  const store = Store.open(options);
  serve(store);
  send({ type: 'opened', state: store.state() });
  if (options.isTemporary === true) setImmediate(tidyUp);
} catch (error) {
  send({ type: 'refused', error: storeError(error, options.directory, 'HISTORY_UNUSABLE').data });
}
