import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Outbox } from '../outbox.ts';
import { KEEP_ALL } from '../retention.ts';
import { START, sampleEvent, sampleTick } from '../sample-ticks.ts';
import { Store } from '../store.ts';
import { storedColumns } from '../stored-columns.ts';
import { openTickReader } from '../tick-reader.ts';

const TICKS = 8000;
let directory: string;
let file: string;

function watts(i: number, gpu: number): number {
  return (((i + gpu * 7919) * 2_654_435_761) % 100_003) / 1000;
}

function open(): Store {
  return Store.open({ directory, origin: 'live', columns: storedColumns(), retention: KEEP_ALL, blockRows: 60 });
}

function finish(steps: Generator<void, unknown> | null): void {
  while (steps !== null && !steps.next().done);
}

function write(store: Store, from: number, to: number): void {
  const outbox = new Outbox();
  for (let i = from; i < to; i++) {
    const rows = [0, 1].map((gpu) => ({ power_watts: watts(i, gpu), energy_joules_total: i * 300 + watts(i, gpu) }));
    outbox.add(sampleTick(START + i * 1000, rows, i % 500 === 0 ? [sampleEvent(START + i * 1000, 'GPU-0')] : []));
    if (i % 40 !== 39 && i < to - 1) continue;
    store.write(outbox.take());
    finish(store.seal());
  }
}

async function ticksIn(): Promise<number[]> {
  const reader = openTickReader(directory);
  const found: number[] = [];
  for await (const { at, samples } of reader.ticks(0, Number.MAX_SAFE_INTEGER)) {
    const i = (at - START) / 1000;
    // Whatever is given back is what was sampled.
    expect(samples.map(({ readings }) => readings.get('power_watts'))).toEqual([watts(i, 0), watts(i, 1)]);
    found.push(i);
  }
  reader.close();
  return found;
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
  file = join(directory, 'history.db');
  const store = open();
  write(store, 0, TICKS);
  store.close();
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Opens the damaged history, takes over what there is, writes on, and returns the ticks it then holds. */
async function rescue(): Promise<number[]> {
  const store = open();
  write(store, TICKS, TICKS + 100);
  finish(store.takeOver());
  finish(store.seal());
  expect(store.devices.list().map(({ uuid }) => uuid)).toEqual(['GPU-0', 'GPU-1']);
  expect(store.state().damage).toMatchObject({ code: 'HISTORY_SALVAGED' });
  store.close();
  expect(readdirSync(directory).filter((name) => name.startsWith('history.damaged-'))).toHaveLength(1);
  const ticks = await ticksIn();
  expect(new Set(ticks).size).toBe(ticks.length);
  expect(ticks.slice(-100)).toEqual(Array.from({ length: 100 }, (_, i) => TICKS + i));
  return ticks.slice(0, -100);
}

describe('a file that is damaged', () => {
  test.each([0.95, 0.7, 0.4])(
    'cut to %f of its length gives back what is whole',
    { timeout: 30_000 },
    async (share) => {
      const size = readFileSync(file).length;
      truncateSync(file, Math.floor(size * share));
      const ticks = await rescue();
      expect(ticks.length).toBeGreaterThan(TICKS * share * 0.4);
      const again = open();
      expect(again.takeOver()).toBeNull();
      const { code, params } = again.state().damage!;
      expect([code, params['ticks']]).toEqual(['HISTORY_SALVAGED', expect.any(Number)]);
      again.close();
    },
  );

  test('with its first page gone gives back everything', { timeout: 30_000 }, async () => {
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0, 0, 2048));
    expect(await rescue()).toHaveLength(TICKS);
  });

  test('with torn pages anywhere gives back the rest, in whatever place they are', { timeout: 120_000 }, async () => {
    const sound = `${directory}/sound`;
    copyFileSync(file, sound);
    const pages = readFileSync(sound).length / 2048;
    for (let page = 1; page < pages; page += Math.ceil(pages / 12)) {
      const bytes = readFileSync(sound);
      writeFileSync(file, bytes.fill(0x5a, page * 2048 + 700, (page + 1) * 2048));
      const store = open();
      finish(store.takeOver());
      finish(store.seal());
      store.close();
      // Without the names of the devices or the metrics nothing can be said; every other page costs its own rows only.
      const ticks = await ticksIn().catch(() => []);
      expect(ticks.length, `page ${page}`).toBeGreaterThan(page < 12 ? -1 : TICKS - 1500);
      for (const name of readdirSync(directory)) if (name !== 'sound') rmSync(join(directory, name));
    }
  });

  test('what was interrupted goes on', { timeout: 30_000 }, async () => {
    truncateSync(file, Math.floor(readFileSync(file).length * 0.7));
    const first = open();
    const steps = first.takeOver();
    for (let i = 0; i < 30; i++) steps?.next();
    first.close();
    const ticks = await (async () => {
      const store = open();
      finish(store.takeOver());
      finish(store.seal());
      store.close();
      return await ticksIn();
    })();
    expect(new Set(ticks).size).toBe(ticks.length);
    expect(ticks.length).toBeGreaterThan(TICKS * 0.3);
  });

  test('and whose replacement was interrupted is opened all the same', { timeout: 30_000 }, async () => {
    truncateSync(file, Math.floor(readFileSync(file).length * 0.7));
    open().close();
    // As if the process had been killed between the two renames.
    renameSync(file, join(directory, 'history.new.db'));
    const store = open();
    finish(store.takeOver());
    store.close();
    expect((await ticksIn()).length).toBeGreaterThan(TICKS * 0.3);
  });

  test('is left as it is where there is no place for a new one', () => {
    truncateSync(file, Math.floor(readFileSync(file).length * 0.7));
    const damaged = readFileSync(file);
    mkdirSync(join(directory, 'history.new.db', 'in the way'), { recursive: true });
    expect(() => open()).toThrow(expect.objectContaining({ name: 'StoreError' }));
    expect(readFileSync(file)).toEqual(damaged);
    expect(readdirSync(directory).some((name) => name.startsWith('history.damaged-'))).toBe(false);
  });

  test('but holds nothing of ours is refused and left alone', () => {
    const bytes = Buffer.from('once upon a time\n'.repeat(2000));
    writeFileSync(file, bytes);
    expect(() => open()).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ code: 'HISTORY_UNUSABLE' }) }),
    );
    expect(readFileSync(file)).toEqual(bytes);
  });
});
