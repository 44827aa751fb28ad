import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../model/clock.ts';
import type { Controls } from '../model/controls.ts';
import { AppError, detailOf } from '../model/errors.ts';
import type { Exposition } from '../model/exposition.ts';
import { ADMINISTRATOR } from '../model/ports.ts';
import type { Reader } from '../model/reader.ts';
import { FaultLog } from './fault-log.ts';
import { createHostGuard } from './host-guard.ts';
import { createHttp } from './http.ts';
import { HISTORY_RUNNING, HISTORY_WAITING, STREAM_LIMITS, type StreamLimits } from './limits.ts';
import { dashboardUrl, isLoopback } from './listen-address.ts';
import { StreamHub } from './stream/hub.ts';
import { WorkQueue } from './work-queue.ts';

interface ServerOptions {
  readonly reader: Reader;
  readonly controls: Controls;
  readonly clock: Clock;
  /** An address or name of this machine; empty for every address. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** '' or a path such as `/gpulse`, without a slash at its end. */
  readonly basePath: string;
  /** Listen where other machines can reach it, although nobody has to log in. */
  readonly allowAnonymous: boolean;
  /** Host names, beside loopback ones, that requests may carry; `*` for any. A reverse proxy passes its own. */
  readonly allowedHosts?: readonly string[];
  /** Folder of the built dashboard; null where it has not been built. */
  readonly webRoot: string | null;
  /** What /metrics shows; without it there is no such page. */
  readonly exposition?: Exposition;
  /** Where unexpected faults are written; stderr by default. */
  readonly log?: (text: string) => void;
  readonly streamLimits?: Partial<StreamLimits>;
}

interface RunningServer {
  /** Address of the dashboard for a browser on this machine. */
  readonly url: string;
  readonly address: { readonly host: string; readonly port: number };
  openStreams(): number;
  /** Ends every stream and connection. */
  close(): Promise<void>;
}

/** Starts the HTTP server. Throws ANONYMOUS_LISTEN, PORT_IN_USE or LISTEN_FAILED. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { reader, controls, clock, host, port, basePath, webRoot } = options;
  if (!options.allowAnonymous && !isLoopback(host)) throw new AppError('ANONYMOUS_LISTEN', { host: host || '*' });
  const faults = new FaultLog(options.log ?? ((text) => process.stderr.write(text)), clock);
  const limits = { ...STREAM_LIMITS, ...options.streamLimits };
  const stream = new StreamHub({ reader, viewer: ADMINISTRATOR, clock, limits, faults });
  const history = new WorkQueue({ running: HISTORY_RUNNING, waiting: HISTORY_WAITING });
  const app = createHttp({
    services: { reader, controls, clock, history, stream },
    faults,
    isHostAllowed: createHostGuard(host, options.allowedHosts ?? []),
    basePath,
    webRoot,
    exposition: options.exposition ?? null,
  });
  const address = await listen(app, host, port);
  return {
    url: dashboardUrl(host, address.port, basePath),
    address: { host: address.address, port: address.port },
    openStreams: () => stream.size,
    async close() {
      stream.close();
      await app.close();
    },
  };
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<AddressInfo> {
  try {
    await app.listen({ host, port });
    return app.server.address() as AddressInfo;
  } catch (error) {
    await app.close();
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (isTaken) throw new AppError('PORT_IN_USE', { host, port }, { cause: error });
    throw new AppError('LISTEN_FAILED', { host, port, detail: detailOf(error) }, { cause: error });
  }
}
