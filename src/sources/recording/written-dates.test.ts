import { expect, test } from 'vitest';
import { monthOf } from './months.ts';
import { RecordingReport } from './report.ts';
import { ZoneClock } from './time-zone.ts';
import { dateLine, WrittenDates } from './written-dates.ts';

function check(text: string, want: string | null, zone = 'UTC'): void {
  const at = new WrittenDates(new ZoneClock(zone), new RecordingReport()).read(text);
  expect(Number.isNaN(at) ? null : new Date(at).toISOString(), text).toBe(want);
}

test('dates as shells write them in many languages', () => {
  const want = '2022-08-22T15:23:57.000Z';
  check('Mon Aug 22 15:23:57 2022', want);
  check('Mon Aug 22 15:23:57 UTC 2022', want);
  check('Mon 22 Aug 2022 03:23:57 PM UTC', want);
  check('Mo 22 Aug 2022 17:23:57 CEST', want);
  check('lun. 22 août 2022 17:23:57 CEST', want);
  check('Пн 22 авг 2022 15:23:57', want);
  check('2022年08月22日 星期一 15:23:57', want);
  check('2022年08月22日 星期一 15时23分57秒', want);
  check('2022년 08월 22일 (월) 오후 03시 23분 57초', want);
  check('22.08.2022 15:23:57', want);
  check('08/22/2022 15:23:57', want);
  check('2022-8-22 15:23:57', want);
  check('Mon Aug 22 23:23:57 +08 2022', want);
  check('2022-08-22T23:23:57+08:00', want);
  check('Mon Aug 22 23:23:57 2022', want, 'Asia/Shanghai');
  check('1661181837', want);
});

test('what may be read two ways, or is no date, is not read', () => {
  check('08/05/2022 11:00:00', null);
  check('Mon Aug 32 15:23:57 2022', null);
  check('Feb 30 15:23:57 2022', null);
  check('15:23:57', null);
  check('Mon Aug 22', null);
  check('42', null);
  check('', null);
});

test('months by their names, where languages agree', () => {
  for (const [word, month] of [
    ['Okt', 10],
    ['maj', 5],
    ['mar', 3],
    ['Mär', 3],
    ['mrt', 3],
    ['сен', 9],
    ['févr.', 2],
    ['Dez', 12],
    ['dic', 12],
    ['sept.', 9],
  ] as const) {
    expect(monthOf(word), word).toBe(month);
  }
  expect(monthOf('Mo')).toBe(null);
  expect(monthOf('GPU')).toBe(null);
});

test('a line that is a date and nothing else', () => {
  expect(dateLine('Mon Aug 22 15:23:57 UTC 2022')).toBe('Mon Aug 22 15:23:57 UTC 2022');
  expect(dateLine('=== 2024-01-01 10:00:00 ===')).toBe('2024-01-01 10:00:00');
  expect(dateLine('Timestamp: 2024-01-01T10:00:00Z')).toBe('2024-01-01T10:00:00Z');
  expect(dateLine('# 1743099740')).toBe('1743099740');
  expect(dateLine('[0] GeForce | 12:00:00')).toBe(null);
  expect(dateLine('12 13 14')).toBe(null);
});
