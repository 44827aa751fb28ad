import { afterEach, describe, expect, test } from 'vitest';
import { CATALOGUE, type MetricId } from '../../../model/catalogue.ts';
import type { AbsenceReason } from '../../../model/reading.ts';
import { closeBoards, readBoard } from '../fake-board.ts';
import { HAS_FAKE_DRIVER } from '../fake-driver.ts';

afterEach(closeBoards);

type Want = Partial<Record<MetricId, number | AbsenceReason>>;

function check(script: string, want: Want, without: readonly string[] = []): void {
  const board = readBoard(script, { without });
  expect(board.values(Object.keys(want) as MetricId[])).toEqual(want);
}

test('every state has words in both languages, and no value twice', () => {
  for (const { id, unit, states } of CATALOGUE) {
    if (unit !== 'state') continue;
    expect(states?.length ?? 0, id).toBeGreaterThan(0);
    expect(new Set(states?.map(({ value }) => value)).size, id).toBe(states?.length);
  }
});

describe.skipIf(!HAS_FAKE_DRIVER)('modes', () => {
  test('values', () =>
    check(
      [
        'compute-mode 3',
        'persistence 0',
        'display 1',
        'mig-pending 1',
        'addressing 2',
        'confidential 1',
        'recovery-action 4',
        'driver-model 1',
      ]
        .map((line) => `gpu 0 ${line}`)
        .join('\n'),
      {
        compute_mode: 3,
        persistence_mode: 0,
        display_active: 1,
        mig_mode: 0,
        mig_mode_pending: 1,
        addressing_mode: 2,
        confidential_compute: 1,
        recovery_action: 4,
        driver_model: 1,
      },
    ));

  test('a state that is none is an error, one that is newer than the words is kept', () =>
    check(
      'gpu 0 compute-mode 4294967295\ngpu 0 persistence 2\ngpu 0 mig-pending 77\ngpu 0 recovery-action 6\ngpu 0 addressing 65535',
      {
        compute_mode: 'error',
        persistence_mode: 'error',
        mig_mode: 0,
        mig_mode_pending: 'error',
        recovery_action: 6,
        addressing_mode: 'error',
      },
    ));

  test('absences', () => {
    check(
      'gpu 0 compute-mode unsupported\ngpu 0 mig unsupported\ngpu 0 field 230 4\nfail nvmlSystemGetConfComputeState 4',
      {
        compute_mode: 'not-supported',
        mig_mode: 'not-supported',
        recovery_action: 'no-permission',
        confidential_compute: 'no-permission',
        driver_model: 'not-supported',
      },
    );
    check('', { addressing_mode: 'not-supported', display_active: 'not-supported', recovery_action: 'not-supported' }, [
      'nvmlDeviceGetAddressingMode',
      'nvmlDeviceGetDisplayActive',
      'nvmlDeviceGetFieldValues',
    ]);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('fabric', () => {
  const DEGRADED = 0x1 | (0x1 << 4) | (0x2 << 2) | (0x5 << 8);

  test('state, summary and each part of the health', () =>
    check(`gpu 0 fabric-summary 3\ngpu 0 fabric-health ${DEGRADED}`, {
      fabric_state: 3,
      fabric_status: 0,
      fabric_health: 3,
      fabric_bandwidth_degraded: 1,
      fabric_route_recovery: 0,
      fabric_route_unhealthy: 1,
      // Both bits clear: the device does not tell.
      fabric_access_timeout: 'not-supported',
      fabric_misconfiguration: 5,
    }));

  test('a mask of all ones is an error in every part of it', () =>
    check('gpu 0 fabric-health 4294967295', {
      fabric_state: 3,
      fabric_bandwidth_degraded: 'error',
      fabric_route_recovery: 'error',
      fabric_route_unhealthy: 'error',
      fabric_access_timeout: 'error',
      fabric_misconfiguration: 'error',
    }));

  test('older forms of the struct know less', () => {
    check('gpu 0 fabric-summary unsupported\ngpu 0 fabric-status 999', {
      fabric_state: 3,
      fabric_status: 999,
      fabric_health: 'not-supported',
      fabric_bandwidth_degraded: 0,
    });
    check('', { fabric_state: 3, fabric_status: 0, fabric_bandwidth_degraded: 'not-supported' }, [
      'nvmlDeviceGetGpuFabricInfoV',
    ]);
  });

  test('before it has joined there is no result, and without a fabric nothing', () => {
    check('gpu 0 fabric-state 2\ngpu 0 fabric-status 6', { fabric_state: 2, fabric_status: 'not-found' });
    const NONE: Want = {
      fabric_state: 'not-supported',
      fabric_status: 'not-supported',
      fabric_health: 'not-supported',
      fabric_misconfiguration: 'not-supported',
    };
    check('gpu 0 fabric-state 0', NONE);
    check('gpu 0 fabric-state unsupported', NONE);
    check('', NONE, ['nvmlDeviceGetGpuFabricInfoV', 'nvmlDeviceGetGpuFabricInfo']);
    check('gpu 0 fabric-state 255\ngpu 0 fabric-summary 77', { fabric_state: 'error', fabric_health: 'error' });
    check('gpu 0 fail nvmlDeviceGetGpuFabricInfoV 4', { fabric_state: 'no-permission' });
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('what is known of a card', () => {
  test('facts', () => {
    expect(readBoard().gpus[0]?.device).toMatchObject({
      pciBusId: '00000000:10:00.0',
      facts: {
        architecture: 'Hopper',
        brand: 'NVIDIA',
        'compute-capability': '9.0',
        vbios: '96.00.A5.00.01',
        'part-number': '900-21010-0000-000',
        'cuda-version': '12.8',
        'board-id': '0x700',
        inforom: 'G520.0200.00.05',
      },
    });
  });

  test('a fact that cannot be read, or cannot be, is missing', () => {
    const script = [
      ...['architecture', 'brand', 'capability', 'board-id', 'cuda'].map((key) => `gpu 0 ${key} 4294967295`),
      'gpu 0 fail nvmlDeviceGetInforomImageVersion 3',
      'gpu 0 fail nvmlDeviceGetVbiosVersion 4',
    ];
    expect(readBoard(script.join('\n')).gpus[0]?.device.facts).toEqual({ 'part-number': '900-21010-0000-000' });
    const without = ['nvmlSystemGetCudaDriverVersion_v2', 'nvmlDeviceGetArchitecture'];
    const { facts } = readBoard('gpu 0 brand 15\ngpu 0 capability 121', { without }).gpus[0]!.device;
    expect(facts).toMatchObject({ brand: 'GeForce RTX', 'compute-capability': '12.1', 'cuda-version': '12.8' });
    expect(facts).not.toHaveProperty('architecture');
  });

  test('the oldest functions tell the place on the bus too', () => {
    const check = (without: readonly string[], want: string | null) =>
      expect(readBoard('gpu 0 bus-id 00000000:65:00.0', { without }).gpus[0]?.device.pciBusId, without.join()).toBe(
        want,
      );
    check(['nvmlDeviceGetPciInfo_v3'], '00000000:65:00.0');
    check(['nvmlDeviceGetPciInfo_v3', 'nvmlDeviceGetPciInfo_v2'], '00000000:65:00.0');
    check(['nvmlDeviceGetPciInfo_v3', 'nvmlDeviceGetPciInfo_v2', 'nvmlDeviceGetPciInfo'], null);
  });
});
