import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOGUE, type MetricId } from '../../model/catalogue.ts';
import { decode, readingsOf } from './decode-text.ts';

const HEADER = 'timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]';
const T0 = Date.UTC(2026, 0, 1);

/** A row of {@link HEADER} has five cells. */
const ROW = /^[^,]*(,[^,]*){4}$/;

/** Pieces that logs are made of, whole and torn. */
const piece = fc.constantFrom(
  ...[
    HEADER,
    '\n',
    '\r\n',
    '\0',
    '"',
    ',',
    ', ',
    ' ',
    '2026/01/01 00:00:01.000',
    '2026/01/01 00',
    '0',
    '1',
    '5 %',
    '35',
    '[N/A]',
  ],
  ...[
    '100 MiB',
    '98.14 W',
    '[GPU is lost]',
    '[Unknown Error]',
    '4294967295',
    '-1',
    'No devices were found',
    '\u001b[0m',
    '|---|',
    'P0',
  ],
  ...[
    'Unable to determine the device handle for GPU 0000:01:00.0: Unknown Error',
    'index, name',
    'gpu_uuid, pid, process_name',
    '\ufeff',
  ],
  ...[
    '2026/01/01 00:00:02.000, 0, 5 %, 100 MiB, 98.14 W\n',
    '1, 2, 3\n',
    '0, NVIDIA H100, 5 %, 100 MiB\n',
    'elapsed_sec,gpu_util\n0,5\n1,6\n',
  ],
);

const soup = fc.oneof(
  fc.array(piece, { maxLength: 60 }).map((pieces) => new TextEncoder().encode(pieces.join(''))),
  fc.uint8Array({ maxLength: 400 }),
  fc
    .tuple(fc.uint8Array({ maxLength: 200 }), fc.array(piece, { maxLength: 20 }))
    .map(([bytes, pieces]) =>
      Uint8Array.from([...new TextEncoder().encode(`${HEADER}\n${pieces.join('')}`), ...bytes]),
    ),
);

test('no bytes whatever make it throw, or report a value outside what is possible', () => {
  fc.assert(
    fc.property(soup, (bytes) => {
      const { ticks, devices } = decode(bytes);
      const known = new Set(devices.map(({ uuid }) => uuid));
      for (const tick of ticks) {
        expect(Number.isInteger(tick.at)).toBe(true);
        const uuids = tick.devices.map(({ device }) => device.uuid);
        expect(new Set(uuids).size).toBe(uuids.length);
        expect(uuids.every((uuid) => known.has(uuid))).toBe(true);
      }
      for (const { id, unit } of CATALOGUE) {
        for (const value of readingsOf({ ticks }, id)) {
          if (typeof value === 'string') continue;
          expect(value).toBeGreaterThanOrEqual(unit === 'celsius' ? -60 : 0);
          if (unit === 'ratio') expect(value).toBeLessThanOrEqual(3);
        }
      }
    }),
    { numRuns: 2000 },
  );
});

test('no value is invented: every one stands in a row of the log', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replaceAll(/[\r\n"]/g, ' ')),
    fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join('').replaceAll(/[\r\n"\0]/g, ' ')),
    fc
      .nat(100)
      .map(
        (percent) =>
          `2026/01/01 00:00:${String(percent % 60).padStart(2, '0')}.000, 0, ${percent} %, ${percent} MiB, ${percent}.00 W`,
      ),
  );
  fc.assert(
    // Another header among the lines would give the cells other meanings.
    fc.property(
      fc.array(
        line.filter((text) => !/index|gpu/.test(text)),
        { maxLength: 20 },
      ),
      (lines) => {
        const rows = lines.filter((text) => ROW.test(text)).map((text) => text.split(','));
        const decoded = decode([HEADER, ...lines, ''].join('\n'));
        const check = (id: MetricId, cell: number, unit: number) => {
          const written = rows.map((cells) => Number.parseFloat(cells[cell] ?? ''));
          for (const value of readingsOf(decoded, id)) {
            if (typeof value === 'number') expect(written).toContain(Math.round((value / unit) * 100) / 100);
          }
        };
        check('utilization_ratio', 2, 0.01);
        check('memory_used_bytes', 3, 2 ** 20);
        check('power_watts', 4, 1);
        for (const id of ['temperature_celsius', 'memory_total_bytes'] as const) {
          expect(readingsOf(decoded, id).filter((value) => typeof value === 'number')).toEqual([]);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('where the bytes are cut into chunks makes no difference', () => {
  fc.assert(
    fc.property(soup, fc.array(fc.nat(600), { maxLength: 8 }), (bytes, places) => {
      const cuts = places.map((place) => Math.min(place, bytes.length));
      expect(decode(bytes, { cuts })).toEqual(decode(bytes));
    }),
    { numRuns: 500 },
  );
});

/** A value of a log, or the word for its absence. */
const cell = (value: fc.Arbitrary<number>) => fc.oneof({ weight: 5, arbitrary: value }, fc.constant('[N/A]' as const));
const sample = fc.record({
  util: cell(fc.nat(100)),
  used: cell(fc.nat(200_000)),
  power: cell(fc.nat(100_000).map((centiwatts) => centiwatts / 100)),
});

test('a log that was written is read back value by value', () => {
  const written = fc.integer({ min: 1, max: 9 }).chain((gpus) =>
    fc.record({
      gpus: fc.constant(gpus),
      samples: fc.array(fc.array(sample, { minLength: gpus, maxLength: gpus }), { minLength: 1, maxLength: 12 }),
      hasUnits: fc.boolean(),
      lineEnd: fc.constantFrom('\n', '\r\n'),
      headerEvery: fc.constantFrom(1000, 1, 3),
      intervalMs: fc.constantFrom(100, 1000, 60_000),
    }),
  );
  fc.assert(
    fc.property(written, ({ gpus, samples, hasUnits, lineEnd, headerEvery, intervalMs }) => {
      const unit = (value: number | string, name: string) =>
        typeof value === 'number' && hasUnits ? `${value} ${name}` : String(value);
      const lines = samples.flatMap((tick, number) => [
        ...(number % headerEvery === 0 ? [HEADER] : []),
        ...tick.map(({ util, used, power }, index) => {
          const time = new Date(T0 + number * intervalMs + index * 2).toISOString().slice(0, -1).replace('T', ' ');
          const watts = typeof power === 'number' ? unit(power, 'W') : power;
          return `${time}, ${index}, ${unit(util, '%')}, ${unit(used, 'MiB')}, ${watts}`;
        }),
      ]);
      const decoded = decode(lines.join(lineEnd) + lineEnd);
      expect(decoded.ticks.map(({ at }) => at)).toEqual(samples.map((_, number) => T0 + number * intervalMs));
      expect(decoded.devices).toHaveLength(gpus);
      expect(decoded.skipped).toEqual({});
      const flat = samples.flat();
      const want = (value: number | string, scale: number) =>
        typeof value === 'number' ? value * scale : 'not-supported';
      expect(readingsOf(decoded, 'utilization_ratio')).toEqual(
        flat.map(({ util }) => (typeof util === 'number' ? util / 100 : 'not-supported')),
      );
      expect(readingsOf(decoded, 'memory_used_bytes')).toEqual(flat.map(({ used }) => want(used, 2 ** 20)));
      expect(readingsOf(decoded, 'power_watts')).toEqual(flat.map(({ power }) => want(power, 1)));
    }),
    { numRuns: 300 },
  );
});
