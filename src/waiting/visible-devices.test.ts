import { describe, expect, test } from 'vitest';
import type { Device } from '../model/device.ts';
import { testDevice } from '../model/scripted-source.ts';
import { alreadyVisible, visibleDevices } from './visible-devices.ts';

/** Cards by their place on the bus, which is not the order of their indexes. */
const CARDS = [
  testDevice(0, { uuid: 'GPU-aa', pciBusId: '00000000:3B:00.0' }),
  testDevice(1, { uuid: 'GPU-bb', pciBusId: '00000000:19:00.0' }),
];
const SLICE = testDevice(0, {
  uuid: 'MIG-cc',
  mig: { parent: 'GPU-aa', gpuInstance: 1, computeInstance: 0, profile: null },
});

function indexes(env: Record<string, string>, all: readonly Device[] = CARDS): string[] | 'ambiguous' | null {
  const visible = alreadyVisible(env, all);
  return typeof visible === 'string' ? visible : (visible?.map(({ uuid }) => uuid) ?? null);
}

describe('what a command is told', () => {
  test('names NVIDIA cards and MIG instances by UUID', () => {
    expect(visibleDevices(CARDS, CARDS)).toEqual({
      CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
      CUDA_VISIBLE_DEVICES: 'GPU-aa,GPU-bb',
    });
    expect(visibleDevices([SLICE], [...CARDS, SLICE])['CUDA_VISIBLE_DEVICES']).toBe('MIG-cc');
  });

  test('numbers by bus a card whose UUID was made up', () => {
    const made = CARDS.map((card) => ({ ...card, uuidIsDerived: true as const }));
    expect(visibleDevices([made[0]!], made)['CUDA_VISIBLE_DEVICES']).toBe('1');
  });

  test('numbers AMD and Intel cards among their own', () => {
    const amd = [
      testDevice(2, { uuid: 'a', vendor: 'amd', pciBusId: '03' }),
      testDevice(3, { uuid: 'b', vendor: 'amd', pciBusId: '43' }),
    ];
    expect(visibleDevices([amd[1]!], [...CARDS, ...amd])).toEqual({
      ROCR_VISIBLE_DEVICES: '1',
      HIP_VISIBLE_DEVICES: '0',
    });
    const intel = [testDevice(4, { uuid: 'c', vendor: 'intel', pciBusId: '05' })];
    expect(visibleDevices(intel, [...CARDS, ...intel])).toEqual({
      ZE_ENABLE_PCI_ID_DEVICE_ORDER: '1',
      ZE_AFFINITY_MASK: '0',
    });
  });
});

describe('what the environment already says', () => {
  test.each([
    [{}, null],
    [{ CUDA_VISIBLE_DEVICES: '' }, []],
    [{ CUDA_VISIBLE_DEVICES: '0' }, ['GPU-bb']],
    [{ CUDA_VISIBLE_DEVICES: '1, 0' }, ['GPU-aa', 'GPU-bb']],
    [{ CUDA_VISIBLE_DEVICES: 'GPU-a' }, ['GPU-aa']],
    [{ CUDA_VISIBLE_DEVICES: '0,7,1' }, ['GPU-bb']],
    [{ CUDA_VISIBLE_DEVICES: '-1,0' }, []],
  ])('%j', (env, want) => {
    expect(indexes(env)).toEqual(want);
  });

  test('numbers mean nothing where cards differ and CUDA counts the fastest first', () => {
    const mixed = [CARDS[0]!, { ...CARDS[1]!, name: 'Another GPU' }];
    expect(indexes({ CUDA_VISIBLE_DEVICES: '0' }, mixed)).toBe('ambiguous');
    expect(indexes({ CUDA_VISIBLE_DEVICES: '0', CUDA_DEVICE_ORDER: 'PCI_BUS_ID' }, mixed)).toEqual(['GPU-bb']);
    expect(indexes({ CUDA_VISIBLE_DEVICES: 'GPU-bb' }, mixed)).toEqual(['GPU-bb']);
  });
});
