import { afterEach, describe, expect, test } from 'vitest';
import type { MetricId } from '../../../model/catalogue.ts';
import type { AbsenceReason } from '../../../model/reading.ts';
import { closeBoards, readBoard } from '../fake-board.ts';
import { HAS_FAKE_DRIVER } from '../fake-driver.ts';

afterEach(closeBoards);

type Want = Partial<Record<MetricId, number | AbsenceReason>>;

function check(script: string, want: Want, without: readonly string[] = []): void {
  const board = readBoard(script, { without });
  expect(board.values(Object.keys(want) as MetricId[])).toEqual(want);
}

const ALL_ONES_64 = '18446744073709551615';

describe.skipIf(!HAS_FAKE_DRIVER)('ECC', () => {
  test('each place, kind and span has its own counter', () =>
    check('gpu 0 ecc-l2 40\ngpu 0 ecc-cbu 50\ngpu 0 ecc-texture 60\ngpu 0 ecc-registers 70', {
      ecc_dram_corrected_volatile_total: 10,
      ecc_dram_uncorrected_volatile_total: 11,
      ecc_dram_corrected_aggregate_total: 12,
      ecc_dram_uncorrected_aggregate_total: 13,
      ecc_sram_corrected_volatile_total: 20,
      ecc_l2_cache_uncorrected_aggregate_total: 43,
      ecc_cbu_uncorrected_volatile_total: 51,
      ecc_texture_corrected_aggregate_total: 62,
      ecc_register_file_corrected_volatile_total: 70,
      ecc_l1_cache_corrected_volatile_total: 'not-supported',
    }));

  test('the status of the SRAM in the order of its struct', () =>
    check('gpu 0 sram-exceeded 1', {
      ecc_sram_parity_uncorrected_aggregate_total: 30,
      ecc_sram_secded_uncorrected_aggregate_total: 31,
      ecc_sram_parity_uncorrected_volatile_total: 33,
      ecc_sram_secded_uncorrected_volatile_total: 34,
      ecc_sram_l2_uncorrected_aggregate_total: 36,
      ecc_sram_sm_uncorrected_aggregate_total: 37,
      ecc_sram_pcie_uncorrected_aggregate_total: 38,
      ecc_sram_mcu_uncorrected_aggregate_total: 39,
      ecc_sram_other_uncorrected_aggregate_total: 40,
      ecc_sram_threshold_exceeded: 1,
    }));

  test('sentinels are errors', () =>
    check(
      `gpu 0 ecc-dram ${ALL_ONES_64}\ngpu 0 sram-exceeded 77\ngpu 0 ecc-mode 4294967295\ngpu 0 ecc-uncorrected -1`,
      {
        ecc_dram_corrected_volatile_total: 'error',
        ecc_sram_threshold_exceeded: 'error',
        ecc_mode: 'error',
        ecc_mode_pending: 1,
        ecc_uncorrected_volatile_total: 'error',
        ecc_corrected_volatile_total: 0,
      },
    ));

  test('absences', () => {
    check('gpu 0 fail nvmlDeviceGetSramEccErrorStatus 4\ngpu 0 fail nvmlDeviceGetMemoryErrorCounter 4', {
      ecc_sram_threshold_exceeded: 'no-permission',
      ecc_sram_parity_uncorrected_volatile_total: 'no-permission',
      ecc_dram_corrected_volatile_total: 'no-permission',
    });
    check('gpu 0 fail nvmlDeviceGetMemoryErrorCounter 999', { ecc_dram_corrected_volatile_total: 'error' });
    check('gpu 0 fail nvmlDeviceGetEccMode 22\ngpu 0 field 1 22\ngpu 0 field 2 22', { ecc_mode: 'not-supported' });
  });

  test('older functions stand in, for the places that they know', () => {
    check(
      'gpu 0 ecc-l1 1\ngpu 0 ecc-l2 40\ngpu 0 ecc-registers 70',
      {
        ecc_dram_uncorrected_aggregate_total: 13,
        ecc_l1_cache_corrected_volatile_total: 1,
        ecc_l2_cache_uncorrected_volatile_total: 41,
        ecc_register_file_corrected_aggregate_total: 72,
        ecc_sram_corrected_volatile_total: 'not-supported',
        ecc_mode: 1,
      },
      ['nvmlDeviceGetMemoryErrorCounter', 'nvmlDeviceGetEccMode'],
    );
    // They give 0 for what is not there, so they are not believed where the newer one says that it is not.
    check('gpu 0 ecc-l1 unsupported', { ecc_l1_cache_corrected_volatile_total: 'not-supported' });
  });

  test('a total that is not supported as a field is not asked for twice as a call', () => {
    const board = readBoard('gpu 0 ecc-corrected unsupported\ngpu 0 field 4 4\ngpu 0 ecc-uncorrected 9');
    board.read();
    board.read();
    expect(board.values(['ecc_corrected_volatile_total', 'ecc_uncorrected_volatile_total'])).toEqual({
      ecc_corrected_volatile_total: 'not-supported',
      ecc_uncorrected_volatile_total: 9,
    });
    // Once for the first, and every time for the second, which may be open to this user as a call.
    expect(board.driver.calls('nvmlDeviceGetTotalEccErrors')).toBe(4);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('pages and rows', () => {
  const PAGES = 'gpu 0 retired-corrected 3\ngpu 0 retired-uncorrected 4\ngpu 0 retired-pending 1\n';
  const FOUND: Want = {
    retired_pages_corrected_total: 3,
    retired_pages_uncorrected_total: 4,
    retired_pages_pending: 1,
  };

  test('retired pages from fields, or counted by the older functions', () => {
    check(PAGES, FOUND);
    check(PAGES, FOUND, ['nvmlDeviceGetFieldValues']);
    check(PAGES, FOUND, ['nvmlDeviceGetFieldValues', 'nvmlDeviceGetRetiredPages_v2']);
    check(`${PAGES}gpu 0 field 31 2\ngpu 0 field 30 3`, FOUND);
    check('gpu 0 retired-corrected 0', { retired_pages_corrected_total: 0, retired_pages_pending: 'not-supported' });
    check(`${PAGES}gpu 0 retired-corrected 4294967295\ngpu 0 retired-pending 9`, {
      retired_pages_corrected_total: 'error',
      retired_pages_pending: 'error',
    });
  });

  const ROWS: Want = {
    remapped_rows_correctable_total: 1,
    remapped_rows_uncorrectable_total: 2,
    remapped_rows_pending: 1,
    remapped_rows_failure: 0,
  };

  test('remapped rows from their function, or from fields', () => {
    check('gpu 0 remapped-pending 1', ROWS);
    check('gpu 0 remapped-pending 1', ROWS, ['nvmlDeviceGetRemappedRows']);
    check('gpu 0 remapped-correctable 4294967295\ngpu 0 remapped-failure 3', {
      remapped_rows_correctable_total: 'error',
      remapped_rows_failure: 'error',
      remapped_rows_uncorrectable_total: 2,
    });
    check('gpu 0 fail nvmlDeviceGetRemappedRows 4', { remapped_rows_pending: 'no-permission' });
  });

  test('what is left of the spare rows', () => {
    check('gpu 0 banks-none 1', {
      remap_banks_max: 2558,
      remap_banks_high: 2,
      remap_banks_partial: 0,
      remap_banks_low: 0,
      remap_banks_none: 1,
    });
    check('gpu 0 banks-max unsupported', { remap_banks_none: 'not-supported' });
    check('gpu 0 banks-low 4294967295', { remap_banks_low: 'error', remap_banks_max: 2558 });
    check('', { remap_banks_max: 'not-supported' }, ['nvmlDeviceGetRowRemapperHistogram']);
  });
});
