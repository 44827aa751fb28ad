import { afterEach, describe, expect, test } from 'vitest';
import { BOARD_METRICS, closeBoards, readBoard } from './fake-board.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { SYMBOL_COUNT, symbolName } from './symbols.ts';

afterEach(closeBoards);

/** What a reading may say whose function gives this code; it may as well come from another function. */
const REASONS: Readonly<Record<number, readonly string[]>> = {
  2: ['error', 'not-supported'],
  3: ['not-supported'],
  4: ['no-permission'],
  6: ['not-found'],
  10: ['error'],
  13: ['not-supported'],
  15: ['error'],
  16: ['error'],
  17: ['error'],
  18: ['error'],
  25: ['not-supported'],
  26: ['not-supported'],
  999: ['error'],
};

/** Where an older function stands in that tells something else: memory with the driver's reserve, one fan, ports one by one. */
const STAND_INS: Readonly<Record<string, RegExp>> = {
  nvmlDeviceGetMemoryInfo_v2: /^memory_(?:used|free)_bytes$/,
  nvmlDeviceGetFanSpeed_v2: /^fan_speed_ratio$/,
  nvmlDeviceGetFieldValues: /^nvlink_crc_errors_total$/,
  nvmlDeviceGetMemoryErrorCounter: /^ecc_(?:l1_cache|l2_cache|register_file)_/,
};

/** What is measured between two looks. */
const RATES = /bytes_per_second$/;

const FUNCTIONS = Array.from({ length: SYMBOL_COUNT }, (_, position) => symbolName(position)).filter((name) =>
  /^nvmlDeviceGet(?!Count|HandleBy)/.test(name),
);

type Values = Readonly<Record<string, number | string>>;

function faultsOf(name: string, code: number, healthy: Values, found: Values): string[] {
  return Object.entries(found).flatMap(([metric, value]) => {
    const before = healthy[metric];
    if (value === before || RATES.test(metric)) return [];
    const isOther = STAND_INS[name]?.test(metric) === true;
    if (isOther || (typeof value === 'string' && REASONS[code]?.includes(value) === true)) return [];
    return [`${name} ${code}: ${metric} was ${before}, is ${value}`];
  });
}

describe.skipIf(!HAS_FAKE_DRIVER)('whatever code a single function gives', () => {
  const CODES = Object.keys(REASONS).map(Number);

  test.each(CODES)('code %i: what it is not needed for stays as it is, and the rest says why it is missing', (code) => {
    const board = readBoard('gpu 0 fans 2\ngpu 0 fan1 40\ngpu 1 fans 2');
    const healthy = board.values(BOARD_METRICS);
    const faults = FUNCTIONS.flatMap((name) => {
      board.driver.script(`gpus 1\ngpu 0 fans 2\ngpu 0 fan1 40\nfail ${name} ${code}`);
      for (const gpu of board.gpus) gpu.forget();
      board.read();
      return faultsOf(name, code, healthy, board.values(BOARD_METRICS));
    });
    expect(faults).toEqual([]);
  });
});
