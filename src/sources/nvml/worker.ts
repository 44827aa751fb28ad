import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerOptions } from './protocol.ts';
import { answerRequests } from './requests.ts';

/** Entry of the thread that calls the driver. */
if (parentPort === null) throw new Error('BUG: this file is a worker, it is not to be run by itself');
answerRequests(parentPort, workerData as WorkerOptions);
