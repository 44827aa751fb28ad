import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiHealth } from '../src/model/api.ts';

const ROOT = resolve(import.meta.dirname, '..');

let clone: string;
let server: ChildProcess;
let output = '';

/** Resolves with the address the command prints. */
function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+\S*/.exec(output)?.[0];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${output}`)));
  });
}

// The environment of a person, not of the npm that runs the tests: no npm_* settings, no node of ours on PATH.
const PERSON = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|VITEST|INIT_CWD)/.test(name))),
  PATH: (process.env['PATH'] ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':'),
};

beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'gpulse-newcomer-'));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of files.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(ROOT, file), join(clone, file));
  }
  execFileSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: clone,
    env: PERSON,
    stdio: 'pipe',
  });
  server = spawn('npm', ['start', '--', '--listen', '127.0.0.1:0', '--lang', 'en'], {
    cwd: clone,
    env: PERSON,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}, 300_000);

afterAll(() => {
  if (server?.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
  rmSync(clone, { recursive: true, force: true });
});

test('"npm ci && npm start" in an empty clone serves the dashboard and says what it shows', async () => {
  const url = await printedAddress(server);
  const page = await (await fetch(url)).text();
  expect(page).toContain('<script type="module"');
  const health = (await (await fetch(new URL('api/v1/health', url))).json()) as ApiHealth;
  expect(health.source.state).toBe('running');
  if (health.source.origin === 'simulated') {
    expect(health.source.reason).not.toBeNull();
    expect(output).toContain('SIMULATED DEMONSTRATION');
  }
}, 120_000);
