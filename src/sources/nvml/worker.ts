import { parentPort, workerData } from 'node:worker_threads';
import { Abandoned } from './nvml.ts';
import { Progress } from './progress.ts';
import type { Reply, Request, WorkerOptions } from './protocol.ts';
import { Session } from './session.ts';

/**
 * Entry of the worker thread: the only place in which the driver is called. It answers requests one by one, and ends by
 * itself when it is closed, when it cannot open the driver, or when it finds that it was given up while a call hung.
 */
const port = parentPort;
if (port === null) throw new Error('BUG: this file is a worker, it is not to be run by itself');

// One that was started before anybody knew what for is told with its first message.
if (workerData === null) port.once('message', serve);
else serve(workerData as WorkerOptions);

function serve(options: WorkerOptions): void {
  const session = new Session(options, new Progress(options.progress));
  const end = (): void => {
    try {
      session.close();
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
    }
    port?.close();
  };
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
      end();
    }
  };
  port?.on('message', (request: Request) =>
    attempt(() => {
      if (request.type === 'sample') {
        reply(session.sample(request));
      } else {
        end();
      }
    }),
  );
  attempt(() => {
    const opened = session.open();
    reply(opened);
    if (opened.type === 'failed') end();
  });
}

function reply(message: Reply): void {
  port?.postMessage(message, message.type === 'tick' ? [message.buffer] : []);
}
