import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openRecordingReader, type RecordingOptions } from './recording-reader.ts';

const MAKE_PIPE = 'mkfifo';
const LOGS = resolve(import.meta.dirname, '../../../testdata/logs/csv');

const directory = mkdtempSync(join(tmpdir(), 'gpulse-recording-'));
afterAll(() => rmSync(directory, { recursive: true }));

function write(content: string | Uint8Array): string {
  const path = join(directory, 'log.csv');
  writeFileSync(path, content);
  return path;
}

test('what cannot be read or is no log is refused with its reason', async () => {
  const check = (options: RecordingOptions, code: string, params: object) =>
    expect(openRecordingReader(options)).rejects.toMatchObject({ code, params });
  const path = join(directory, 'missing.csv');
  await check({ path }, 'FILE_UNREADABLE', { path, detail: 'no such file or directory' });
  await check({ path: directory }, 'FILE_UNREADABLE', { path: directory });
  await check({ path: write('') }, 'RECORDING_BLANK', {});
  await check({ path: write('hello\n\nworld\n') }, 'RECORDING_NOT_RECOGNISED', { rows: 2 });
  await check({ path: write('No devices were found\n') }, 'RECORDING_NOT_RECOGNISED', { rows: 1 });
  await check({ path: write('gpu_uuid, retired_pages.address\nGPU-1, 0x1\n') }, 'RECORDING_NOT_RECOGNISED', {
    rows: 2,
  });
  await check({ path: write('index\n'), timeZone: 'Mars/Olympus' }, 'BAD_OPTION', { value: 'Mars/Olympus' });
});

test('a log is found behind thousands of other lines', async () => {
  const reader = await openRecordingReader({
    path: write(`${'training step\n'.repeat(5000)}index, utilization.gpu [%]\n0, 35 %\n`),
  });
  expect((await reader.next())?.devices[0]?.readings.get('utilization_ratio')).toBe(0.35);
  expect(await reader.next()).toBe(null);
  expect(reader.summary()).toMatchObject({ rows: 1, skippedRows: { 'stray-text': 5000 } });
  await reader.close();
});

test('a log without a row that can be read is refused, and says why', async () => {
  const check = (log: string, skipped: string) =>
    expect(openRecordingReader({ path: write(log) })).rejects.toMatchObject({
      code: 'RECORDING_EMPTY',
      params: { skipped },
    });
  await check('timestamp, index, utilization.gpu [%]\n', '0');
  await check('index, utilization.gpu [%]\n0, 5 %, 7\n1, 6 %, 8\nhello\n', '3 (wrong-columns 2, stray-text 1)');
});

test('the columns of a pipe are decided without waiting for hundreds of rows', { timeout: 20_000 }, async () => {
  const path = join(directory, 'pipe');
  execFileSync(MAKE_PIPE, [path]);
  const writing = open(path, 'w');
  const opening = openRecordingReader({ path });
  const pipe = await writing;
  await pipe.write('index, utilization.gpu [%]\n0, 1 %\n0, 2 %\n');
  const reader = await opening;
  const nextUtilisation = async () => (await reader.next())?.devices[0]?.readings.get('utilization_ratio');
  expect(await nextUtilisation()).toBe(0.01);
  await pipe.write('0, 3 %\n');
  expect(await nextUtilisation()).toBe(0.02);
  await pipe.close();
  expect(await nextUtilisation()).toBe(0.03);
  expect(await reader.next()).toBe(null);
  await reader.close();
});

test('a pipe with a header and no rows yet is open, and waits for them', { timeout: 20_000 }, async () => {
  const path = join(directory, 'slow-pipe');
  execFileSync(MAKE_PIPE, [path]);
  const writing = open(path, 'w');
  const opening = openRecordingReader({ path });
  const pipe = await writing;
  await pipe.write('index, utilization.gpu [%]\n');
  const reader = await opening;
  expect(reader.devices()).toEqual([]);
  await pipe.write('1, 7 %\n');
  await pipe.close();
  expect((await reader.next())?.devices[0]?.device.index).toBe(1);
  await reader.close();
});

test('a log written by PowerShell is read', async () => {
  const log =
    '\ufefftimestamp, index, name, utilization.gpu [%]\r\n2026/06/22 23:04:33.535, 0, NVIDIA GeForce RTX 2080, 7 %\r\n';
  const reader = await openRecordingReader({ path: write(Buffer.from(log, 'utf16le')), timeZone: 'Asia/Shanghai' });
  expect(await reader.next()).toMatchObject({ at: Date.UTC(2026, 5, 22, 15, 4, 33, 535) });
  expect(reader.devices()).toMatchObject([{ name: 'NVIDIA GeForce RTX 2080', index: 0 }]);
  await reader.close();
});

test('times without a date count from the anchor, or from when the file was made', async () => {
  const path = write('elapsed_sec,gpu_util\n0.5,10\n1.5,20\n');
  const anchored = await openRecordingReader({ path, anchor: 1_000_000 });
  expect([(await anchored.next())?.at, (await anchored.next())?.at]).toEqual([1_000_500, 1_001_500]);
  const before = Date.now();
  const made = await openRecordingReader({ path: write('elapsed_sec,gpu_util\n0,10\n') });
  expect(Math.abs((await made.next())!.at - before)).toBeLessThan(60_000);
  await Promise.all([anchored.close(), made.close()]);
});

test('leaving a loop early closes the file', async () => {
  const reader = await openRecordingReader({ path: join(LOGS, 'rtx2070-gap180s.csv') });
  for await (const _ of reader) break;
  await reader.close();
});

test('ticks come in groups as they come one by one', async () => {
  const path = join(LOGS, 'rtx2070-gap180s.csv');
  const [single, grouped] = await Promise.all([openRecordingReader({ path }), openRecordingReader({ path })]);
  const one = await single.next();
  const all = one === null ? [] : [one];
  for await (const tick of single) all.push(tick);
  const groups = [[await grouped.next()]];
  for (let ticks = await grouped.nextTicks(); ticks !== null; ticks = await grouped.nextTicks())
    groups.push([...ticks]);
  expect(groups.flat()).toEqual(all);
  expect(groups.every(({ length }) => length > 0)).toBe(true);
  expect(await grouped.nextTicks()).toBeNull();
  expect(grouped.devices()).toEqual(single.devices());
});
