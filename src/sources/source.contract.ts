import { afterEach, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../model/catalogue.ts';
import type { Source } from '../model/ports.ts';
import { ABSENCE_REASONS } from '../model/reading.ts';
import type { Tick } from '../model/tick.ts';

/** Highest value that is believable for a unit: a source that lets a sentinel through exceeds it. */
const PLAUSIBLE_MAX = {
  ratio: 10,
  bytes: 2 ** 50,
  'bytes-per-second': 2 ** 45,
  watts: 10_000,
  joules: 1e13,
  hertz: 20e9,
  celsius: 200,
  count: 2 ** 53,
  seconds: 2 ** 40,
  rpm: 100_000,
  volts: 60,
  'per-second': 2 ** 40,
  state: 2 ** 31,
  generation: 10,
  lanes: 64,
  pstate: 15,
  bits: 2 ** 32,
} as const;

/** What every source promises, whatever it reads. Each implementation runs this suite with a way to open it. */
export function sourceContract(name: string, open: () => Promise<Source>): void {
  describe(`${name} keeps the source contract`, () => {
    const opened: Source[] = [];

    afterEach(async () => {
      for (const source of opened.splice(0)) await source.close();
    });

    async function start(): Promise<Source> {
      const source = await open();
      opened.push(source);
      return source;
    }

    async function ticks(source: Source, count: number): Promise<Tick[]> {
      const out: Tick[] = [];
      for (let at = 1_800_000_000_000; out.length < count; at += 1000) {
        const tick = await source.sample(at);
        if (tick === null) break;
        out.push(tick);
      }
      return out;
    }

    test('yields at least one tick', async () => {
      expect((await ticks(await start(), 3)).length).toBeGreaterThan(0);
    });

    test('stamps a live tick with the time it was asked for, and a recorded one with its own', async () => {
      const source = await start();
      const [tick] = await ticks(source, 1);
      if (source.origin !== 'recorded') expect(tick?.at).toBe(1_800_000_000_000);
      expect(Number.isInteger(tick?.at)).toBe(true);
    });

    test('names each device once, and every sampled device is among devices()', async () => {
      const source = await start();
      for (const tick of await ticks(source, 3)) {
        const uuids = tick.devices.map((sample) => sample.device.uuid);
        expect(new Set(uuids).size).toBe(uuids.length);
        expect(uuids.every((uuid) => uuid !== '')).toBe(true);
        const known = source.devices().map((device) => device.uuid);
        expect(uuids.filter((uuid) => !known.includes(uuid))).toEqual([]);
      }
    });

    test('every reading is a believable number or absent with a reason', async () => {
      for (const tick of await ticks(await start(), 3)) {
        for (const { readings } of tick.devices) {
          expect(readings.values.length).toBe(CATALOGUE.length);
          for (const { id, slot, unit } of CATALOGUE) {
            const reading = readings.at(slot);
            if (typeof reading === 'number') {
              expect(Number.isFinite(reading), id).toBe(true);
              expect(reading, id).toBeLessThanOrEqual(PLAUSIBLE_MAX[unit]);
              expect(reading, id).toBeGreaterThanOrEqual(unit === 'celsius' ? -100 : 0);
            } else {
              expect(ABSENCE_REASONS, id).toContain(reading.absent);
            }
          }
        }
      }
    });

    test('ticks do not share storage: a later one leaves an earlier one as it was', async () => {
      const source = await start();
      const [first] = await ticks(source, 1);
      const before = first?.devices.map((sample) => [...sample.readings.values]);
      await ticks(source, 3);
      expect(first?.devices.map((sample) => [...sample.readings.values])).toEqual(before);
    });

    test('closes, and closes again without complaint', async () => {
      const source = await start();
      await ticks(source, 1);
      await source.close();
      await source.close();
    });
  });
}
