import { runWorker } from '../drm/run-worker.ts';
import { IntelMaker } from './intel-maker.ts';

/** Entry of the worker thread that reads Intel GPUs. */
runWorker((site) => new IntelMaker(site));
