import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CATALOGUE, type MetricId, metric } from '../../../model/catalogue.ts';
import { MetricColumn } from './metric.ts';
import { meaningOf } from './titles.ts';

function column(id: MetricId): MetricColumn {
  const meaning = meaningOf(metric(id).smi?.field ?? '');
  return new MetricColumn({
    position: 0,
    title: id,
    metric: metric(id),
    scale: meaning.kind === 'metric' ? meaning.scale : 1,
  });
}

/** The value of a cell, or the reason why it has none, with what was wrong with the cell. */
function read(cells: MetricColumn, text: string): number | string {
  const bytes = new TextEncoder().encode(text);
  const value = cells.read(bytes, 0, bytes.length);
  if (!Number.isNaN(value)) return value;
  return cells.fault === 'none' ? cells.absence : `${cells.absence}: ${cells.fault}`;
}

test('turns cells into base units, whatever unit they carry', () => {
  const check = (id: MetricId, text: string, want: number) =>
    expect(read(column(id), text), `${id} ${text}`).toBe(want);
  check('utilization_ratio', '29 %', 0.29);
  check('utilization_ratio', '57', 0.57);
  check('utilization_ratio', '100%', 1);
  check('memory_used_bytes', '604', 604 * 2 ** 20);
  check('memory_used_bytes', '604 MiB', 604 * 2 ** 20);
  check('memory_used_bytes', '604MB', 604 * 2 ** 20);
  check('memory_used_bytes', '1.5 GiB', 1.5 * 2 ** 30);
  check('power_watts', '98.14 W', 98.14);
  check('power_watts', '26.11\n0', 26.11);
  check('power_watts', '26.11 W\n8.02 W', 26.11);
  check('temperature_celsius', '33', 33);
  check('temperature_celsius', '33 C', 33);
  check('sm_clock_hertz', '1410 MHz', 1.41e9);
  check('performance_state', 'P0', 0);
  check('performance_state', 'P12', 12);
  check('clock_event_reasons', '0x0000000000000004', 4);
  check('clock_event_reasons', '0x00000000000000E0', 0xe0);
  check('pcie_link_width', '16', 16);
  check('ecc_corrected_volatile_total', '12', 12);
  check('fan_speed_ratio', '120 %', 1.2);
});

test('what is read before the end of the cell is known is what the whole cell says', () => {
  const cell = fc.oneof(
    fc.constantFrom(
      '89 %',
      '12',
      '12W',
      '378.18 W',
      '60000 MiB',
      '60000MiB',
      '1.5 GiB',
      'P0',
      'P12',
      '0x4',
      '.5',
      '5.',
    ),
    fc.constantFrom(
      '[N/A]',
      '',
      '-3',
      '1e3',
      '4294967295',
      '18446744073709551615',
      '26.11\n0',
      '12 foo',
      '1.2.3',
      '% 5',
    ),
    fc.nat(20_000).map(String),
  );
  const ids = fc.constantFrom<MetricId>(
    'utilization_ratio',
    'memory_used_bytes',
    'power_watts',
    'performance_state',
    'clock_event_reasons',
    'ecc_corrected_volatile_total',
  );
  fc.assert(
    fc.property(ids, fc.array(cell, { minLength: 1 }), (id, texts) => {
      const [ahead, whole] = [column(id), column(id)];
      for (const text of texts) {
        const bytes = new TextEncoder().encode(`7, ${text}, 8`);
        const [start, end] = [3, bytes.length - 3];
        const value = whole.read(bytes, start, end);
        if (ahead.readAhead(bytes, start, bytes.length) === end) expect(ahead.value, text).toBe(value);
        else ahead.read(bytes, start, end);
      }
    }),
  );
});

test('every word for a missing value has its reason', () => {
  const check = (text: string, want: string) => expect(read(column('power_watts'), text), text).toBe(want);
  check('[N/A]', 'not-supported');
  check('N/A', 'not-supported');
  check('[Not Supported]', 'not-supported');
  check('[Function Not Found]', 'not-supported');
  check('[Requested functionality has been deprecated]', 'not-supported');
  check('[Unknown Error]', 'error');
  check('ERR!', 'error');
  check('[GPU requires reset]', 'error');
  check('[GPU is lost]', 'gpu-lost');
  check('[Insufficient Permissions]', 'no-permission');
  check('', 'not-collected');
  check('nan', 'not-collected');
});

describe('a value that cannot be is an error, never a number', () => {
  const check = (id: MetricId, text: string) =>
    expect(read(column(id), text), `${id} ${text}`).toBe('error: impossible');
  test('beyond what a device can report', () => {
    check('utilization_ratio', '101 %');
    check('utilization_ratio', '4294967295 %');
    check('memory_used_bytes', '-1 MiB');
    check('memory_used_bytes', '17592186044415 MiB');
    check('power_watts', '4294967.29 W');
    check('temperature_celsius', '511');
    check('clock_event_reasons', '0xFFFFFFFFFFFFFFFF');
    check('ecc_corrected_volatile_total', '4294967295');
    check('ecc_corrected_volatile_total', '18446744073709551615');
    check('performance_state', 'P32');
  });
  test('sentinels of 64 bits in every metric', () => {
    for (const { id, smi } of CATALOGUE) {
      if (smi !== undefined) check(id, '9223372036854775794');
    }
  });
});

test('text where a number belongs is an error, never a number', () => {
  const check = (id: MetricId, text: string) =>
    expect(read(column(id), text), `${id} ${text}`).toBe('error: unreadable');
  check('utilization_ratio', 'idle');
  check('utilization_ratio', '12 MiB');
  check('utilization_ratio', '12 34');
  check('memory_used_bytes', '12 %');
  check('power_watts', '12x');
  check('power_watts', '0x12');
  check('clock_event_reasons', '0x');
  check('clock_event_reasons', 'Active');
  check('performance_state', 'P');
});

test('a plain number is read as the same number with a sign is, which takes the general way', () => {
  const digits = fc.stringMatching(/^\d{1,17}$/);
  const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{0,8}$/));
  const unit = fc.constantFrom('', ' W', 'W', ' %', ' MiB', 'MiB', ' MHz', ' C', ' x', ' W ', ' GiB');
  const metrics: readonly MetricId[] = [
    'power_watts',
    'utilization_ratio',
    'memory_used_bytes',
    'sm_clock_hertz',
    'temperature_celsius',
    'performance_state',
    'pcie_link_width',
    'ecc_corrected_volatile_total',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...metrics), fc.array(fc.tuple(digits, fraction, unit)), (id, cells) => {
      const [plain, general] = [column(id), column(id)];
      for (const [whole, decimals, suffix] of cells) {
        const text = `${whole}${decimals}${suffix}`;
        expect(read(plain, text), text).toBe(read(general, `+${text}`));
      }
    }),
  );
});
