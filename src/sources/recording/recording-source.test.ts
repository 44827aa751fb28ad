import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { sourceContract } from '../source.contract.ts';
import { openRecording } from './recording-source.ts';

const LOGS = resolve(import.meta.dirname, '../../../testdata/logs/csv');

sourceContract('a recording of one GPU', () => openRecording({ path: join(LOGS, 'rtx2070-header-per-row.csv') }));
sourceContract('a recording of eight GPUs', () =>
  openRecording({ path: join(LOGS, 'h100x8-iso-tz-index-always-0.csv') }),
);
sourceContract('a recording of every field', () => openRecording({ path: join(LOGS, 'h100-590-all-fields-load.csv') }));
sourceContract('a recording of processes', () => openRecording({ path: join(LOGS, 'win-591-compute-apps.csv') }));

test('a recording is named by its path, stamps its own times and ends', async () => {
  const path = join(LOGS, 'jetson-orin-all-na.csv');
  const source = await openRecording({ path, anchor: 5000 });
  expect([source.name, source.origin]).toEqual([`replay:${path}`, 'recorded']);
  expect((await source.sample(1))?.at).toBe(5000);
  expect(await source.sample(2)).toBe(null);
  expect(await source.sample(3)).toBe(null);
  expect(source.notices().map(({ key }) => key)).toContain('notice.times-assumed');
  await source.close();
});

test('another name may be given', async () => {
  const source = await openRecording({ path: join(LOGS, 'jetson-orin-all-na.csv'), name: 'night.csv' });
  expect(source.name).toBe('replay:night.csv');
  await source.close();
});

test('a device is known from its first tick on, although the log is read ahead', async () => {
  const source = await openRecording({ path: join(LOGS, 'table-then-csv-with-nul-runs.csv') });
  const known: number[] = [];
  while ((await source.sample(0)) !== null) known.push(source.devices().length);
  expect([known[0], known.at(-2), known.at(-1)]).toEqual([1, 1, 2]);
  await source.close();
});
