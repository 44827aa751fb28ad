import { afterEach, describe, expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import { closeCards, type FakeCards, openCards } from './fake-cards.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';

afterEach(closeCards);

const GET = 'nvmlDeviceGetSamples';
const POWER = ['power_peak_watts', 'power_trough_watts', 'power_mean_watts'] as const;

const ratio = (percent: number): number => percent / 100;
const hertz = (megahertz: number): number => megahertz * 1e6;
const KINDS = [
  ['utilization', 'utilization', 'ratio', ratio, [90, 10]],
  ['sm-clock', 'sm_clock', 'hertz', hertz, [1980, 345]],
  ['memory-utilization', 'memory_utilization', 'ratio', ratio, [35, 7]],
  ['memory-clock', 'memory_clock', 'hertz', hertz, [2619, 405]],
  ['encoder', 'encoder_utilization', 'ratio', ratio, [29, 0]],
  ['decoder', 'decoder_utilization', 'ratio', ratio, [100, 1]],
] as const;

function read(cards: FakeCards, metrics: readonly MetricId[] = POWER): unknown[] {
  const readings = cards.sample();
  return metrics.map((metric) => {
    const reading = readings.get(metric);
    return typeof reading === 'number' ? reading : reading.absent;
  });
}

function absentFor(reason: string): string[] {
  return [reason, reason, reason];
}

describe.skipIf(!HAS_FAKE_DRIVER)('the buffers of the driver', () => {
  test('give the highest, the lowest and the mean sample of the last second', () => {
    const cards = openCards(
      ['100', '300', '200', '400']
        .map((watts, i) => `sample 0 power at ~${(i + 1) * 200_000} value ${watts}000`)
        .concat('sample 0 power at ~5000000 value 699000')
        .join('\n'),
    );
    expect(read(cards)).toEqual([400, 100, 250]);
  });

  test.each(KINDS)('hold %s, looked at in every tick or in every sixth', (name, id, unit, toBase, [high, low]) => {
    const cards = openCards(
      [high, low].map((value, i) => `sample 0 ${name} at ~${(i + 1) * 1000} value ${value}`).join('\n'),
    );
    const metrics = [`${id}_peak_${unit}`, `${id}_trough_${unit}`] as MetricId[];
    const seen = Array.from({ length: 6 }, () => read(cards, metrics)).find(([peak]) => peak !== 'not-collected');
    expect(seen).toEqual([toBase(high), toBase(low)]);
  });

  test('cost two calls per tick, and no more', () => {
    const cards = openCards();
    cards.sample();
    const before = cards.driver.calls(GET);
    for (let tick = 0; tick < 8; tick++) cards.sample();
    expect(cards.driver.calls(GET) - before).toBe(16);
  });

  test('that have run dry give no number: what was not sampled is not known', () => {
    const stamp = Date.now() * 1000;
    const cards = openCards(`sample 0 power at ${stamp} value 100000`);
    expect(read(cards)).toEqual([100, 100, 100]);
    expect(read(cards)).toEqual(absentFor('not-found'));
    cards.driver.script(`gpus 1\nfail ${GET} 6`);
    expect(read(cards)).toEqual(absentFor('not-found'));
    cards.driver.script('gpus 1\ngpu 0 samples off');
    expect(read(cards)).toEqual(absentFor('not-found'));
  });

  const TYPES: readonly [type: number, value: string, want: number | string][] = [
    [0, '250500.5', 250.5005],
    [0, 'nan', 'error'],
    [0, '-1', 'error'],
    [1, '4294967295', 'error'],
    [1, '250000', 250],
    [2, '250000', 250],
    [3, '250000', 250],
    [3, '9223372036854775807', 'error'],
    [4, '250000', 250],
    [4, '-5', 'error'],
    [5, '250000', 250],
    [5, '-250000', 'error'],
    [6, '60000', 60],
    [7, '250000', 'error'],
    [99, '250000', 'error'],
  ];

  test.each(TYPES)('hold numbers of type %i: %s is %s', (type, value, want) => {
    const cards = openCards(`gpu 0 sample-type ${type}\nsample 0 power at ~1000 value ${value}`);
    expect(read(cards)).toEqual([want, want, want]);
  });

  test('a sample beyond all measure is left out, and the others count', () => {
    const cards = openCards(
      ['100000', '4294967295', '200000']
        .map((value, i) => `sample 0 power at ~${1000 * (i + 1)} value ${value}`)
        .join('\n'),
    );
    expect(read(cards)).toEqual([200, 100, 150]);
  });

  test('equal samples have exactly their value for a mean', () => {
    const lines = Array.from({ length: 50 }, (_, i) => `sample 0 utilization at ~${1000 * (i + 1)} value 35`);
    const cards = openCards(lines.join('\n'));
    expect(read(cards, ['utilization_peak_ratio', 'utilization_trough_ratio', 'utilization_mean_ratio'])).toEqual([
      0.35, 0.35, 0.35,
    ]);
  });

  test('old samples are not counted twice by a driver that gives them again', () => {
    const stamp = Date.now() * 1000;
    const cards = openCards(`gpu 0 sloppy on\nsample 0 power at ${stamp} value 600000`);
    expect(read(cards)[0]).toBe(600);
    cards.driver.script(
      `gpus 1\ngpu 0 sloppy on\nsample 0 power at ${stamp} value 600000\nsample 0 power at ~10 value 100000`,
    );
    expect(read(cards)).toEqual([100, 100, 100]);
  });

  test('stamps of 0 and of the future are none', () => {
    const future = (Date.now() + 7_200_000) * 1000;
    const cards = openCards(
      `gpu 0 sloppy on\nsample 0 power at 0 value 1000\nsample 0 power at ${future} value 2000\nsample 0 power at ~1000 value 3000`,
    );
    for (let tick = 0; tick < 3; tick++) expect(read(cards)).toEqual([3, 3, 3]);
  });

  test('are read on a clock that counts from boot too, from the second look on', () => {
    const cards = openCards('gpu 0 clock-boot on\nsample 0 power at ~1000 value 120000');
    expect(read(cards)).toEqual(absentFor('not-collected'));
    expect(read(cards)).toEqual([120, 120, 120]);
  });

  test('a wrong count, or a wish for room without end, is an error and reads nothing that was not written', () => {
    const sample = 'sample 0 power at ~1000 value 120000';
    const cards = openCards(`${sample}\ngpu 0 sample-count 300`);
    expect(read(cards)).toEqual([120, 120, 120]);
    for (const line of ['sample-count 4294967295', 'sample-need 600', 'sample-need 4294967295']) {
      cards.driver.script(`gpus 1\n${sample}\ngpu 0 ${line}`);
      expect(read(cards)).toEqual(absentFor('error'));
    }
    cards.driver.script(`gpus 1\n${sample}`);
    expect(read(cards)).toEqual([120, 120, 120]);
  });

  test.each([
    ['3', 'not-supported', 0],
    ['13', 'not-supported', 0],
    ['4', 'no-permission', 0],
    ['999', 'error', 1],
    ['16', 'error', 1],
  ])('code %s is %s', (code, want, callsAgain) => {
    const cards = openCards(`fail ${GET} ${code}`);
    for (let tick = 0; tick < 6; tick++) expect(read(cards)).toEqual(absentFor(want));
    const before = cards.driver.calls(GET);
    cards.sample();
    expect(cards.driver.calls(GET) - before).toBe(2 * callsAgain);
  });

  test('one kind that a board does not have leaves the others alone', () => {
    const cards = openCards('gpu 0 sm-clock unsupported');
    cards.sample();
    expect(read(cards, ['sm_clock_peak_hertz', 'power_peak_watts', 'utilization_peak_ratio'])[0]).toBe('not-supported');
    expect(cards.gpu.buffers.asking[0]).toBe(0);
  });

  test('are not there in MIG mode, and begin anew after it', () => {
    const cards = openCards('sample 0 power at ~1000 value 120000');
    expect(read(cards)[0]).toBe(120);
    cards.gpu.mig = true;
    expect(read(cards)).toEqual(absentFor('mig'));
    cards.gpu.mig = false;
    expect(read(cards)[0]).toBe(120);
  });

  test('of a library without the function are not supported', () => {
    expect(read(openCards('', { without: [GET] }))).toEqual(absentFor('not-supported'));
  });
});
