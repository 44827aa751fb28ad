import { parentPort, workerData } from 'node:worker_threads';
import type { Maker, Site } from './gpu-reader.ts';
import { Progress } from './progress.ts';
import type { Reply, Request, WorkerOptions } from './protocol.ts';
import { Session } from './session.ts';

/**
 * Body of a worker thread: the only place in which files of a driver are read. It announces the GPUs it finds, and then
 * answers requests one by one.
 */
export function runWorker(makeMaker: (site: Site) => Maker): void {
  const port = parentPort;
  if (port === null) throw new Error('BUG: this file is a worker, it is not to be run by itself');
  const options = workerData as WorkerOptions;
  const { root } = options;
  const site: Site = {
    root,
    sys: `${root}/sys`,
    proc: `${root}/proc`,
    progress: new Progress(options.progress),
  };
  const reply = (message: Reply): void =>
    port.postMessage(message, message.type === 'tick' ? [message.values.buffer, message.codes.buffer] : []);
  const session = new Session(makeMaker(site), site, options, reply);
  port.on('message', (request: Request) => {
    if (request.type === 'sample') reply(session.sample(request));
    else port.close();
  });
  session.look(0);
}
