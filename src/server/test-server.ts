import type { GpuEvent } from '../model/event.ts';
import { ManualClock } from '../model/manual-clock.ts';
import type { DeviceView } from '../model/reader.ts';
import type { StreamLimits } from './limits.ts';
import { fullView, MemoryReader } from './memory-reader.ts';
import { startServer } from './server.ts';

interface TestServerOptions {
  readonly basePath?: string;
  readonly webRoot?: string | null;
  readonly allowedHosts?: readonly string[];
  readonly streamLimits?: Partial<StreamLimits>;
  readonly devices?: number;
  /** Time of its clock at the start. */
  readonly now?: number;
}

/** A server on a free port over a {@link MemoryReader} with three devices, at a clock that a test moves. */
export class TestServer {
  readonly clock = new ManualClock();
  readonly reader = new MemoryReader();
  /** What it wrote about unexpected faults. */
  readonly log: string[] = [];
  readonly #running: Awaited<ReturnType<typeof startServer>>;

  private constructor(
    parts: Pick<TestServer, 'clock' | 'reader' | 'log'>,
    running: Awaited<ReturnType<typeof startServer>>,
  ) {
    this.clock = parts.clock;
    this.reader = parts.reader;
    this.log = parts.log;
    this.#running = running;
  }

  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    const parts = { clock: new ManualClock(options.now), reader: new MemoryReader(), log: [] as string[] };
    const at = parts.clock.now();
    parts.reader.publish(
      at,
      Array.from({ length: options.devices ?? 3 }, (_, index) => fullView(index, at)),
    );
    const running = await startServer({
      host: '127.0.0.1',
      port: 0,
      basePath: '',
      allowAnonymous: false,
      webRoot: null,
      ...options,
      reader: parts.reader,
      controls: parts.reader,
      clock: parts.clock,
      log: (text) => parts.log.push(text),
    });
    return new TestServer(parts, running);
  }

  /** A tick, some time after the last. */
  async tick(devices: readonly DeviceView[], events: readonly GpuEvent[] = [], afterMs = 1000): Promise<void> {
    await this.clock.advance(afterMs);
    this.reader.publish(this.clock.now(), devices, events);
  }

  get port(): number {
    return this.#running.address.port;
  }

  get url(): string {
    return this.#running.url;
  }

  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${path}`, init);
  }

  /** Status and body of a GET. */
  async json(path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: unknown }> {
    const response = await this.fetch(path, { headers });
    return { status: response.status, body: await response.json() };
  }

  openStreams(): number {
    return this.#running.openStreams();
  }

  close(): Promise<void> {
    return this.#running.close();
  }
}
