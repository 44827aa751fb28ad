import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { decompressed } from './decompressor.ts';
import { openRecordingReader } from './recording-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'gpulse-compressed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEADER = 'timestamp, index, utilization.gpu [%]\n';

function row(second: number): string {
  return `${new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().slice(0, 23).replace('T', ' ')}, 0, ${second % 100} %\n`;
}

function log(rows: number): string {
  return HEADER + Array.from({ length: rows }, (_, second) => row(second)).join('');
}

async function rowsOf(bytes: Uint8Array): Promise<number> {
  const path = join(folder, 'log');
  writeFileSync(path, bytes);
  const reader = await openRecordingReader({ path, timeZone: 'UTC' });
  let ticks = 0;
  for await (const _ of reader) ticks++;
  const { format, rows } = reader.summary();
  expect(format).toBe('csv');
  expect(rows).toBe(ticks);
  return rows;
}

const COMPRESSED = [
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
] as const;

describe.each(COMPRESSED)('a log in %s', (kind, compress) => {
  test('is read like the log itself', async () => {
    expect(await rowsOf(compress(log(5)))).toBe(5);
    // Longer than what is read at a time, compressed or not.
    expect(await rowsOf(compress(log(60_000)))).toBe(60_000);
  });

  test('of several pieces, as a recorder that was started again appends them, is one log', async () => {
    const pieces = [log(3), row(3) + row(4)].map((text) => compress(text));
    expect(await rowsOf(Buffer.concat(pieces))).toBe(5);
    // Pieces of every size, cut anywhere by how the file is read.
    const texts = [log(1), ...Array.from({ length: 400 }, (_, second) => row(second + 1)), row(401).repeat(1)];
    expect(await rowsOf(Buffer.concat(texts.map((text) => compress(text))))).toBe(402);
    expect(await rowsOf(Buffer.concat([compress(log(60_000)), compress(row(60_000))]))).toBe(60_001);
  });

  test('that ends early is read as far as it goes', async () => {
    const whole = compress(log(20_000));
    const rows = await rowsOf(whole.subarray(0, whole.length - 2000));
    expect(rows).toBeGreaterThan(10_000);
    expect(rows).toBeLessThan(20_000);
  });

  test('that is damaged further on is read up to there', async () => {
    const damaged = Buffer.from(compress(log(20_000)));
    damaged.fill(0xff, damaged.length >> 1, (damaged.length >> 1) + 64);
    expect(await rowsOf(damaged)).toBeLessThan(20_000);
  });

  test('that holds nothing is an empty one, and one that is no log is not recognised', async () => {
    await expect(rowsOf(compress(''))).rejects.toMatchObject({ code: expect.stringMatching(/RECORDING_/) });
    await expect(rowsOf(compress('once upon a time\n'))).rejects.toMatchObject({ code: 'RECORDING_NOT_RECOGNISED' });
  });

  test('is never held as a whole, however much comes out of little', async () => {
    const bytes = compress(new Uint8Array(64 * 2 ** 20));
    let read = 0;
    const next = decompressed(async () => {
      const chunk = bytes.subarray(read, read + 512);
      read += chunk.length;
      return chunk.length === 0 ? null : chunk;
    }, kind);
    const first = await next();
    expect(first?.length).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(Math.max(512, bytes.length / 2));
    let length = first?.length ?? 0;
    for (let chunk = await next(); chunk !== null; chunk = await next()) length += chunk.length;
    expect(length).toBe(64 * 2 ** 20);
  });
});

test('what zstd is told to skip holds no rows', async () => {
  const skipped = Buffer.concat([Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 5, 0, 0, 0]), Buffer.from('row 1')]);
  const checked = (text: string) => zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  expect(await rowsOf(Buffer.concat([checked(log(2)), skipped, checked(row(2)), skipped]))).toBe(3);
});

test('a file that gzip has not finished, as that of a recorder that runs, is read as far as it was flushed', async () => {
  const flushed = gzipSync(log(100), { finishFlush: constants.Z_SYNC_FLUSH });
  expect(await rowsOf(flushed)).toBe(100);
});
