import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Spool } from './spool.ts';

const root = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ROOM = 1e6;
const PLACE = { pass: 1, last: 2, from: 1, to: 2 };
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(root, 'queue-'));
});

function open(maxBytes = ROOM, metrics: readonly string[] = ['a', 'b']): Promise<Spool> {
  return Spool.open(directory, maxBytes, metrics);
}

function record(number: number, bytes = 20): Buffer {
  return Buffer.from(`${number} `.padEnd(bytes, 'x'));
}

function numbersIn(records: readonly Buffer[]): readonly number[] {
  return records.map((bytes) => Number.parseInt(bytes.toString(), 10));
}

/** Takes everything out. */
async function drain(spool: Spool, most = 1000): Promise<readonly number[]> {
  const found: number[] = [];
  for (let portion = await spool.peek(most); portion !== null; portion = await spool.peek(most)) {
    found.push(...numbersIn(portion.records));
    await spool.advance(portion.next, PLACE);
  }
  return found;
}

function files(): readonly string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.spool'))
    .sort()
    .map((name) => join(directory, name));
}

describe('the queue on the disk', () => {
  test('gives records back in their order, and goes on where it was after any end of the process', async () => {
    const first = await open();
    await first.append([0, 1, 2].map((i) => record(i)));
    await first.append([record(3)]);
    expect(first.queued).toBe(4);
    const portion = await first.peek(2);
    expect(numbersIn(portion!.records)).toEqual([0, 1]);
    expect(portion!.metrics).toEqual(['a', 'b']);
    // What has been looked at and not delivered is still there.
    expect(await drain(await open())).toEqual([0, 1, 2, 3]);
    const second = await open();
    expect(second.queued).toBe(0);
    expect(second.delivered).toEqual(PLACE);
    await second.append([record(4)]);
    expect(await drain(await open())).toEqual([4]);
  });

  test('remembers what the columns of old records mean', async () => {
    await (await open(ROOM, ['a', 'b'])).append([record(0)]);
    const spool = await open(ROOM, ['c']);
    await spool.append([record(1)]);
    const metrics: (readonly string[])[] = [];
    for (let portion = await spool.peek(9); portion !== null; portion = await spool.peek(9)) {
      metrics.push(portion.metrics);
      await spool.advance(portion.next, PLACE);
    }
    expect(metrics).toEqual([['a', 'b'], ['c']]);
  });

  test('a file cut short at any byte loses only what is cut off, and takes what comes after it', async () => {
    await (await open()).append([0, 1, 2].map((i) => record(i)));
    const [file = ''] = files();
    const whole = readFileSync(file);
    for (let length = whole.length - 1; length >= 0; length -= 7) {
      writeFileSync(file, whole.subarray(0, length));
      const spool = await open();
      const kept = spool.queued;
      expect(kept).toBe(Math.min(2, Math.max(0, Math.floor((length - headerBytes(whole)) / 28))));
      await spool.append([record(7)]);
      const expected = [...[0, 1].slice(0, kept), 7];
      expect(await drain(await open())).toEqual(expected);
      for (const name of readdirSync(directory)) rmSync(join(directory, name));
    }
  });

  test('a newest file that was torn off whole has nothing delivered twice', async () => {
    const spool = await open(160_000);
    for (let i = 0; i < 9; i++) await spool.append([record(i, 2000)]);
    await drain(spool);
    await spool.append([record(9, 2000)]);
    expect(files()).toHaveLength(2);
    truncateSync(files()[1]!, 5);
    const again = await open(160_000);
    expect(again.queued).toBe(0);
    await again.append([record(10, 2000)]);
    expect(await drain(again)).toEqual([10]);
  });

  test('rubbish in the middle costs what follows it in that file, and that is counted', async () => {
    const spool = await open(160_000);
    for (let i = 0; i < 40; i++) await spool.append([record(i, 2000)]);
    expect(files().length).toBeGreaterThan(2);
    const [file = ''] = files();
    const bytes = readFileSync(file);
    bytes[bytes.length - 2500]! ^= 1;
    writeFileSync(file, bytes);
    const again = await open(160_000);
    const found = await drain(again, 4);
    expect(found.length + again.lost).toBe(40);
    expect(again.lost).toBeGreaterThan(0);
    expect(again.lost).toBeLessThan(4);
    expect(found.at(-1)).toBe(39);
  });

  test('a file that is gone is counted as lost, and the others are delivered', async () => {
    const spool = await open(160_000);
    for (let i = 0; i < 40; i++) await spool.append([record(i, 2000)]);
    rmSync(files()[1]!);
    const found = await drain(spool, 4);
    expect(found.length + spool.lost).toBe(40);
    expect(spool.lost).toBeGreaterThan(3);
  });

  test('a directory that is emptied under its feet is filled again', async () => {
    const spool = await open();
    await spool.append([record(0)]);
    rmSync(directory, { recursive: true });
    await spool.append([record(1)]);
    expect(await drain(spool)).toEqual([1]);
    expect(spool.lost).toBe(1);
  });

  test.each(['', '{', '[]', '{"record":"x"}'])(
    'a position that reads %j has everything delivered again',
    async (text) => {
      const spool = await open();
      await spool.append([0, 1].map((i) => record(i)));
      await spool.advance((await spool.peek(1))!.next, PLACE);
      writeFileSync(join(directory, 'position.json'), text);
      expect(await drain(await open())).toEqual([0, 1]);
    },
  );

  test('files that are not its own are left alone', async () => {
    writeFileSync(join(directory, 'notes.spool'), 'mine');
    const spool = await open();
    await spool.append([record(0)]);
    expect(await drain(spool)).toEqual([0]);
    expect(existsSync(join(directory, 'notes.spool'))).toBe(true);
  });

  test('a failed write leaves nothing behind', async () => {
    const spool = await open();
    await spool.append([record(0)]);
    const [file = ''] = files();
    const { size } = statSync(file);
    // What an attempt on a full disk leaves.
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from([20, 0, 0, 0, 1, 2])]));
    await spool.append([record(1)]);
    truncateSync(file, size + 28);
    expect(await drain(await open())).toEqual([0, 1]);
  });

  test('never takes more than its room; what it gives up is the oldest, and every record is accounted for', async () => {
    const step = fc.oneof(
      fc.record({ put: fc.integer({ min: 1, max: 40 }), bytes: fc.integer({ min: 10, max: 3000 }) }),
      fc.record({ take: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ takeWhilePutting: fc.integer({ min: 1, max: 60 }) }),
      fc.constant('open again' as const),
    );
    const room = 100_000;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        directory = mkdtempSync(join(root, 'queue-'));
        let spool = await open(room);
        let [put, lost] = [0, 0];
        const got: number[] = [];
        const add = async (count: number, bytes: number) => {
          for (let i = 0; i < count; i++) await spool.append([record(put++, bytes)]);
        };
        const take = async (most: number, between: () => Promise<void>) => {
          const portion = await spool.peek(most);
          await between();
          if (portion === null) return;
          got.push(...numbersIn(portion.records));
          await spool.advance(portion.next, PLACE);
        };
        for (const each of steps) {
          if (each === 'open again') {
            lost += spool.lost;
            spool = await open(room);
          } else if ('put' in each) await add(each.put, each.bytes);
          else if ('take' in each) await take(each.take, async () => {});
          else await take(10, () => add(each.takeWhilePutting, 2000));
          expect(spool.bytes).toBeLessThanOrEqual(room);
          expect(files().reduce((sum, file) => sum + statSync(file).size, 0)).toBe(spool.bytes);
          expect(spool.queuedBytes).toBeLessThanOrEqual(spool.bytes);
          expect(got.length + spool.queued + spool.lost + lost).toBe(put);
        }
        got.push(...(await drain(spool)));
        expect(got).toEqual([...new Set(got)].sort((a, b) => a - b));
        expect(got.length + spool.lost + lost).toBe(put);
        expect(spool.queuedBytes).toBe(0);
      }),
      { numRuns: 40 },
    );
  });
});

/** Bytes of the frame that says what columns mean. */
function headerBytes(file: Buffer): number {
  return 8 + file.readUInt32LE(0);
}
