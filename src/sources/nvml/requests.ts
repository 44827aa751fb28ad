import { Abandoned } from './nvml.ts';
import { Progress } from './progress.ts';
import type { Reply, Request, WorkerOptions } from './protocol.ts';
import { Session } from './session.ts';

/** Where requests come from and replies go. */
export interface RequestPort {
  on(event: 'message', listener: (request: Request) => void): unknown;
  postMessage(reply: Reply, transfer: readonly ArrayBuffer[]): void;
  close(): void;
}

/**
 * Opens the driver and answers requests one by one: the only place in which the driver is called. The port is closed when
 * that is asked for, when the driver cannot be opened, or when a call returns that hung until it was given up.
 */
export function answerRequests(port: RequestPort, options: WorkerOptions): void {
  const session = new Session(options, new Progress(options.progress));
  const reply = (message: Reply): void => port.postMessage(message, message.type === 'tick' ? [message.buffer] : []);
  const end = (): void => {
    try {
      session.close();
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
    }
    port.close();
  };
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
      end();
    }
  };
  port.on('message', (request) => attempt(() => (request.type === 'sample' ? reply(session.sample(request)) : end())));
  attempt(() => {
    const opened = session.open();
    reply(opened);
    if (opened.type === 'failed') end();
  });
}
