import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ProcessDirectory } from './procfs.ts';
import { UserNames } from './users.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gpulse-proc-'));
  useNamespace('pid:[4026531836]');
  writeFileSync(join(root, 'passwd'), 'root:x:0:0::/root:/bin/sh\nzhang:x:1000:1000::/home/zhang:/bin/sh\n');
});

afterEach(() => rmSync(root, { recursive: true }));

function useNamespace(name: string): void {
  mkdirSync(join(root, 'self/ns'), { recursive: true });
  rmSync(join(root, 'self/ns/pid'), { force: true });
  symlinkSync(name, join(root, 'self/ns/pid'));
}

function addProcess(pid: number, command: string, startTime: number, argv: string[]): void {
  const fields = ['S', ...Array<string>(18).fill('0'), String(startTime), '0'];
  mkdirSync(join(root, String(pid)), { recursive: true });
  writeFileSync(join(root, String(pid), 'stat'), `${pid} (${command}) ${fields.join(' ')}\n`);
  writeFileSync(join(root, String(pid), 'cmdline'), `${argv.join('\0')}\0`);
}

function directory(): ProcessDirectory {
  return new ProcessDirectory(root, new UserNames(join(root, 'passwd')));
}

test('names a process and its user', () => {
  addProcess(42, 'python3', 100, ['/usr/bin/python3', 'train.py']);
  expect(directory().lookup(42, 0)).toEqual({ name: 'python3', user: 'root' });
});

test.each([
  ['python3', ['/usr/bin/python3', 'train.py'], 'python3'],
  ['a-very-long-pro', ['/opt/a-very-long-program'], 'a-very-long-program'],
  ['MainThread', ['/usr/bin/node', 'server.js'], 'node'],
  ['My Program', ['/opt/My Tools/My Program'], 'My Program'],
  ['VLLM::EngineCor', ['VLLM::EngineCore_DP0'], 'VLLM::EngineCore_DP0'],
  ['sshd', ['sshd: li@pts/0'], 'sshd:'],
  ['tmux: (server)', [''], 'tmux: (server)'],
])('%s with the arguments %j is %s', (command, argv, want) => {
  addProcess(42, command, 100, argv);
  expect(directory().lookup(42, 0).name).toBe(want);
});

test('does not give a reused pid the old name', () => {
  const processes = directory();
  addProcess(42, 'python3', 100, ['python3']);
  expect(processes.lookup(42, 0).name).toBe('python3');
  addProcess(42, 'bash', 200, ['bash']);
  expect(processes.lookup(42, 10_000).name).toBe('bash');
});

test('a process that is gone has no name', () => {
  expect(directory().lookup(43, 0)).toEqual({ name: null, user: null });
});

test('names nothing in a private pid namespace, where the pids of the driver are not ours', () => {
  useNamespace('pid:[4026532001]');
  addProcess(42, 'python3', 100, ['python3']);
  expect(directory().lookup(42, 0)).toEqual({ name: null, user: null });
});

test('an unknown user id is shown as a number', () => {
  const users = new UserNames(join(root, 'passwd'));
  expect([users.nameOf(1000), users.nameOf(4711)]).toEqual(['zhang', '4711']);
});
