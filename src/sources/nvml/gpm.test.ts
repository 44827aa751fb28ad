import { afterEach, describe, expect, test } from 'vitest';
import { CATALOGUE, type MetricId } from '../../model/catalogue.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { closeCards, type FakeCards, openCards } from './fake-cards.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { GpmLock } from './gpm-lock.ts';
import { GPM_METRIC_LIST } from './gpm-metrics.ts';
import { GpmMemory } from './gpm-samples.ts';
import { Row } from './row.ts';

afterEach(closeCards);

const TAKE = 'nvmlGpmSampleGet';
const COMPUTE = 'nvmlGpmMetricsGet';
const SHARES = GPM_METRIC_LIST.filter(({ kind }) => kind === 'percent').map(({ metric }) => metric);

function pause(ms = 105): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The metrics after two samples, a little more than 100 ms apart. */
async function afterTwo(cards: FakeCards): Promise<ReadingSet> {
  cards.sample();
  await pause();
  return cards.sample();
}

function words(readings: ReadingSet, metrics: readonly MetricId[] = SHARES): unknown[] {
  return metrics.map((metric) => {
    const reading = readings.get(metric);
    return typeof reading === 'number' ? reading : reading.absent;
  });
}

function everyShare(word: string): string[] {
  return SHARES.map(() => word);
}

describe.skipIf(!HAS_FAKE_DRIVER)('the performance counters', () => {
  test('say from the second sample on how much of the chip worked', async () => {
    const cards = openCards('gpm 0 2 value 55.5\ngpm 0 10 value 0');
    expect(words(cards.sample())).toEqual(everyShare('not-collected'));
    await pause();
    const readings = cards.sample();
    expect(words(readings, ['graphics_engine_active_ratio', 'sm_active_ratio', 'dram_active_ratio'])).toEqual([
      0.05, 0.555, 0,
    ]);
    expect(words(readings, ['sm_occupancy_ratio', 'tensor_active_ratio', 'tensor_hmma_active_ratio'])).toEqual([
      0.15, 0.25, 0.35,
    ]);
    expect(words(readings, ['fp64_active_ratio', 'fp32_active_ratio', 'fp16_active_ratio'])).toEqual([0.55, 0.6, 0.65]);
    expect(words(readings, ['integer_active_ratio', 'tensor_imma_active_ratio'])).toEqual([0.2, 0.45]);
    expect(words(readings, ['tensor_dfma_active_ratio', 'tensor_dmma_active_ratio'])).toEqual([0.3, 'not-supported']);
  });

  test('are not read from two samples that are too close: what was read before stays', async () => {
    const cards = openCards();
    await afterTwo(cards);
    const before = cards.driver.calls(TAKE);
    cards.driver.script('gpus 1\ngpm 0 2 value 99');
    expect(words(cards.sample(), ['sm_active_ratio'])).toEqual([0.1]);
    expect(cards.driver.calls(TAKE)).toBe(before);
    await pause();
    expect(words(cards.sample(), ['sm_active_ratio'])).toEqual([0.99]);
  });

  test('cost two calls per tick, with two samples for good', async () => {
    const cards = openCards();
    await afterTwo(cards);
    const before = cards.driver.calls();
    const samples = cards.driver.calls('nvmlDeviceGetSamples');
    await pause();
    cards.sample();
    const others = cards.driver.calls('nvmlDeviceGetSamples') - samples;
    expect(cards.driver.calls() - before - others).toBe(2);
    expect(cards.driver.calls('nvmlGpmSampleAlloc')).toBe(2);
    expect(cards.driver.calls('nvmlGpmQueryDeviceSupport')).toBe(1);
  });

  test('a share beyond all measure is an error; a hair above all of it is all of it', async () => {
    const values = { 1: '100', 2: '100.4', 3: '101.5', 4: '-3', 5: 'nan', 6: 'inf', 7: '4294967295', 9: '0', 10: '-0' };
    const cards = openCards(
      Object.entries(values)
        .map(([id, value]) => `gpm 0 ${id} value ${value}`)
        .join('\n'),
    );
    const metrics = Object.keys(values).map((id) => GPM_METRIC_LIST.find((metric) => metric.id === Number(id))!.metric);
    const wrong = ['error', 'error', 'error', 'error', 'error'];
    expect(words(await afterTwo(cards), metrics)).toEqual([1, 1, ...wrong, 0, 0]);
  });

  test('the code of one metric is its own, and leaves the others alone', async () => {
    const codes = { 1: 3, 2: 2, 3: 4, 4: 6, 5: 16, 6: 999, 7: 12345 };
    const cards = openCards(
      Object.entries(codes)
        .map(([id, code]) => `gpm 0 ${id} code ${code}`)
        .join('\n'),
    );
    const metrics = [1, 2, 3, 4, 5, 6, 7, 9].map((id) => GPM_METRIC_LIST.find((metric) => metric.id === id)!.metric);
    const want = ['not-supported', 'not-supported', 'no-permission', 'not-found', 'error', 'error', 'error', 0.45];
    expect(words(await afterTwo(cards), metrics)).toEqual(want);
  });

  test('of a library that refuses all for one it does not know are asked for one by one, once', async () => {
    const cards = openCards('gpu 0 gpm-strict on');
    const readings = await afterTwo(cards);
    expect(words(readings, ['sm_active_ratio', 'tensor_dmma_active_ratio'])).toEqual([0.1, 'not-supported']);
    const before = cards.driver.calls(COMPUTE);
    await pause();
    expect(words(cards.sample(), ['sm_active_ratio', 'tensor_dmma_active_ratio'])).toEqual([0.1, 'not-supported']);
    expect(cards.driver.calls(COMPUTE) - before).toBe(1);
  });

  test.each([
    ['the card says that it has none', 'gpu 0 gpm off', {}],
    ['the question is not supported', 'fail nvmlGpmQueryDeviceSupport 3', {}],
    ['the struct is not known', 'fail nvmlGpmQueryDeviceSupport 25', {}],
    ['the driver is old', '', { variant: 'old' }],
    ['the library lacks the function', '', { without: ['nvmlGpmQueryDeviceSupport'] }],
    ['the library lacks the one that takes samples', '', { without: [TAKE] }],
    ['the library gives no sample to take them with', 'fail nvmlGpmSampleAlloc 3', {}],
  ] as const)('where %s are not supported, and nobody asks again', (_, script, options) => {
    const cards = openCards(script, options);
    expect(words(cards.sample())).toEqual(everyShare('not-supported'));
    const before = cards.driver.calls('nvmlGpmQueryDeviceSupport') + cards.driver.calls(TAKE);
    cards.sample();
    expect(cards.driver.calls('nvmlGpmQueryDeviceSupport') + cards.driver.calls(TAKE)).toBe(before);
  });

  test.each([
    [TAKE, '4', 'no-permission', false],
    [TAKE, '999', 'error', true],
    [TAKE, '16', 'error', true],
    [COMPUTE, '999', 'error', true],
    ['nvmlGpmSampleAlloc', '20', 'error', true],
    ['nvmlGpmQueryDeviceSupport', '999', 'error', true],
  ])('%s gives %s: %s, and asked again in the next tick: %s', async (name, code, want, isAskedAgain) => {
    const cards = openCards(`fail ${name} ${code}`);
    expect(words(await afterTwo(cards))).toEqual(everyShare(want));
    cards.driver.script('gpus 1');
    await pause();
    cards.sample();
    await pause();
    const after = words(cards.sample(), ['sm_active_ratio'])[0];
    expect(after).toBe(isAskedAgain ? 0.1 : want);
    cards.gpu.wakeQuestions();
    cards.sample();
    await pause();
    expect(words(cards.sample(), ['sm_active_ratio'])[0]).toBe(0.1);
  });

  test('a failure in between costs one tick, not the sample before it', async () => {
    const cards = openCards();
    await afterTwo(cards);
    cards.driver.script(`gpus 1\nfail ${TAKE} 999`);
    await pause();
    expect(words(cards.sample())).toEqual(everyShare('error'));
    cards.driver.script('gpus 1');
    expect(words(cards.sample(), ['sm_active_ratio'])).toEqual([0.1]);
  });

  test('are the instances’ own in MIG mode: one memory for each, by the id of the instance', async () => {
    const cards = openCards('gpu 0 mig on\ngpm 0 2 value 70 instance 1\ngpm 0 2 value 20 instance 5');
    cards.gpu.mig = true;
    expect(words(cards.sample())).toEqual(everyShare('mig'));
    expect(cards.driver.calls(TAKE)).toBe(0);
    const slices = [1, 5].map((id) => ({ row: new Row(CATALOGUE.length), gpm: new GpmMemory(id) }));
    const { nvml } = cards.native;
    for (let round = 0; round < 2; round++) {
      if (round > 0) await pause();
      for (const slice of slices) cards.activity.gpm.read(nvml, cards.gpu, slice);
    }
    const seen = slices.map(({ row }) =>
      words(new ReadingSet(row.values, row.codes), ['sm_active_ratio', 'nvlink_tx_bytes_per_second']),
    );
    expect(seen).toEqual([
      [0.7, 6100 * 2 ** 20],
      [0.2, 6100 * 2 ** 20],
    ]);
    cards.close();
    expect(cards.driver.calls('leaked GPM samples')).toBe(0);
  });

  test('MIG mode that came unnoticed is not taken for never', async () => {
    const cards = openCards();
    await afterTwo(cards);
    cards.driver.script('gpus 1\ngpu 0 mig on');
    await pause();
    expect(words(cards.sample())).toEqual(everyShare('not-supported'));
    cards.driver.script('gpus 1');
    cards.gpu.wakeQuestions();
    cards.sample();
    await pause();
    expect(words(cards.sample(), ['sm_active_ratio'])).toEqual([0.1]);
  });

  test('stand in for traffic that nothing else counts, and only for that', async () => {
    const cards = openCards('gpm 0 20 value 1.5', {});
    const traffic: MetricId[] = ['pcie_tx_bytes_per_second', 'pcie_rx_bytes_per_second', 'nvlink_tx_bytes_per_second'];
    expect(words(await afterTwo(cards), traffic)).toEqual(['not-collected', 'not-collected', 'not-collected']);
    cards.gpu.traffic = 'throughput';
    await pause();
    expect(words(cards.sample(), traffic)).toEqual([1.5 * 2 ** 20, 2100 * 2 ** 20, 'not-collected']);
    expect(cards.gpu.traffic).toBe('gpm');
    // A board without NVLink has no traffic on it, whatever the counters say.
    cards.gpu.linkTraffic = 'none';
    await pause();
    expect(words(cards.sample(), traffic)[2]).toBe('not-collected');
  });

  test('are given back before the library is shut down, also by a worker that was given up', async () => {
    const cards = openCards('', {}, 2);
    for (const gpu of cards.gpus) cards.activity.read(cards.native.nvml, gpu);
    cards.close();
    expect(cards.driver.calls('nvmlGpmSampleFree')).toBe(4);
    expect(cards.driver.calls('leaked GPM samples')).toBe(0);

    const abandoned = openCards();
    abandoned.sample();
    abandoned.progress.abandon();
    abandoned.activity.release(abandoned.native.nvml);
    expect(abandoned.driver.calls('nvmlGpmSampleFree')).toBe(2);
  });

  test('begin anew after a reset of the card, with the samples they have', async () => {
    const cards = openCards();
    await afterTwo(cards);
    cards.gpu.forget();
    expect(words(cards.sample())).toEqual(everyShare('not-collected'));
    await pause();
    expect(words(cards.sample(), ['sm_active_ratio'])).toEqual([0.1]);
    expect(cards.driver.calls('nvmlGpmSampleAlloc')).toBe(2);
  });

  test('are left to the thread that has them: nothing is called meanwhile, and nothing old is shown for long', async () => {
    const cards = openCards();
    await afterTwo(cards);
    const other = new GpmLock(cards.lock.buffer);
    expect(other.take()).toBe(true);
    const before = cards.driver.calls(TAKE);
    await pause();
    expect(words(cards.sample(), ['sm_active_ratio'])).toEqual([0.1]);
    cards.gpu.gpm.readAt = performance.now() - 11_000;
    expect(words(cards.sample())).toEqual(everyShare('not-collected'));
    expect(cards.driver.calls(TAKE)).toBe(before);
    other.release();
    expect(words(cards.sample(), ['sm_active_ratio'])).toEqual([0.1]);
  });
});

describe('the lock', () => {
  test('has one holder, in whatever thread, and is waited for no longer than said', () => {
    const lock = new GpmLock();
    const other = new GpmLock(lock.buffer);
    expect(lock.take()).toBe(true);
    const began = performance.now();
    expect(other.take(20)).toBe(false);
    expect(performance.now() - began).toBeGreaterThanOrEqual(15);
    lock.release();
    expect(other.take(20)).toBe(true);
    expect(lock.take()).toBe(false);
  });
});
