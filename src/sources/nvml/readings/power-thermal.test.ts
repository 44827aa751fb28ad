import { afterEach, describe, expect, test } from 'vitest';
import type { MetricId } from '../../../model/catalogue.ts';
import type { AbsenceReason } from '../../../model/reading.ts';
import { closeBoards, readBoard } from '../fake-board.ts';
import { HAS_FAKE_DRIVER } from '../fake-driver.ts';

afterEach(closeBoards);

const ONES = 0xffffffff;

type Want = Partial<Record<MetricId, number | AbsenceReason>>;

function check(script: string, want: Want, without: readonly string[] = []): void {
  const board = readBoard(script, { without });
  expect(board.values(Object.keys(want) as MetricId[])).toEqual(want);
}

function all(metrics: readonly MetricId[], reason: AbsenceReason): Want {
  return Object.fromEntries(metrics.map((id) => [id, reason]));
}

describe.skipIf(!HAS_FAKE_DRIVER)('temperatures', () => {
  const MARGINS = [
    'temperature_shutdown_margin_celsius',
    'temperature_slowdown_margin_celsius',
    'temperature_max_operating_margin_celsius',
    'temperature_memory_max_margin_celsius',
  ] as const;

  test('each threshold is its own, and those relative to the limit may be negative', () =>
    check('gpu 0 margin-memory-max 3\ngpu 0 margin-gpu-max -1', {
      temperature_shutdown_celsius: 92,
      temperature_slowdown_celsius: 87,
      temperature_max_operating_celsius: 85,
      memory_temperature_max_celsius: 95,
      temperature_shutdown_margin_celsius: -8,
      temperature_slowdown_margin_celsius: -2,
      temperature_max_operating_margin_celsius: -1,
      temperature_memory_max_margin_celsius: 3,
    }));

  test('sentinels, and a threshold of 0, are errors', () =>
    check(
      `gpu 0 shutdown ${ONES}\ngpu 0 gpu-max-temperature 0\ngpu 0 margin-shutdown 2147483647\ngpu 0 margin-slowdown -2147483648`,
      {
        temperature_shutdown_celsius: 'error',
        temperature_max_operating_celsius: 'error',
        temperature_shutdown_margin_celsius: 'error',
        temperature_slowdown_margin_celsius: 'error',
        temperature_slowdown_celsius: 87,
      },
    ));

  test('what a board, a library or a user does not have is absent for that reason', () => {
    check('gpu 0 shutdown unsupported\ngpu 0 margin-slowdown unsupported', {
      temperature_shutdown_celsius: 'not-supported',
      temperature_slowdown_margin_celsius: 'not-supported',
      temperature_shutdown_margin_celsius: -8,
    });
    check('gpu 0 fail nvmlDeviceGetTemperatureThreshold 2', { memory_temperature_max_celsius: 'not-supported' });
    check('', { temperature_shutdown_celsius: 'not-supported' }, ['nvmlDeviceGetTemperatureThreshold']);
    check('gpu 0 fail nvmlDeviceGetFieldValues 4', all(MARGINS, 'no-permission'));
    check('gpu 0 field 194 4', { temperature_slowdown_margin_celsius: 'no-permission' });
    check('', all(MARGINS, 'not-supported'), ['nvmlDeviceGetFieldValues']);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('power', () => {
  test('now, over a second, and every limit', () =>
    check('gpu 0 power-limit 650000\ngpu 0 limit-requested 680000', {
      power_watts: 235.4,
      power_instant_watts: 241,
      power_average_watts: 234,
      power_limit_watts: 650,
      power_limit_requested_watts: 680,
      power_limit_default_watts: 700,
      power_limit_min_watts: 200,
      power_limit_max_watts: 700,
      energy_joules_total: 5_000_000,
    }));

  test('sentinels are errors', () =>
    check(`gpu 0 power-instant ${ONES}\ngpu 0 limit-max ${ONES}\ngpu 0 limit-requested 4294967294`, {
      power_instant_watts: 'error',
      power_limit_max_watts: 'error',
      power_limit_min_watts: 200,
      power_limit_requested_watts: 'error',
      power_average_watts: 234,
    }));

  test('limits come as field values where the older functions are missing', () =>
    check(
      'gpu 0 power-limit 650000',
      {
        power_limit_watts: 650,
        power_limit_requested_watts: 700,
        power_limit_default_watts: 700,
        power_limit_min_watts: 200,
        power_limit_max_watts: 700,
      },
      [
        'nvmlDeviceGetEnforcedPowerLimit',
        'nvmlDeviceGetPowerManagementLimit',
        'nvmlDeviceGetPowerManagementDefaultLimit',
        'nvmlDeviceGetPowerManagementLimitConstraints',
      ],
    ));

  test('without them, or without permission, they are absent', () => {
    check('gpu 0 power-instant unsupported\ngpu 0 limit-min unsupported\ngpu 0 limit-max unsupported', {
      power_instant_watts: 'not-supported',
      power_limit_min_watts: 'not-supported',
      power_limit_max_watts: 'not-supported',
    });
    check('gpu 0 field 186 4\ngpu 0 fail nvmlDeviceGetPowerManagementLimitConstraints 4', {
      power_instant_watts: 'no-permission',
      power_average_watts: 234,
      power_limit_max_watts: 'no-permission',
    });
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('fans', () => {
  test('each of them is told, and the fastest counts', () => {
    const board = readBoard(
      'gpu 0 fans 3\ngpu 0 fan 20\ngpu 0 fan1 70\ngpu 0 fan2 unsupported\ngpu 0 rpm1 4200\ngpu 0 rpm2 900',
    );
    expect(board.gpus[0]?.details.get()?.fans).toEqual([0.2, 0.7, { absent: 'not-supported' }]);
    expect(board.values(['fan_speed_ratio', 'fan_speed_rpm'])).toEqual({ fan_speed_ratio: 0.7, fan_speed_rpm: 4200 });
  });

  test('a driver that cannot count them knows of one', () => {
    const board = readBoard('', { without: ['nvmlDeviceGetNumFans'] });
    expect(board.gpus[0]?.details.get()?.fans).toEqual([0.3]);
    expect(board.values(['fan_speed_rpm'])).toEqual({ fan_speed_rpm: 2100 });
  });

  test('that cannot be counted for now are not known: the first would pass for the fastest', () => {
    const board = readBoard('gpu 0 fans 2\ngpu 0 fan1 90\ngpu 0 rpm1 4200\nfail nvmlDeviceGetNumFans 999');
    expect(board.values(['fan_speed_ratio', 'fan_speed_rpm'])).toEqual({
      fan_speed_ratio: 'error',
      fan_speed_rpm: 'error',
    });
    board.driver.script('gpus 1\ngpu 0 fans 2\ngpu 0 fan1 90\ngpu 0 rpm1 4200');
    board.read();
    expect(board.values(['fan_speed_ratio', 'fan_speed_rpm'])).toEqual({ fan_speed_ratio: 0.9, fan_speed_rpm: 4200 });
  });

  test('without fans, measured speed, or sense there is none', () => {
    expect(readBoard('gpu 0 fans 0').gpus[0]?.details.get()?.fans).toBeUndefined();
    check('gpu 0 fans 0', { fan_speed_ratio: 'not-supported', fan_speed_rpm: 'not-supported' });
    check('gpu 0 rpm unsupported', { fan_speed_ratio: 0.3, fan_speed_rpm: 'not-supported' });
    check(`gpu 0 rpm ${ONES}`, { fan_speed_rpm: 'error' });
    check('gpu 0 fail nvmlDeviceGetFanSpeedRPM 4', { fan_speed_rpm: 'no-permission' });
    check('', { fan_speed_rpm: 'not-supported' }, ['nvmlDeviceGetFanSpeedRPM']);
    check(`gpu 0 fans ${ONES}`, { fan_speed_ratio: 'error', fan_speed_rpm: 'error' });
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('clocks', () => {
  test('maxima, and what has been set for applications', () =>
    check('gpu 0 application-memory 2600', {
      sm_clock_max_hertz: 1.98e9,
      graphics_clock_max_hertz: 1.98e9,
      video_clock_max_hertz: 1.545e9,
      application_graphics_clock_hertz: 1.755e9,
      application_memory_clock_hertz: 2.6e9,
      application_graphics_clock_default_hertz: 1.755e9,
      application_memory_clock_default_hertz: 2.619e9,
    }));

  test('newer drivers call the setting deprecated: it is not supported', () =>
    check('gpu 0 fail nvmlDeviceGetApplicationsClock 26', { application_graphics_clock_hertz: 'not-supported' }));

  const HELD = [
    'power_cap',
    'thermal',
    'sync_boost',
    'board_limit',
    'low_utilization',
    'reliability',
    'below_application_clocks',
    'below_base_clocks',
  ].map((id) => `clock_event_${id}_seconds_total` as MetricId);
  const SLOWED = ['sw_thermal', 'hw_thermal', 'power_brake'].map((id) => `clock_event_${id}_seconds_total` as MetricId);
  const seconds = (ids: readonly MetricId[], first: number): Want =>
    Object.fromEntries(ids.map((id, i) => [id, first + i]));

  test('how long each reason has held them down, from fields or else the older function', () => {
    check('', { ...seconds(HELD, 1), ...seconds(SLOWED, 9) });
    check('', { ...seconds(HELD, 1), ...all(SLOWED, 'not-supported') }, ['nvmlDeviceGetFieldValues']);
    check(Array.from({ length: 8 }, (_, i) => `gpu 0 field ${74 + i} 2`).join('\n'), {
      ...seconds(HELD, 1),
      ...seconds(SLOWED, 9),
    });
  });

  test('a counter that is all ones is an error, one that is refused is so by itself', () =>
    check(`gpu 0 held-power -1\ngpu 0 held-heat ${ONES}\ngpu 0 slowed-brake 9223372036854775807\ngpu 0 field 270 4`, {
      clock_event_power_cap_seconds_total: 'error',
      clock_event_thermal_seconds_total: 'error',
      clock_event_power_brake_seconds_total: 'error',
      clock_event_hw_thermal_seconds_total: 'no-permission',
      clock_event_sync_boost_seconds_total: 3,
    }));
});

describe.skipIf(!HAS_FAKE_DRIVER)('memory window, engines and PCIe', () => {
  test('values', () =>
    check('', {
      bar1_total_bytes: 137438953472,
      bar1_used_bytes: 18874368,
      bar1_free_bytes: 137438953472 - 18874368,
      jpeg_utilization_ratio: 0.03,
      ofa_utilization_ratio: 0.04,
      pcie_link_generation_device_max: 5,
      pcie_replay_total: 7,
      pcie_recovery_total: 1,
      pcie_correctable_errors_total: 2,
      pcie_non_fatal_errors_total: 0,
      pcie_fatal_errors_total: 0,
    }));

  test('sentinels', () =>
    check(
      `gpu 0 bar1-used -1\ngpu 0 jpeg ${ONES}\ngpu 0 link-generation-device ${ONES}\ngpu 0 pcie-replays ${ONES}\ngpu 0 pcie-fatal -1`,
      {
        bar1_total_bytes: 137438953472,
        bar1_used_bytes: 'error',
        jpeg_utilization_ratio: 'error',
        pcie_link_generation_device_max: 'error',
        pcie_replay_total: 'error',
        pcie_fatal_errors_total: 'error',
      },
    ));

  test('absences and the older function', () => {
    check(
      'gpu 0 bar1-total unsupported\ngpu 0 field 94 3\ngpu 0 field 180 3\ngpu 0 fail nvmlDeviceGetOfaUtilization 4',
      {
        bar1_free_bytes: 'not-supported',
        pcie_replay_total: 7,
        pcie_fatal_errors_total: 'not-supported',
        ofa_utilization_ratio: 'no-permission',
      },
    );
    check(
      '',
      {
        bar1_total_bytes: 'not-supported',
        jpeg_utilization_ratio: 'not-supported',
        pcie_replay_total: 7,
        pcie_correctable_errors_total: 'not-supported',
        pcie_link_generation_device_max: 'not-supported',
      },
      [
        'nvmlDeviceGetFieldValues',
        'nvmlDeviceGetBAR1MemoryInfo',
        'nvmlDeviceGetJpgUtilization',
        'nvmlDeviceGetGpuMaxPcieLinkGeneration',
      ],
    );
  });
});
