import { expect, test } from 'vitest';
import { ADMINISTRATOR } from '../../model/ports.ts';
import type { DeviceView } from '../../model/reader.ts';
import { testDevice } from '../../model/scripted-source.ts';
import { fullView, MemoryReader } from '../memory-reader.ts';
import { chooseGpus, chooseMetrics } from './choice.ts';
import { nearest } from './edit-distance.ts';

const DEVICES = [fullView(0, 0), fullView(1, 0), fullView(7, 0)];

function readerOf(devices: readonly DeviceView[]): MemoryReader {
  const reader = new MemoryReader();
  reader.current = { sequence: 1, at: 0, devices };
  reader.removed = [testDevice(9, { uuid: 'GPU-gone' })];
  return reader;
}

test('chooseGpus takes UUIDs, indexes and all, each device once', async () => {
  const check = async (names: string[] | undefined, want: string[]) =>
    expect(await chooseGpus(names, readerOf(DEVICES), ADMINISTRATOR)).toEqual(want);
  await check(undefined, ['GPU-0', 'GPU-1', 'GPU-7']);
  await check(['all'], ['GPU-0', 'GPU-1', 'GPU-7']);
  await check(['7', 'GPU-0'], ['GPU-7', 'GPU-0']);
  await check(['07', 'GPU-7', '7'], ['GPU-7']);
  await check(['0', 'GPU-gone'], ['GPU-0', 'GPU-gone']);
});

test('chooseGpus names the one that is unknown; a card that is gone is known by UUID, not by index', async () => {
  for (const name of ['2', 'GPU-9', 'gpu-0', '-1', '0.0', '99999999', '9']) {
    await expect(chooseGpus(['0', name], readerOf(DEVICES), ADMINISTRATOR), name).rejects.toMatchObject({
      code: 'UNKNOWN_GPU',
      params: { name },
    });
  }
});

test('chooseGpus refuses a parameter without a value rather than taking it for all', async () => {
  await expect(chooseGpus([], readerOf(DEVICES), ADMINISTRATOR)).rejects.toMatchObject({ code: 'BAD_QUERY' });
});

test('an index two devices share stands for both', async () => {
  const twin = fullView(1, 0);
  const devices = [...DEVICES, { ...twin, device: { ...twin.device, uuid: 'AMD-1' } }];
  expect(await chooseGpus(['1'], readerOf(devices), ADMINISTRATOR)).toEqual(['GPU-1', 'AMD-1']);
});

test('chooseMetrics wants at least one and at most thirty-two known ones', () => {
  expect(chooseMetrics(['power_watts', 'utilization_ratio'])).toEqual(['power_watts', 'utilization_ratio']);
  const check = (names: string[] | undefined, code: string) =>
    expect(() => chooseMetrics(names)).toThrow(expect.objectContaining({ code }));
  check(undefined, 'MISSING_PARAMETER');
  check([], 'MISSING_PARAMETER');
  check(
    Array.from({ length: 33 }, (_, i) => `m${i}`),
    'BAD_QUERY',
  );
  check(['power_watts', 'power_wats'], 'UNKNOWN_METRIC');
  check(['constructor'], 'UNKNOWN_METRIC');
});

test('nearest finds what was meant, and does not guess where nothing is near', () => {
  const known = ['power_watts', 'power_limit_watts', 'utilization_ratio', 'temperature_celsius'];
  const check = (name: string, want: string | null) => expect(nearest(name, known)).toBe(want);
  check('power_wats', 'power_watts');
  check('powerwatts', 'power_watts');
  check('utilisation_ratio', 'utilization_ratio');
  check('temperature_c', 'temperature_celsius');
  check('power_limit', 'power_limit_watts');
  check('celsius', 'temperature_celsius');
  check('', null);
  check('foo', null);
  check('p', null);
  check('watts_of_power', null);
  check('x'.repeat(100_000), null);
});
