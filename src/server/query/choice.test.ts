import { expect, test } from 'vitest';
import { fullView } from '../memory-reader.ts';
import { chooseGpus, chooseMetrics } from './choice.ts';
import { nearest } from './edit-distance.ts';

const DEVICES = [fullView(0, 0), fullView(1, 0), fullView(7, 0)];

test('chooseGpus takes UUIDs, indexes and all, each device once', () => {
  const check = (names: string[] | undefined, want: string[]) => expect(chooseGpus(names, DEVICES)).toEqual(want);
  check(undefined, ['GPU-0', 'GPU-1', 'GPU-7']);
  check([], ['GPU-0', 'GPU-1', 'GPU-7']);
  check(['all'], ['GPU-0', 'GPU-1', 'GPU-7']);
  check(['7', 'GPU-0'], ['GPU-7', 'GPU-0']);
  check(['07', 'GPU-7', '7'], ['GPU-7']);
});

test('chooseGpus names the one that is unknown', () => {
  const check = (name: string) =>
    expect(() => chooseGpus(['0', name], DEVICES), name).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_GPU', params: { name } }),
    );
  check('2');
  check('GPU-9');
  check('gpu-0');
  check('-1');
  check('0.0');
  check('99999999');
});

test('an index two devices share stands for both', () => {
  const twin = fullView(1, 0);
  const devices = [...DEVICES, { ...twin, device: { ...twin.device, uuid: 'AMD-1' } }];
  expect(chooseGpus(['1'], devices)).toEqual(['GPU-1', 'AMD-1']);
});

test('chooseMetrics wants one to sixteen known ones', () => {
  expect(chooseMetrics(['power_watts', 'utilization_ratio'])).toEqual(['power_watts', 'utilization_ratio']);
  const check = (names: string[] | undefined, code: string) =>
    expect(() => chooseMetrics(names)).toThrow(expect.objectContaining({ code }));
  check(undefined, 'BAD_QUERY');
  check([], 'BAD_QUERY');
  check(
    Array.from({ length: 17 }, (_, i) => `m${i}`),
    'BAD_QUERY',
  );
  check(['power_watts', 'power_wats'], 'UNKNOWN_METRIC');
  check(['constructor'], 'UNKNOWN_METRIC');
});

test('nearest finds what was meant', () => {
  const known = ['power_watts', 'power_limit_watts', 'utilization_ratio', 'temperature_celsius'];
  const check = (name: string, want: string) => expect(nearest(name, known)).toBe(want);
  check('power_wats', 'power_watts');
  check('powerwatts', 'power_watts');
  check('utilisation_ratio', 'utilization_ratio');
  check('temperature_c', 'temperature_celsius');
  check('power_limit', 'power_limit_watts');
  check('celsius', 'temperature_celsius');
  check('', 'power_watts');
  check('x'.repeat(100_000), 'power_watts');
});
