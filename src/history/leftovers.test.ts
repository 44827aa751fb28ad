import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeLeftovers } from './leftovers.ts';
import { lockDirectory } from './lock.ts';

let place: string;
let own: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
  own = folder('gpulse-mine01', 'history.pid');
});

afterEach(() => rmSync(place, { recursive: true, force: true }));

/** A directory with these files, as a killed process would leave it. */
function folder(name: string, ...files: string[]): string {
  const path = join(place, name);
  mkdirSync(path, { mode: 0o700 });
  for (const file of files) writeFileSync(join(path, file), '');
  return path;
}

/** Pretends that nothing was created or removed in it for so long. */
function age(path: string, seconds: number): void {
  const at = lstatSync(own).mtimeMs / 1000 - seconds;
  utimesSync(path, at, at);
}

const KILLED = ['history.pid', 'history.lock', 'history.db', 'history.db-wal', 'history.db-shm'] as const;

test('what a killed process left is removed, its own directory is not', () => {
  const left = folder('gpulse-aZ09bc', ...KILLED);
  removeLeftovers(own);
  expect([existsSync(left), existsSync(own)]).toEqual([false, true]);
});

test('one whose lock is held stays, with every file', () => {
  const held = folder('gpulse-aZ09bc', ...KILLED);
  const release = lockDirectory(held);
  removeLeftovers(own);
  expect(KILLED.map((file) => existsSync(join(held, file)))).toEqual(KILLED.map(() => true));
  release();
});

test('one without a pid file may be about to be locked, and goes only after an hour', () => {
  const paths = ['gpulse-empty0', 'gpulse-empty1'].map((name) => folder(name));
  const locked = folder('gpulse-locked', 'history.lock');
  age(paths[1]!, 3601);
  age(locked, 3500);
  removeLeftovers(own);
  expect([...paths, locked].map((path) => existsSync(path))).toEqual([true, false, true]);
});

test('whatever is not certainly ours stays', () => {
  const foreign = folder('gpulse-foreig', ...KILLED, 'notes.txt');
  const open = folder('gpulse-public', ...KILLED);
  chmodSync(open, 0o755);
  const named = folder('gpulse-history', ...KILLED);
  const kept = folder('elsewhere', ...KILLED);
  const link = join(place, 'gpulse-linked');
  symlinkSync(kept, link);
  const file = join(place, 'gpulse-aFile0');
  writeFileSync(file, '');
  const all = [foreign, open, named, kept, link, file];
  for (const path of [foreign, open, named, kept]) age(path, 1e6);
  removeLeftovers(own);
  expect(all.map((path) => existsSync(path))).toEqual(all.map(() => true));
  expect(KILLED.map((name) => existsSync(join(kept, name)))).toEqual(KILLED.map(() => true));
});

/** A process with a temporary history below `place`, and the path of that history. */
async function start(): Promise<{ path: string; kill: () => Promise<void> }> {
  const script = `
    import { openHistory } from '${import.meta.dirname}/history.ts';
    import { systemClock } from '${import.meta.dirname}/../model/clock.ts';
    const history = await openHistory({ directory: null, origin: 'recorded', clock: systemClock });
    console.log(history.status().path);
    setInterval(() => {}, 1000);`;
  const env = { ...process.env, TMPDIR: place };
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  };
  return { path: line.toString().trim(), kill };
}

test('the next temporary history removes that of a process killed by kill -9, and none in use', {
  timeout: 30_000,
}, async () => {
  const [killed, alive] = [await start(), await start()];
  await killed.kill();
  expect(existsSync(killed.path)).toBe(true);
  const next = await start();
  await expect.poll(() => existsSync(killed.path), { timeout: 5000 }).toBe(false);
  expect([existsSync(join(alive.path, 'history.db')), existsSync(join(next.path, 'history.db'))]).toEqual([true, true]);
  await alive.kill();
  await next.kill();
});
