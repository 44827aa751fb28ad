import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppendFile } from './append-file.ts';
import { Tail } from './tail.ts';

let folder: string;
let path: string;
let text: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-tail-'));
  path = join(folder, 'log');
  text = '';
});

afterEach(() => rmSync(folder, { recursive: true }));

function follow(isDisposable = false): Tail {
  const take = (bytes: Uint8Array): void => {
    text += Buffer.from(bytes).toString();
  };
  return new Tail({ path, isDisposable, take });
}

async function settle(): Promise<void> {
  await new Promise((done) => setTimeout(done, 1200));
}

test('a file that comes later is read from its beginning', async () => {
  const tail = follow();
  await settle();
  writeFileSync(path, 'a\n');
  await settle();
  expect(text).toBe('a\n');
  appendFileSync(path, 'b\n');
  await tail.close(5000);
  expect(text).toBe('a\nb\n');
});

test('one that was begun anew is read anew', async () => {
  writeFileSync(path, 'old and long\n');
  const tail = follow();
  await settle();
  truncateSync(path, 0);
  appendFileSync(path, 'new\n');
  await settle();
  await tail.close(5000);
  expect(text).toBe('old and long\nnew\n');
});

test('a file that only hands over is emptied once it is large, and nothing of it is lost', async () => {
  writeFileSync(path, '');
  const tail = follow(true);
  const piece = 'x'.repeat(2 ** 20);
  for (let i = 0; i < 70; i++) appendFileSync(path, piece);
  await settle();
  appendFileSync(path, 'end');
  await settle();
  await tail.close(5000);
  expect(statSync(path).size).toBeLessThan(2 ** 20);
  expect(text.length).toBe(70 * 2 ** 20 + 3);
});

test('what cannot be read in time is counted', async () => {
  writeFileSync(path, 'x'.repeat(2 ** 20));
  const tail = new Tail({ path, isDisposable: false, take: () => {} });
  expect(await tail.close(-1)).toBeGreaterThan(0);
});

test('a file that never comes is no failure', async () => {
  await follow().close(5000);
  expect(text).toBe('');
});

test('lines that cannot be written are counted, and nobody waits for them', async () => {
  const full = new AppendFile('/dev/full', 1e6);
  full.line('a');
  full.line('b');
  await full.close();
  expect(full.dropped).toBe(2);
  const small = new AppendFile(path, 10);
  for (let i = 0; i < 10; i++) small.line('12345');
  await small.close();
  expect(statSync(path).size).toBeLessThan(20);
  expect(small.dropped).toBeGreaterThan(5);
});
