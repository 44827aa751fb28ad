import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openRecordingReader, type RecordingOptions } from './recording-reader.ts';

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
  await check({ path: write('') }, 'RECORDING_NOT_RECOGNISED', { rows: 0 });
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

test('a log with a header and no rows has no ticks', async () => {
  const reader = await openRecordingReader({ path: write('timestamp, index, utilization.gpu [%]\n') });
  expect(await reader.next()).toBe(null);
  expect(reader.summary()).toMatchObject({ rows: 0, gpus: 0, from: null, to: null });
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
