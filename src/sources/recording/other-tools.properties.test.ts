import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEVICE_METRICS } from '../../model/catalogue.ts';
import { decode } from './decode-text.ts';

const LOGS = resolve(import.meta.dirname, '../../../testdata/logs');
const FOLDERS = ['gpustat', 'nvtop', 'dcgm', 'prometheus', 'rocm', 'npu-smi', 'tegrastats', 'kernel'];

const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(join(LOGS, folder)).map((file) => ({
    file: `${folder}/${file}`,
    bytes: readFileSync(join(LOGS, folder, file)),
  })),
);

/** By name, so that a failure is reported without all the bytes. */
const anyFile = fc.constantFrom(...FILES.map(({ file }) => file));
const fileOf = (name: string) => FILES.find(({ file }) => file === name)!;

type Decoded = ReturnType<typeof decode>;

/** Every value and event, whatever device and moment it belongs to. */
function said({ ticks }: Pick<Decoded, 'ticks'>): Set<string> {
  const found = new Set<string>();
  for (const { devices, events } of ticks) {
    for (const { readings, processes } of devices) {
      for (const { id, slot } of DEVICE_METRICS) {
        const value = readings.number(slot);
        if (value !== null) found.add(`${id} ${value}`);
      }
      if (Array.isArray(processes)) for (const { pid } of processes) found.add(`process ${pid}`);
    }
    for (const { kind, params } of events) found.add(`${kind} ${params['xid'] ?? ''} ${params['bus'] ?? ''}`);
  }
  return found;
}

const names = ({ devices }: Pick<Decoded, 'devices'>): string[] => devices.map(({ uuid, name }) => `${uuid} ${name}`);

/** The last words of a message that is cut off are no other message. */
const withoutText = (things: Set<string>): string[] => [...things].filter((thing) => !thing.startsWith('marker'));

/** Of a single scrape that is cut off nobody knows that a part of the memory was to follow: the sum is of what is there. */
const isSum = (file: string, thing: string): boolean =>
  file.endsWith('.prom') && thing.startsWith('memory_total_bytes');

describe('a log that is cut off says nothing that the whole one does not say', () => {
  for (const { file, bytes } of FILES) {
    test(file, () => {
      const whole = said(decode(bytes));
      const step = Math.max(1, Math.floor(bytes.length / 60));
      for (let length = 0; length < bytes.length; length += step) {
        const cut = decode(bytes.subarray(0, length));
        expect(
          withoutText(said(cut)).filter((thing) => !whole.has(thing) && !isSum(file, thing)),
          `${length} bytes`,
        ).toEqual([]);
      }
    });
  }
});

describe('line ends and cuts into chunks make no difference', () => {
  for (const { file, bytes } of FILES) {
    test(file, () => {
      const plain = decode(bytes);
      const windows = decode(
        bytes
          .toString('latin1')
          .replaceAll(/\r?\n/g, '\r\n')
          .split('')
          .map((letter) => letter.charCodeAt(0)) as unknown as Uint8Array,
      );
      expect(said(windows)).toEqual(said(plain));
      expect(names(windows)).toEqual(names(plain));
      const cuts = Array.from({ length: 7 }, (_, piece) => Math.floor((bytes.length * (piece + 1)) / 8));
      expect(decode(bytes, { cuts })).toEqual(plain);
    });
  }
});

/** A total whose own line is lost to another one is the sum of its parts, which the tool has rounded. */
function isSumOfParts(thing: string, whole: ReadonlySet<string>): boolean {
  const total = (text: string): number => Number(/^memory_total_bytes (\d+)$/.exec(text)?.[1] ?? Number.NaN);
  return [...whole].some((known) => Math.abs(total(known) - total(thing)) <= 0.001 * total(known));
}

test('lines of something else between the lines add nothing', () => {
  const junk = fc.constantFrom(
    'Killed',
    '$ sleep 1',
    'Traceback (most recent call last):',
    '#',
    '   ',
    'warning: something',
    'a, b, c, d',
    '12 13 14',
  );
  fc.assert(
    fc.property(anyFile, fc.nat(), junk, (name, place, line) => {
      const { file, bytes } = fileOf(name);
      const lines = bytes.toString().split('\n');
      const at = place % lines.length;
      const mixed = [...lines.slice(0, at), line, ...lines.slice(at)].join('\n');
      const whole = said(decode(bytes));
      const added = [...said(decode(mixed))].filter((thing) => !whole.has(thing) && !isSumOfParts(thing, whole));
      expect(added, `${file} line ${at}`).toEqual([]);
    }),
    { numRuns: 300, examples: [['prometheus/instant-vector-gpu-uuid-in-name.json', 93, 'Killed']] },
  );
});

test('no mixture of pieces of logs makes it throw, or report what cannot be', () => {
  const piece = fc.tuple(anyFile, fc.nat(), fc.nat(300)).map(([name, from, length]) => {
    const { bytes } = fileOf(name);
    const start = from % bytes.length;
    return [...bytes.subarray(start, start + length)];
  });
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          piece,
          fc.constant([10]),
          fc.uint8Array({ maxLength: 20 }).map((bytes) => [...bytes]),
        ),
        { maxLength: 12 },
      ),
      (pieces) => {
        const { ticks, devices } = decode(Uint8Array.from(pieces.flat()));
        const known = new Set(devices.map(({ uuid }) => uuid));
        for (const tick of ticks) {
          expect(Number.isInteger(tick.at)).toBe(true);
          const uuids = tick.devices.map(({ device }) => device.uuid);
          expect(new Set(uuids).size).toBe(uuids.length);
          expect(uuids.every((uuid) => known.has(uuid))).toBe(true);
          for (const { readings } of tick.devices) {
            for (const { slot, unit, id } of DEVICE_METRICS) {
              const value = readings.number(slot);
              if (value === null) continue;
              expect(value, id).toBeGreaterThanOrEqual(unit === 'celsius' ? -60 : 0);
              if (unit === 'ratio') expect(value, id).toBeLessThanOrEqual(3);
            }
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});
