import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CATALOGUE, DEVICE_METRICS } from '../../model/catalogue.ts';
import { decode, readingsOf } from './decode-text.ts';

const LOGS = resolve(import.meta.dirname, '../../../testdata/logs');

const sample = (file: string): string => readFileSync(join(LOGS, file), 'latin1');

/** Short logs of every kind. */
const SEEDS = [
  sample('table/525-fan-err.txt'),
  sample('table/h200mig-590-table-load.txt'),
  sample('list/k80-empty-uuid.txt'),
  sample('dmon/deepspeech-4gpu-pucvmet.txt'),
  sample('pmon/pmon-two-header-orders-fb.txt'),
  sample('smi-q/truncated-535-183-q.txt'),
  sample('smi-xml/gtx-1070-ti.xml'),
];

/** Lines of all of them, whole and torn, in any order. */
const LINES = SEEDS.flatMap((log) => log.split('\n'));
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...LINES).map((line) => `${line}\n`) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...LINES), fc.nat(90)).map(([line, end]) => line.slice(0, end)) },
  fc.constantFrom(
    '\n',
    '\r\n',
    '\0',
    '|',
    '<',
    '</gpu>',
    '#',
    ' : ',
    'ERR!',
    'GPU is lost',
    '\u001b[0m',
    '4294967295',
    'Wed Feb 30 14:07:58 2025\n',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const soup = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

describe('whatever the lines are', () => {
  test('nothing is thrown, no value is impossible, no device is in a tick twice', () => {
    fc.assert(
      fc.property(soup, (log) => {
        const { ticks, devices } = decode(log);
        const known = new Set(devices.map(({ uuid }) => uuid));
        for (const tick of ticks) {
          expect(Number.isInteger(tick.at)).toBe(true);
          const uuids = tick.devices.map(({ device }) => device.uuid);
          expect(new Set(uuids).size).toBe(uuids.length);
          expect(uuids.every((uuid) => known.has(uuid))).toBe(true);
          for (const { processes } of tick.devices) {
            if ('absent' in processes) continue;
            expect(new Set(processes.map(({ pid }) => pid)).size).toBe(processes.length);
          }
        }
        for (const { id, unit } of DEVICE_METRICS) {
          for (const value of readingsOf({ ticks }, id)) {
            if (typeof value === 'string') continue;
            expect(value, id).toBeGreaterThanOrEqual(unit === 'celsius' ? -60 : 0);
            if (unit === 'ratio') expect(value, id).toBeLessThanOrEqual(3);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test('where the bytes are cut into chunks makes no difference', () => {
    fc.assert(
      fc.property(soup, fc.array(fc.nat(4000), { maxLength: 6 }), (log, places) => {
        const length = new TextEncoder().encode(log).length;
        expect(decode(log, { cuts: places.map((place) => Math.min(place, length)) })).toEqual(decode(log));
      }),
      { numRuns: 300 },
    );
  });
});

/** Every value of a log with the time and the card or instance it is about. */
function valuesOf(log: string): Set<string> {
  return new Set(
    decode(log).ticks.flatMap(({ at, devices }) =>
      devices.flatMap(({ device, readings, processes }) => {
        const { mig } = device;
        const who = `${at} ${device.pciBusId ?? device.index} ${mig === undefined ? '' : `${mig.gpuInstance}/${mig.computeInstance}`}`;
        const numbers = CATALOGUE.flatMap(({ id, slot }) => {
          const value = readings.number(slot);
          return value === null ? [] : [`${who} ${id} ${value}`];
        });
        return [
          ...numbers,
          ...('absent' in processes ? [] : processes.map((process) => `${who} ${JSON.stringify(process)}`)),
        ];
      }),
    ),
  );
}

describe('a file that was cut', () => {
  test.each([
    'table/525-fan-err.txt',
    'table/l40s-580.txt',
    'table/gtx-titan-old-driver-na-util.txt',
    'table/h200mig-590-table-load.txt',
    'list/k80-empty-uuid.txt',
    'dmon/deepspeech-4gpu-pucvmet.txt',
    'dmon/h100-590-dmon-load.txt',
    'pmon/pmon-two-header-orders-fb.txt',
    'smi-q/a10-535-q.txt',
    'smi-q/rtx4090x8-535-154-q0.txt',
    'smi-xml/gtx-1070-ti.xml',
    'smi-xml/rtx-4090-driver-535.xml',
  ])('%s: no value is invented, wherever the cut is', (file) => {
    const log = sample(file);
    const whole = valuesOf(log);
    const step = Math.max(1, Math.floor(log.length / 250));
    for (let end = step; end < log.length; end += step) {
      const invented = [...valuesOf(log.slice(0, end))].filter((value) => !whole.has(value));
      expect(invented, JSON.stringify(log.slice(0, end).slice(-80))).toEqual([]);
    }
  });
});

/** A value of a log or a word for a missing one. */
const cell = (most: number) => fc.oneof({ weight: 4, arbitrary: fc.nat(most) }, fc.constantFrom('N/A', 'ERR!'));
const card = fc.record({
  fan: cell(100),
  temperature: cell(110),
  power: cell(700),
  used: cell(81_559),
  util: cell(100),
});
const samples = fc
  .integer({ min: 1, max: 9 })
  .chain((cards) => fc.array(fc.array(card, { minLength: cards, maxLength: cards }), { minLength: 1, maxLength: 5 }));

type Written = Readonly<Record<'fan' | 'temperature' | 'power' | 'used' | 'util', number | string>>;

const REASONS: Readonly<Record<string, string>> = { 'N/A': 'not-supported', 'ERR!': 'error' };

function check(log: string, written: readonly (readonly Written[])[]) {
  const decoded = decode(log);
  expect(decoded.ticks.map(({ devices }) => devices.length)).toEqual(written.map(({ length }) => length));
  const flat = written.flat();
  const want = (value: number | string, scale: number) => (typeof value === 'number' ? value * scale : REASONS[value]);
  const percent = (value: number | string) => (typeof value === 'number' ? value / 100 : REASONS[value]);
  expect(readingsOf(decoded, 'fan_speed_ratio')).toEqual(flat.map(({ fan }) => percent(fan)));
  expect(readingsOf(decoded, 'temperature_celsius')).toEqual(flat.map(({ temperature }) => want(temperature, 1)));
  expect(readingsOf(decoded, 'power_watts')).toEqual(flat.map(({ power }) => want(power, 1)));
  expect(readingsOf(decoded, 'memory_used_bytes')).toEqual(flat.map(({ used }) => want(used, 2 ** 20)));
  expect(readingsOf(decoded, 'utilization_ratio')).toEqual(flat.map(({ util }) => percent(util)));
}

const unit = (value: number | string, name: string) => (typeof value === 'number' ? `${value}${name}` : value);
const time = (second: number) => `Wed Feb  5 14:07:${String(second).padStart(2, '0')} 2025`;
const bus = (index: number) => `00000000:${(index + 1).toString(16).padStart(2, '0').toUpperCase()}:00.0`;

describe('what was written is read back', () => {
  test('tables', () => {
    fc.assert(
      fc.property(samples, (written) => {
        const tables = written.map((cards, second) => {
          const rows = cards.map(
            ({ fan, temperature, power, used, util }, index) =>
              `|${String(index).padStart(4)}  NVIDIA A10                     On  |   ${bus(index)} Off |                    0 |
|${unit(fan, '%').padStart(4)}${unit(temperature, 'C').padStart(6)}    P0          ${unit(power, 'W').padStart(6)} /  700W |${unit(used, 'MiB').padStart(11)} /  81559MiB |${unit(util, '%').padStart(8)}      Default |
+-----------------------------------------+------------------------+----------------------+`,
          );
          return `${time(second)}       \n+-----------------------------------------------------------------------------------------+\n${rows.join('\n')}\n\n`;
        });
        check(tables.join(''), written);
      }),
      { numRuns: 200 },
    );
  });

  test('outputs of -q, as text and as XML', () => {
    const text = ({ fan, temperature, power, used, util }: Written, index: number) => `GPU ${bus(index)}
    Product Name                          : NVIDIA A10
    Fan Speed                             : ${unit(fan, ' %')}
    FB Memory Usage
        Used                              : ${unit(used, ' MiB')}
    Utilization
        Gpu                               : ${unit(util, ' %')}
    Temperature
        GPU Current Temp                  : ${unit(temperature, ' C')}
    Power Readings
        Power Draw                        : ${unit(power, ' W')}
`;
    const xml = ({ fan, temperature, power, used, util }: Written, index: number) => `<gpu id="${bus(index)}">
<fan_speed>${unit(fan, ' %')}</fan_speed><fb_memory_usage><used>${unit(used, ' MiB')}</used></fb_memory_usage>
<utilization><gpu_util>${unit(util, ' %')}</gpu_util></utilization>
<temperature><gpu_temp>${unit(temperature, ' C')}</gpu_temp></temperature>
<power_readings><power_draw>${unit(power, ' W')}</power_draw></power_readings></gpu>`;
    fc.assert(
      fc.property(samples, (written) => {
        const logs = written.map(
          (cards, second) =>
            `==============NVSMI LOG==============\n\nTimestamp        : ${time(second)}\n\n${cards.map(text).join('\n')}\n`,
        );
        check(logs.join(''), written);
        const documents = written.map(
          (cards, second) =>
            `<nvidia_smi_log><timestamp>${time(second)}</timestamp>${cards.map(xml).join('')}</nvidia_smi_log>\n`,
        );
        check(documents.join(''), written);
      }),
      { numRuns: 200 },
    );
  });
});
