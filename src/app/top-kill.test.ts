import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../model/clock.ts';
import { Background } from '../owners/background.ts';
import { ProcessDirectory } from '../owners/process/process-directory.ts';
import { UserNames } from '../owners/process/users.ts';
import { TopKill } from './top-kill.ts';

let sleeper: ChildProcess;
let pid: number;
let folder: string;

beforeEach(() => {
  sleeper = spawn('sleep', ['600'], { stdio: 'ignore' });
  pid = sleeper.pid ?? 0;
  folder = mkdtempSync(join(tmpdir(), 'gpulse-kill-'));
});

afterEach(() => {
  sleeper.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** When it started, as the table of processes has it. */
function startedAt(): number | null {
  const users = new UserNames({ clock: systemClock, background: new Background(), path: '/etc/passwd', ask: null });
  return new ProcessDirectory('/proc', systemClock, users).look(pid).startedAt;
}

function ended(): Promise<string | null> {
  return new Promise((resolve) => sleeper.once('exit', (_code, signal) => resolve(signal)));
}

test('a process that is the listed one gets the signal', async () => {
  const end = ended();
  expect(new TopKill(systemClock).send({ pid, startedAt: startedAt() }, 'SIGTERM')).toBe('sent');
  expect(await end).toBe('SIGTERM');
});

test('a process that was given the pid later does not', () => {
  const listed = { pid, startedAt: (startedAt() ?? 0) - 10_000 };
  expect(new TopKill(systemClock).send(listed, 'SIGKILL')).toBe('other');
  expect(sleeper.signalCode).toBe(null);
});

test('one of which the start is not known does not', () => {
  expect(new TopKill(systemClock).send({ pid, startedAt: null }, 'SIGKILL')).toBe('unknown');
});

test.each([0, 1, -1, 1.5, Number.NaN])('pid %d is no process to signal', (odd) => {
  expect(new TopKill(systemClock).send({ pid: odd, startedAt: 0 }, 'SIGKILL')).toBe('unknown');
});

test('one that has ended is said to be gone', async () => {
  const listed = { pid, startedAt: startedAt() };
  const end = ended();
  sleeper.kill('SIGKILL');
  await end;
  expect(new TopKill(systemClock).send(listed, 'SIGTERM')).toBe('gone');
});

test('one that procfs shows and that ends before the signal is said to be gone', async () => {
  const listed = { pid, startedAt: startedAt() };
  mkdirSync(join(folder, String(pid)));
  writeFileSync(join(folder, String(pid), 'stat'), readFileSync(`/proc/${pid}/stat`));
  for (const file of ['stat', 'uptime']) writeFileSync(join(folder, file), readFileSync(`/proc/${file}`));
  const end = ended();
  sleeper.kill('SIGKILL');
  await end;
  expect(new TopKill(systemClock, folder).send(listed, 'SIGTERM')).toBe('gone');
});
