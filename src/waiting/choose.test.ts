import { describe, expect, test } from 'vitest';
import { slotOf } from '../model/catalogue.ts';
import type { Device } from '../model/device.ts';
import { AppError } from '../model/errors.ts';
import type { TopologyLink } from '../model/ports.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { testDevice, testSample } from '../model/scripted-source.ts';
import { checkPossible, choose } from './choose.ts';
import type { Standing } from './idle-watch.ts';
import type { GpuRequest } from './request.ts';

const GIB = 2 ** 30;

/** A free card of 80 GiB. */
function free(index: number, facts: Partial<Device> = {}, freeGib = 79): Standing {
  const device = testDevice(index, facts);
  const readings = new ReadingSet();
  readings.setValue(slotOf('memory_total_bytes'), 80 * GIB);
  readings.setValue(slotOf('memory_free_bytes'), freeGib * GIB);
  return { device, sample: testSample(device, { readings }), obstacle: null, idleMs: 60_000, isFree: true };
}

function request(gpus: number, freeMemory: GpuRequest['freeMemory'] = { ratio: 0.9 }): GpuRequest {
  return { gpus, freeMemory, idleMs: 0, idleRatio: 0.05, isShared: false, wanted: () => true };
}

function link(from: number, to: number, level: string): TopologyLink {
  return { from: `GPU-test-${from}`, to: `GPU-test-${to}`, level } as TopologyLink;
}

function indexes(standings: readonly Standing[], gpus: number, links: readonly TopologyLink[] | null = null) {
  return choose(standings, gpus, links)?.map(({ device }) => device.index) ?? null;
}

describe('the choice', () => {
  test('has most free memory, then the lowest index', () => {
    expect(indexes([free(0, {}, 70), free(1), free(2)], 1)).toEqual([1]);
    expect(indexes([free(0, {}, 70), free(1), free(2)], 2)).toEqual([1, 2]);
  });

  test('is null where there are too few, and takes none that is not free', () => {
    const busy: Standing = { ...free(0), obstacle: 'busy', isFree: false };
    expect(indexes([busy, free(1)], 2)).toBeNull();
    expect(indexes([busy, free(1)], 1)).toEqual([1]);
  });

  test('of several GPUs is well joined', () => {
    const pairs = [
      link(0, 1, 'NV4'),
      link(2, 3, 'NV18'),
      link(0, 2, 'SYS'),
      link(0, 3, 'SYS'),
      link(1, 2, 'SYS'),
      link(1, 3, 'SYS'),
    ];
    expect(indexes([free(0), free(1), free(2), free(3)], 2, pairs)).toEqual([2, 3]);
    expect(indexes([free(0), free(1), free(2)], 2, pairs)).toEqual([0, 1]);
    expect(indexes([free(0), free(1), free(2), free(3)], 2, [link(0, 1, 'SYS'), link(1, 2, 'PIX')])).toEqual([1, 2]);
  });

  test('is of one maker', () => {
    const mixed = [free(0, { vendor: 'amd' }), free(1), free(2, { vendor: 'amd' })];
    expect(indexes(mixed, 2)).toEqual([0, 2]);
    expect(indexes(mixed, 3)).toBeNull();
  });

  test('may be a MIG instance, never its card, and never several of them', () => {
    const mig = { parent: 'GPU-test-0', gpuInstance: 1, computeInstance: 0, profile: '3g.40gb' };
    const cut = [
      free(0),
      free(0, { uuid: 'MIG-a', mig }),
      free(0, { uuid: 'MIG-b', mig: { ...mig, gpuInstance: 2 } }),
      free(1),
    ];
    expect(choose(cut, 1, null)?.map(({ device }) => device.uuid)).toEqual(['MIG-a']);
    expect(indexes(cut, 2)).toBeNull();
  });
});

describe('what can never be had', () => {
  function failure(standings: readonly Standing[], wanted: GpuRequest): AppError['params'] | null {
    try {
      checkPossible(standings, wanted);
      return null;
    } catch (error) {
      return error instanceof AppError && error.code === 'TOO_FEW_GPUS' ? error.params : null;
    }
  }

  test.each([
    ['more GPUs than there are', [free(0)], request(2), { wanted: 2, found: 1 }],
    [
      'more memory than a card has',
      [free(0), free(1)],
      request(1, { bytes: 100 * GIB }),
      { wanted: 1, found: 0, why: '100 GiB' },
    ],
    ['cards of two makers together', [free(0), free(1, { vendor: 'amd' })], request(2), { wanted: 2, found: 1 }],
  ])('%s', (_, standings, wanted, params) => {
    expect(failure(standings, wanted)).toMatchObject(params);
  });

  test('what is only taken now can be had later', () => {
    expect(failure([{ ...free(0), isFree: false, obstacle: 'busy' }], request(1))).toBeNull();
  });
});
