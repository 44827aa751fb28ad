import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMoment } from './moment.ts';

test('parseMoment reads every notation', () => {
  const at = (text: string, iso: string) =>
    expect(parseMoment(text), text).toEqual({ kind: 'at', at: Date.parse(iso) });
  at('1767225600000', '2026-01-01T00:00:00Z');
  at('0', '1970-01-01T00:00:00Z');
  at('1', '1970-01-01T00:00:00.001Z');
  at('300000', '1970-01-01T00:05:00Z');
  at('1767225600', '1970-01-21T10:53:45.600Z');
  at('99999999999', '1973-03-03T09:46:39.999Z');
  at('946684800000', '2000-01-01T00:00:00Z');
  at('253402300799999', '9999-12-31T23:59:59.999Z');
  at('1970-01-01T00:05:00Z', '1970-01-01T00:05:00Z');
  at('2200-01-01T00:00:00Z', '2200-01-01T00:00:00Z');
  at('2026-01-31', '2026-01-31T00:00:00Z');
  at('2026-01-31T12:00Z', '2026-01-31T12:00:00Z');
  at('2026-01-31T12:00:05z', '2026-01-31T12:00:05Z');
  at('2026-01-31T12:00:05.25Z', '2026-01-31T12:00:05.250Z');
  at('2026-01-31T12:00:05,25Z', '2026-01-31T12:00:05.250Z');
  at('2026-01-31T20:00:05+08:00', '2026-01-31T12:00:05Z');
  at('2026-01-31T20:00:05 08:00', '2026-01-31T12:00:05Z');
  at('2026-01-31 20:00:05+0800', '2026-01-31T12:00:05Z');
  at('2026-01-31T06:30:05-05:30', '2026-01-31T12:00:05Z');
  const ago = (text: string, ms: number) => expect(parseMoment(text), text).toEqual({ kind: 'ago', ms });
  ago('now', 0);
  ago('-15m', 900_000);
  ago('now-15m', 900_000);
  ago('-1h30m', 5_400_000);
  ago('-90s', 90_000);
  ago('-500ms', 500);
  ago('-2d', 172_800_000);
  ago('-1w', 604_800_000);
  expect(parseMoment('all')).toEqual({ kind: 'all' });
});

test('parseMoment takes nothing else', () => {
  const check = (text: string) => expect(parseMoment(text), text).toBeUndefined();
  check('');
  check(' ');
  check('NaN');
  check('Infinity');
  check('1e12');
  check('0x10');
  check('-5');
  check('1767225600000.5');
  check('9999999999999999');
  check('253402300800000');
  check('-1');
  check('yesterday');
  check('15m');
  check('+15m');
  check('-');
  check('-m');
  check('-15');
  check('-15 m');
  check('-15M');
  check('-1.5h');
  check('-999999999999999w');
  check('now+15m');
  check('2026-01-31T12:00:00');
  check('2026-13-01');
  check('2026-02-30T00:00:00Z');
  check('2026-02-29');
  check('2026-01-31T12:00:00+99:99');
  check('2026-01-31T25:00Z');
  check('1969-12-31T00:00:00Z');
  check('2026-01-31T12:00:00Zx');
  check('ALL');
});

test('whatever is given, the result is finite', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^(now)?-[0-9]{0,16}[smhdw]{0,3}$/)), (text) => {
      const moment = parseMoment(text);
      if (moment?.kind === 'at') expect(Number.isSafeInteger(moment.at)).toBe(true);
      if (moment?.kind === 'ago') expect(Number.isSafeInteger(moment.ms)).toBe(true);
    }),
  );
});
