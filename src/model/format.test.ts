import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ago,
  bytesOf,
  dateTime,
  duration,
  quantityText,
  shortDeviceName,
  threeFigures,
  timeOfDay,
  zoneOffset,
} from './format.ts';
import type { Unit } from './metrics/entry.ts';

const GIB = 1024 ** 3;

test('threeFigures rounds to three figures and whole numbers from 1000 on', () => {
  const check = (value: number, want: string, keepZeros = false) =>
    expect(threeFigures(value, keepZeros), String(value)).toBe(want);
  check(0, '0');
  check(0, '0', true);
  check(0.00001, '<0.001');
  check(-0.00001, '>-0.001');
  check(0.0123, '0.012');
  check(0.5, '0.5');
  check(3.456, '3.46');
  check(9.999, '10');
  check(9.999, '10.0', true);
  check(87, '87');
  check(87.34, '87.3');
  check(99.96, '100');
  check(235.4, '235');
  check(700, '700', true);
  check(999.6, '1000');
  check(1980.4, '1980');
  check(-12.34, '-12.3');
  check(100, '100');
});

test('threeFigures never shows a value that is not zero as zero, and is within half a percent', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 1e9, noNaN: true }), fc.boolean(), (value, keepZeros) => {
      const shown = Number(threeFigures(value, keepZeros));
      expect(Math.abs(shown - value) / value).toBeLessThanOrEqual(0.0051);
    }),
  );
});

test('quantityText uses the unit people use', () => {
  const check = (value: number, unit: Unit, want: string, zh = want) => {
    expect(quantityText(value, unit, 'en')).toBe(want);
    expect(quantityText(value, unit, 'zh')).toBe(zh);
  };
  check(0.87, 'ratio', '87%');
  check(0.005, 'ratio', '0.5%');
  check(1, 'ratio', '100%');
  check(0, 'bytes', '0 B');
  check(512, 'bytes', '512 B');
  check(79.6 * GIB, 'bytes', '79.6 GiB');
  check(80 * GIB, 'bytes', '80.0 GiB');
  check(999.4 * 1024 ** 2, 'bytes', '999 MiB');
  check(1000 * 1024 ** 2, 'bytes', '0.977 GiB');
  check(12.5 * GIB, 'bytes-per-second', '12.5 GiB/s');
  check(235.4, 'watts', '235 W');
  check(75, 'watts', '75.0 W');
  check(1800, 'joules', '1800 J');
  check(7.2e6, 'joules', '2.00 kWh');
  check(1.98e9, 'hertz', '1980 MHz');
  check(64, 'celsius', '64 °C');
  check(16, 'lanes', '×16');
  check(0, 'pstate', 'P0');
  check(5, 'generation', '5');
  check(12345, 'count', '12345');
  check(0x44, 'bits', 'power cap, hw thermal', '达到功耗上限、硬件过热降频');
  check(0, 'bits', 'none', '无');
});

test('bytesOf gives the part in the unit of the whole', () => {
  expect(bytesOf(512 * 1024 ** 2, 80 * GIB)).toEqual({ part: '0.500', whole: '80.0', unit: 'GiB' });
  expect(bytesOf(0, 0)).toEqual({ part: '0', whole: '0', unit: 'B' });
});

test('duration names the two largest units', () => {
  const check = (ms: number, en: string, zh: string) => {
    expect(duration(ms, 'en')).toBe(en);
    expect(duration(ms, 'zh')).toBe(zh);
  };
  check(250, '250 ms', '250 毫秒');
  check(1000, '1 s', '1 秒');
  check(1500, '1.5 s', '1.5 秒');
  check(45_000, '45 s', '45 秒');
  check(60_000, '1 min', '1 分钟');
  check(90_000, '1 min 30 s', '1 分钟 30 秒');
  check(3_900_000, '1 h 5 min', '1 小时 5 分钟');
  check(3_600_000 + 59_000, '1 h', '1 小时');
  check(26 * 3_600_000, '1 d 2 h', '1 天 2 小时');
});

test('ago uses one unit and never a future', () => {
  const check = (age: number, en: string, zh: string) => {
    expect(ago(1e12 - age, 1e12, 'en')).toBe(en);
    expect(ago(1e12 - age, 1e12, 'zh')).toBe(zh);
  };
  check(-5000, 'now', '刚刚');
  check(900, 'now', '刚刚');
  check(12_900, '12 s ago', '12 秒前');
  check(3 * 60_000, '3 min ago', '3 分钟前');
  check(47 * 3_600_000, '47 h ago', '47 小时前');
  check(48 * 3_600_000, '2 d ago', '2 天前');
});

test('times are local, and the zone says which', () => {
  const before = process.env['TZ'];
  try {
    process.env['TZ'] = 'Asia/Shanghai';
    const at = Date.UTC(2026, 10, 30, 19, 5, 9);
    expect(dateTime(at)).toBe('2026-12-01 03:05:09');
    expect(timeOfDay(at)).toBe('03:05:09');
    expect(zoneOffset(at)).toBe('UTC+08:00');
    process.env['TZ'] = 'America/St_Johns';
    expect(zoneOffset(at)).toBe('UTC-03:30');
    process.env['TZ'] = 'UTC';
    expect(zoneOffset(at)).toBe('UTC');
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
});

test('shortDeviceName drops the maker and keeps the rest', () => {
  const check = (name: string, want: string) => expect(shortDeviceName(name)).toBe(want);
  check('NVIDIA H100 80GB HBM3', 'H100 80GB HBM3');
  check('NVIDIA GeForce RTX 4090', 'RTX 4090');
  check('Tesla V100-SXM2-32GB', 'Tesla V100-SXM2-32GB');
  check('AMD Instinct MI300X', 'Instinct MI300X');
  check('NVIDIA', 'NVIDIA');
});
