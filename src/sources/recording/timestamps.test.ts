import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ZoneClock } from './time-zone.ts';
import { TimestampReader } from './timestamps.ts';

function reader(zone = 'UTC'): (text: string) => number {
  const timestamps = new TimestampReader(new ZoneClock(zone));
  return (text) => {
    const bytes = new TextEncoder().encode(text);
    return timestamps.read(bytes, 0, bytes.length);
  };
}

test('the zone of this host is read as one that is named', () => {
  const before = process.env['TZ'];
  try {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe']) {
      process.env['TZ'] = zone;
      const [own, named] = [new ZoneClock(null), new ZoneClock(zone)];
      expect(own.zone).toBe(zone);
      for (let at = Date.UTC(2024, 0); at < Date.UTC(2026, 0); at += 13_700_000) {
        expect(own.toUtc(at, Number.NaN), `${zone} ${at}`).toBe(named.toUtc(at, Number.NaN));
        expect(own.toLocal(at)).toBe(named.toLocal(at));
      }
    }
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
});

test('reads the forms in which logs write times', () => {
  const read = reader();
  const check = (text: string, iso: string) => expect(new Date(read(text)).toISOString(), text).toBe(iso);
  check('2025/06/12 01:27:28.446', '2025-06-12T01:27:28.446Z');
  check('2025-12-10 03:09:34', '2025-12-10T03:09:34.000Z');
  check('2025-12-10T03:09:34,5', '2025-12-10T03:09:34.500Z');
  check('2025-12-10T03:09:34.123456789Z', '2025-12-10T03:09:34.123Z');
  check('2025-09-08T17:26:50+08:00', '2025-09-08T09:26:50.000Z');
  check('2025-09-08 17:26:50.25 -0330', '2025-09-08T20:56:50.250Z');
  check('2025-09-08T17:26:50+08', '2025-09-08T09:26:50.000Z');
  check('2025-09-08 17:26:50 UTC', '2025-09-08T17:26:50.000Z');
  check('2024-02-29 00:00:00', '2024-02-29T00:00:00.000Z');
  check('2016-12-31 23:59:60', '2017-01-01T00:00:00.000Z');
  check('1785951483', '2026-08-05T17:38:03.000Z');
  check('1736203508.750246', '2025-01-06T22:45:08.750Z');
  check('1736203508750', '2025-01-06T22:45:08.750Z');
  check('1736203508750246', '2025-01-06T22:45:08.750Z');
  check('1736203508750246000', '2025-01-06T22:45:08.750Z');
});

test('takes nothing else for a time', () => {
  const read = reader();
  const texts = [
    '',
    'now',
    '[N/A]',
    '2025-13-01 00:00:00',
    '2025-02-29 00:00:00',
    '2025-00-10 00:00:00',
    '2025-01-32 00:00:00',
    '2025-01-01 24:00:00',
    '2025-01-01 00:60:00',
    '2025-01-01 00:00:61',
    '2025-01-01',
    '2025-01-01 00:00',
    '2025/01-01 00:00:00',
    '2025-01-01 00:00:00.',
    '2025-01-01 00:00:00 CET',
    '2025-01-01 00:00:00+8',
    '2025-01-01 00:00:00+08:0',
    '2025-01-01 00:00:00Zx',
    '2025-01-01 0a:00:00',
    '-5',
    '12:30:00',
    '1785951483x',
    '1e300',
  ];
  for (const text of texts) expect(read(text), text).toBeNaN();
});

test('a small number is the time since the start', () => {
  const timestamps = new TimestampReader(new ZoneClock('UTC'));
  const check = (text: string, millis: number, isElapsed: boolean) => {
    const bytes = new TextEncoder().encode(text);
    expect(timestamps.read(bytes, 0, bytes.length)).toBe(millis);
    expect(timestamps.isElapsed).toBe(isElapsed);
  };
  check('0', 0, true);
  check('34.10', 34_100, true);
  check('1785951483', 1_785_951_483_000, false);
});

test('local times are read in their zone, in both passes of the hour that comes twice', () => {
  const read = reader('Europe/Berlin');
  const check = (text: string, iso: string) => expect(new Date(read(text)).toISOString(), text).toBe(iso);
  check('2026/03/29 01:59:59.000', '2026-03-29T00:59:59.000Z');
  check('2026/03/29 03:00:00.000', '2026-03-29T01:00:00.000Z');
  check('2026/10/25 01:59:59.000', '2026-10-24T23:59:59.000Z');
  check('2026/10/25 02:00:00.000', '2026-10-25T00:00:00.000Z');
  check('2026/10/25 02:59:59.000', '2026-10-25T00:59:59.000Z');
  check('2026/10/25 02:59:58.990', '2026-10-25T00:59:58.990Z');
  check('2026/10/25 02:00:10.000', '2026-10-25T01:00:10.000Z');
  check('2026/10/25 02:59:59.000', '2026-10-25T01:59:59.000Z');
  check('2026/10/25 03:00:00.000', '2026-10-25T02:00:00.000Z');
  check('2026/10/25 02:00:00+02:00', '2026-10-25T00:00:00.000Z');
});

test('a log written at regular steps through a whole year of any zone comes out at regular steps', () => {
  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'Asia/Shanghai',
    'UTC',
    'America/St_Johns',
  ];
  for (const zone of zones) {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    const read = reader(zone);
    const start = Date.UTC(2026, 0, 1);
    const step = 20 * 60_000;
    for (let at = start; at < start + 366 * 86_400_000; at += step) {
      if (read(format.format(at)) !== at)
        expect.fail(`${zone}: ${format.format(at)} is not ${new Date(at).toISOString()}`);
    }
  }
});

test('every instant survives being written and read', () => {
  const read = reader();
  fc.assert(
    fc.property(fc.date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true }), (date) => {
      expect(read(date.toISOString())).toBe(date.getTime());
      expect(read(date.toISOString().slice(0, -1).replaceAll('-', '/').replace('T', ' '))).toBe(date.getTime());
    }),
  );
});

test('a cell that comes again is read as it was the first time', () => {
  const cell = fc.constantFrom(
    '2025/10/26 02:30:00.000',
    '2025/10/26 03:30:00.000',
    '2025/10/26 02:59:59.999',
    '2025-10-26T02:30:00+02:00',
    '1761438600',
    '12.5',
    '13',
    'N/A',
    '2025/13/26 02:30:00.000',
    `${'9'.repeat(70)}`,
  );
  fc.assert(
    fc.property(fc.array(cell), (cells) => {
      const [once, again] = [0, 1].map(() => new TimestampReader(new ZoneClock('Europe/Berlin')));
      for (const text of cells) {
        const bytes = new TextEncoder().encode(text);
        const want = [once!.read(bytes, 0, bytes.length), once!.isElapsed];
        for (let time = 0; time < 3; time++) {
          expect([again!.read(bytes, 0, bytes.length), again!.isElapsed], text).toEqual(want);
        }
      }
    }),
  );
});
