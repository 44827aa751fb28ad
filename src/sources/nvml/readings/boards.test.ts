import { afterEach, describe, expect, test } from 'vitest';
import type { MetricId } from '../../../model/catalogue.ts';
import type { AbsenceReason } from '../../../model/reading.ts';
import { BOARD_METRICS, closeBoards, type FakeBoard, readBoard } from '../fake-board.ts';
import { HAS_FAKE_DRIVER } from '../fake-driver.ts';
import { SYMBOL_COUNT, symbolName } from '../symbols.ts';

afterEach(closeBoards);

type Absences = Partial<Record<AbsenceReason, MetricId[]>>;

/** The metrics without a number, by their reason. Rates of bytes come with the second tick. */
function absences(board: FakeBoard): Absences {
  const found: Absences = {};
  for (const id of BOARD_METRICS) {
    const reading = board.readings().get(id);
    if (typeof reading === 'number' || id.endsWith('bytes_per_second')) continue;
    found[reading.absent] = [...(found[reading.absent] ?? []), id];
  }
  return found;
}

function idsWith(part: string): MetricId[] {
  return BOARD_METRICS.filter((id) => id.includes(part));
}

/** What an H100 does not have: pages are not retired where rows are remapped, and its caches are counted as one. */
const NOT_ON_H100: readonly MetricId[] = [
  ...idsWith('ecc_l1_cache'),
  ...idsWith('ecc_l2_cache'),
  ...idsWith('ecc_register_file'),
  ...idsWith('ecc_texture'),
  ...idsWith('ecc_cbu'),
  ...idsWith('retired_pages'),
  'driver_model',
];

const GEFORCE = [
  'margin memory-temperature bar1-total ecc-corrected ecc-uncorrected ecc-corrected-lifetime ecc-uncorrected-lifetime',
  'ecc-dram ecc-sram sram-status ecc-mode ecc-mode-pending remapped-correctable banks-max fabric-state nvlinks mig power-limit limit-min',
  'limit-default limit-requested application-graphics application-memory application-graphics-default',
  'application-memory-default confidential gpu-max-temperature memory-max-temperature margin-shutdown',
  'margin-slowdown margin-memory-max margin-gpu-max',
]
  .join(' ')
  .split(' ')
  .map((key) => `gpu 0 ${key} unsupported`)
  .join('\n');

/** Every function on a device; the fake has no newer form of one. */
const OPTIONAL = Array.from({ length: SYMBOL_COUNT }, (_, position) => symbolName(position)).filter((name) =>
  /^nvmlDeviceGet(?!HandleBy|Count|Samples|DriverModel_v2|.*Process)/.test(name),
);

describe.skipIf(!HAS_FAKE_DRIVER)('each kind of board has a value or the right reason for every metric', () => {
  test('an H100 has nearly all', () => {
    expect(absences(readBoard())).toEqual({ 'not-supported': expect.toSatisfy(isSameSet(NOT_ON_H100)) });
  });

  test('a GeForce has no ECC, no NVLink, no limits, and says so', () => {
    const board = readBoard(GEFORCE);
    const found = absences(board);
    expect(Object.keys(found)).toEqual(['not-supported']);
    expect(
      board.values(['power_watts', 'power_instant_watts', 'fan_speed_rpm', 'compute_mode', 'pcie_replay_total']),
    ).toEqual({
      power_watts: 235.4,
      power_instant_watts: 241,
      fan_speed_rpm: 2100,
      compute_mode: 0,
      pcie_replay_total: 7,
    });
    const missing = found['not-supported'] ?? [];
    for (const id of [
      ...idsWith('ecc_'),
      ...idsWith('nvlink_').slice(0, 7),
      ...idsWith('remap'),
      ...idsWith('fabric_'),
    ]) {
      expect(missing, id).toContain(id);
    }
  });

  test('under MIG the card has no utilisation and no remapped rows, and the rest', () => {
    const { 'not-supported': missing, ...others } = absences(readBoard('gpu 0 mig on'));
    expect(missing).toEqual(expect.toSatisfy(isSameSet(NOT_ON_H100)));
    expect(others).toEqual({
      mig: expect.toSatisfy(
        isSameSet([
          'utilization_ratio',
          'memory_utilization_ratio',
          'encoder_utilization_ratio',
          'decoder_utilization_ratio',
          'jpeg_utilization_ratio',
          'ofa_utilization_ratio',
          ...idsWith('remapped_rows'),
        ]),
      ),
    });
  });

  test('a driver of the R418 generation has what it had then', () => {
    const board = readBoard('', { variant: 'old' });
    expect(Object.keys(absences(board))).toEqual(['not-supported']);
    expect(
      board.values([
        'memory_used_bytes',
        'temperature_celsius',
        'temperature_shutdown_celsius',
        'power_limit_max_watts',
        'clock_event_power_cap_seconds_total',
        'clock_event_sw_thermal_seconds_total',
        'pcie_replay_total',
        'ecc_dram_uncorrected_aggregate_total',
        'ecc_sram_corrected_volatile_total',
        'nvlink_active_links',
        'nvlink_crc_errors_total',
        'persistence_mode',
        'recovery_action',
        'power_instant_watts',
      ]),
    ).toEqual({
      memory_used_bytes: 11366563840,
      temperature_celsius: 41,
      temperature_shutdown_celsius: 92,
      power_limit_max_watts: 700,
      clock_event_power_cap_seconds_total: 1,
      clock_event_sw_thermal_seconds_total: 'not-supported',
      pcie_replay_total: 7,
      ecc_dram_uncorrected_aggregate_total: 13,
      // That place came with Turing.
      ecc_sram_corrected_volatile_total: 'not-supported',
      nvlink_active_links: 18,
      // 5 + n of one kind and 6 + n of the other on each of 18 ports.
      nvlink_crc_errors_total: 18 * 11 + 2 * 153,
      persistence_mode: 1,
      recovery_action: 'not-supported',
      power_instant_watts: 'not-supported',
    });
  });

  test('a driver that refuses everything to this user says so, until it does no longer', () => {
    const board = readBoard();
    board.driver.script('fail * 4');
    board.gpus[0]?.forget();
    board.read();
    expect(Object.keys(absences(board))).toEqual(['no-permission']);
    board.driver.script('');
    board.gpus[0]?.wakeQuestions();
    board.read();
    expect(absences(board)).toEqual({ 'not-supported': expect.toSatisfy(isSameSet(NOT_ON_H100)) });
  });

  test('a library without any function but the first ones gives no number and no error', () => {
    const board = readBoard('', { without: OPTIONAL });
    expect(Object.keys(absences(board))).toEqual(['not-supported']);
    expect(board.gpus[0]?.device.facts).toBeUndefined();
    for (const id of BOARD_METRICS.filter((metric) => metric.endsWith('bytes_per_second'))) {
      expect(board.values([id]), id).not.toEqual({ [id]: 'error' });
    }
  });
});

function isSameSet(want: readonly MetricId[]) {
  return (found: readonly MetricId[]): boolean =>
    JSON.stringify([...found].sort()) === JSON.stringify([...want].sort());
}
