import { runWorker } from '../drm/run-worker.ts';
import { AmdMaker } from './amd-maker.ts';

/** Entry of the worker thread that reads AMD GPUs. */
runWorker((site) => new AmdMaker(site));
