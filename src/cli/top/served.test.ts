import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiGpus } from '../../model/api.ts';
import type { ApiFindings } from '../../model/api-finding.ts';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';
import { BACK_IN_SHELL, GPULSE, TestTerminal } from './test-terminal.ts';

/** The view beside a running `serve`. */

let folder: string;
let servers: ChildProcess[];
let terminal: TestTerminal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-served-'));
  servers = [];
  terminal = new TestTerminal({ columns: 120, rows: 40 });
});

afterEach(async () => {
  terminal.close();
  for (const server of servers) {
    if (server.exitCode !== null || server.signalCode !== null) continue;
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a server and resolves with its address. Where it answers is told in the folder that the terminal knows. */
async function serve(listen: string, ...args: readonly string[]): Promise<string> {
  const server = spawn(GPULSE, ['serve', '--lang', 'en', '--listen', listen, '--data', join(folder, 'data'), ...args], {
    env: { ...process.env, XDG_RUNTIME_DIR: terminal.config, RUNTIME_DIRECTORY: join(terminal.config, 'gpulse') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  servers.push(server);
  let said = '';
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // Read to the end: a server whose next line nobody takes would end.
  server.stdout?.on('data', (chunk: Buffer) => {
    said += String(chunk);
    const address = /http:\S+/.exec(said)?.[0];
    if (address !== undefined) resolve(address);
  });
  server.once('exit', () => reject(new Error(`serve ended: ${said}`)));
  return promise;
}

/** Resolves once the server has looked at its past, with what the screen calls a cause that goes on. */
async function diagnosed(address: string): Promise<string> {
  for (let tries = 0; tries < 600; tries++) {
    const { findings } = (await (await fetch(new URL('api/v1/findings', address))).json()) as ApiFindings;
    const named = findings.find(({ isCurrent, state }) => isCurrent && (state === 'confirmed' || state === 'likely'));
    if (named !== undefined) return named.title;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('no finding');
}

/** Resolves once the server has read its GPUs: one that has not is not asked in place of the driver. */
async function sampled(address: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { gpus } = (await (await fetch(new URL('api/v1/gpus', address))).json()) as ApiGpus;
    if (gpus.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('no GPU');
}

/** How many places of the chart of a GPU's own page are drawn. */
function drawn(screen: string): number {
  return screen.match(/[\u2801-\u28ff]/g)?.length ?? 0;
}

describe('of a server that somebody names', { timeout: 150_000 }, () => {
  test('the charts have a past at once, events and findings are told', async () => {
    const address = await serve('127.0.0.1:0', '--source', 'simulate:demo');
    const cause = await diagnosed(address);
    terminal.top(['--lang', 'en', '--server', address]);
    const main = await terminal.until((text) => text.includes(`▲ ${cause}  GPU `) && drawn(text) > 500);
    expect(main).toMatch(/simulated, not this machine/);
    expect(main).toMatch(/FINDINGS \(\d+\) · EVENTS, LAST HOUR \(\d+\)/);
    terminal.press('e');
    const events = await terminal.until(/What to do: /);
    expect(events).toContain(`▲ ${cause}  GPU `);
    expect(events).toMatch(/ {2}(confirmed|likely)$/m);
    expect(events).toMatch(/GPU 3 is throttled/);
    terminal.press('Escape');
    await terminal.until((text) => !text.includes('What to do: '));
    terminal.press('3');
    // The clock and the traffic are asked for when the page of the GPU is opened.
    await terminal.until((text) => {
      const lines = text.split('\n');
      const title = lines.findIndex((line) => /^SM clock/.test(line));
      return title > 0 && drawn(lines.slice(title + 1, title + 6).join('')) > 200;
    });
    terminal.press(']', ']', 'Escape');
    await terminal.until(/LAST 1 h/);
  });

  test('a server that goes away is told of with the age of what is shown, and is found again', async () => {
    const address = await serve('127.0.0.1:0', '--source', 'simulate:demo');
    terminal.top(['--lang', 'en', '--server', address]);
    await terminal.until(/^ +0 /m);
    const [server] = servers;
    server?.kill('SIGKILL');
    expect(await terminal.until(/The server is gone/)).toMatch(/next try in \d+ s\. Values are .* old\./);
    await serve(new URL(address).host, '--source', 'simulate:demo', '--data', join(folder, 'other'));
    await terminal.until(/The server is back/);
    expect(terminal.text()).not.toMatch(/is gone/);
    terminal.press('q');
    await terminal.until(BACK_IN_SHELL);
  });

  test('that is not one the error says so', async () => {
    terminal.top(['--lang', 'en', '--server', 'not-an-address']);
    await terminal.until(/gpulse: .*--server.*not-an-address/);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('of this machine', { timeout: 150_000 }, () => {
  test('serve is found by itself and the driver is left alone; --no-server reads the driver', async () => {
    const driver = new FakeDriver({ script: 'gpus 2\n' });
    const address = await serve('127.0.0.1:0', '--nvml-library', driver.library);
    await sampled(address);
    terminal.top(['--lang', 'en']);
    expect(await terminal.until(/2 GPUs/)).toContain(`by ${new URL(address).host}`);
    terminal.press('q');
    await terminal.until(BACK_IN_SHELL);
    driver.dispose();
  });
});
