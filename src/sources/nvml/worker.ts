import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { MESSAGE, Progress, TICK } from './progress.ts';
import type { Reply, Request, WorkerOptions } from './protocol.ts';
import { Requests } from './requests.ts';
import { TickSender } from './tick-transfer.ts';

/** Entry of the thread that calls the driver. It has no event loop: between two requests it sleeps, see {@link Progress}. */
const port = parentPort;
if (port === null) throw new Error('BUG: this file is a worker, it is not to be run by itself');
const options = workerData as WorkerOptions;
const progress = new Progress(options.progress);
const sender = new TickSender();
const replies = {
  memory: sender.memory,
  postMessage: (reply: Reply) => port.postMessage(sender.messageOf(reply)),
  close: () => port.close(),
};
const requests = new Requests(replies, options, progress);
requests.open();
while (requests.isOpen) {
  const wanted = progress.sleep();
  for (let isAnyLeft = (wanted & MESSAGE) !== 0; isAnyLeft && requests.isOpen; ) {
    const next = receiveMessageOnPort(port) as { readonly message: Request } | undefined;
    if (next === undefined) isAnyLeft = false;
    else requests.answer(next.message);
  }
  if ((wanted & TICK) !== 0 && requests.isOpen) requests.answer({ type: 'sample', now: progress.now, share: null });
}
