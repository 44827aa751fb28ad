import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For tests only: a server of a package, in a folder of its own. It keeps its data when it is started again. */
export class TestServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'gpulse-sink-'));
  readonly port: number;
  readonly #command: string;
  readonly #args: (folder: string, port: number) => readonly string[];
  #child: ChildProcess | null = null;

  private constructor(command: string, port: number, args: (folder: string, port: number) => readonly string[]) {
    this.#command = command;
    this.port = port;
    this.#args = args;
  }

  static async start(
    command: string,
    args: (folder: string, port: number) => readonly string[],
    readyPath: string,
  ): Promise<TestServer> {
    const server = new TestServer(command, await freePort(), args);
    await server.start(readyPath);
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(readyPath: string): Promise<void> {
    this.#child = spawn(this.#command, this.#args(this.folder, this.port), { stdio: 'ignore', cwd: this.folder });
    await eventually(async () => {
      const { ok } = await fetch(`${this.url}${readyPath}`);
      if (!ok) throw new Error(`${this.#command} is not ready`);
    });
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await ended;
  }

  async dispose(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Tries until it works; the last failure after too long. */
export async function eventually<T>(check: () => Promise<T> | T, timeoutMs = 20_000): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}
