import { describe, expect, test } from 'vitest';
import { decode, readingsOf } from './decode-text.ts';

const idsOf = (text: string) =>
  decode(text).ticks.map(({ devices }) => devices.map(({ device }) => device.uuid).join(' '));

describe('GPUs of several machines in one CSV are devices of their own', () => {
  const rows = [50, 60, 51, 61].map((load, row) => ({
    host: row % 2 === 0 ? 'nodeA' : 'nodeB',
    time: `2024-05-01 00:00:${row < 2 ? 10 : 20}`,
    load,
  }));
  const check = (lines: readonly string[]) => {
    const text = `${lines.join('\n')}\n`;
    expect(idsOf(text)).toEqual(['log-0 log-nodeB-0', 'log-0 log-nodeB-0']);
    expect(readingsOf(decode(text), 'utilization_ratio')).toEqual([0.5, 0.6, 0.51, 0.61]);
    expect(decode(text).ticks.map(({ at }) => new Date(at).toISOString().slice(11, 19))).toEqual([
      '00:00:10',
      '00:00:20',
    ]);
  };

  for (const title of ['hostname', 'host', 'node', 'nodename', 'machine']) {
    test(`in a column ${title}`, () => {
      check([
        `${title},timestamp,index,utilization.gpu,memory.used`,
        ...rows.map(({ host, time, load }) => `${host},${time},0,${load},1000`),
      ]);
      check([
        `timestamp, ${title}, utilization.gpu [%]`,
        ...rows.map(({ host, time, load }) => `${time}, ${host}, ${load} %`),
      ]);
    });
  }

  test('in a prefix, with and without a header', () => {
    const lines = rows.map(({ host, time, load }) => `${host}: ${time}, 0, NVIDIA A100, ${load} %, 1000 MiB`);
    check(lines);
    const header = 'timestamp, index, name, utilization.gpu [%], memory.used [MiB]';
    check([`nodeA: ${header}`, lines[0]!, `nodeB: ${header}`, ...lines.slice(1)]);
  });

  test('whose bus ids are the same', () => {
    const lines = rows.map(({ host, time, load }) => `${host}, ${time}, 00000000:01:00.0, ${load} %`);
    const decoded = decode(`${['host, timestamp, pci.bus_id, utilization.gpu [%]', ...lines].join('\n')}\n`);
    expect(decoded.devices).toHaveLength(2);
    expect(readingsOf(decoded, 'utilization_ratio')).toEqual([0.5, 0.6, 0.51, 0.61]);
  });
});

test('machines that gpustat was run on one after the other stay listed', () => {
  const block = (host: string, second: number, load: number) =>
    `${host}  Mon Sep  2 14:00:${String(second).padStart(2, '0')} 2024  535.183.01\n` +
    `[0] NVIDIA A40            | 40'C,  ${load} % |   12 / 46068 MB | root(4M)\n`;
  const together = decode(block('a', 0, 5) + block('b', 1, 95) + block('a', 10, 6));
  expect(readingsOf(together, 'utilization_ratio')).toEqual([0.05, 0.95, 0.06, 'not-collected']);
  const apart = decode(block('a', 0, 5) + block('b', 30, 95));
  expect(readingsOf(apart, 'utilization_ratio')).toEqual([0.05, 0.95, 'not-collected']);
  expect(apart.devices.map(({ uuid }) => uuid)).toEqual(['log-0', 'log-b-0']);
});

test('records of CSV in the colours of a terminal are read', () => {
  const row = (second: number) => `2024-05-01 00:00:0${second}, 0, ${second} %`;
  const text = ['timestamp, index, utilization.gpu [%]', ...[1, 2].map(row), ''].join('\n');
  const many = Array.from({ length: 500 }, () => row(3)).join('\n');
  const decoded = decode(`${text}\u001b[32m${row(3)}\u001b[0m\n${many}\n\u001b[32m${row(4)}\u001b[0m\n`);
  expect(decoded.skipped).toEqual({});
  expect(decoded.rows).toBe(504);
});

describe('a GPU that nvidia-smi cannot reach stays listed as lost', () => {
  const statesOf = (text: string) =>
    decode(text).ticks.map(({ devices }) => devices.map(({ device, state }) => `${device.index}${state}`).join(' '));
  const dmon = (message: string) =>
    `${message}\n# gpu   pwr    sm\n# Idx     W     %\n    0   250    95\n    0   251    96\n`;

  test('in CSV with bus ids and where its number is told', () => {
    for (const gpu of ['GPU 0000:5E:00.0', 'GPU1: 0000:5E:00.0']) {
      const rows = [0, 0, 1, 1].map((at, row) => {
        const [index, bus] = row % 2 === 0 ? ['0', '18'] : ['2', '86'];
        return `2024/11/02 10:00:0${at}.00${row % 2}, ${index}, 00000000:${bus}:00.0, 10 %`;
      });
      const message = `Unable to determine the device handle for ${gpu}: Unknown Error`;
      const text = `${[message, 'timestamp, index, pci.bus_id, utilization.gpu [%]', ...rows].join('\n')}\n`;
      expect(statesOf(text)).toEqual(['0ok 2ok 1lost', '0ok 2ok 1lost']);
    }
  });

  test('in dmon only where its number is told', () => {
    const message = (gpu: string) => `Unable to determine the device handle for ${gpu}: Unknown Error`;
    expect(statesOf(dmon(message('GPU1: 0000:5E:00.0')))).toEqual(['0ok 1lost', '0ok 1lost']);
    expect(statesOf(dmon(message('GPU 0000:5E:00.0')))).toEqual(['0ok', '0ok']);
  });
});

describe('a date on a line of its own is the time of the CSV records behind it', () => {
  const timesOf = (text: string) => decode(text).ticks.map(({ at }) => new Date(at).toISOString().slice(0, 19));

  test('with headers or without, in any form of date', () => {
    const header = 'index, utilization.gpu [%], memory.used [MiB]';
    const block = (date: string, head: boolean) =>
      `${date}\n${head ? `${header}\n` : ''}0, 12 %, 5 MiB\n1, 13 %, 6 MiB\n`;
    for (const hasHeader of [true, false]) {
      const forms = [
        ['Sat Nov  2 18:20:11 UTC 2024', 'Sat Nov  2 18:20:21 UTC 2024'],
        ['2024-11-02 18:20:11', '2024-11-02 18:20:21'],
        ['Sat, 02 Nov 2024 18:20:11 +0000', 'Sat, 02 Nov 2024 18:20:21 +0000'],
      ];
      for (const [one = '', two = ''] of forms) {
        const text = block(one, hasHeader) + block(two, hasHeader);
        expect(timesOf(text), one).toEqual(['2024-11-02T18:20:11', '2024-11-02T18:20:21']);
        expect(decode(text).skipped).toEqual({});
      }
    }
  });

  test('but only of those of its moment', () => {
    expect(timesOf('2024-11-02 18:20:11\nindex, utilization.gpu [%]\n0, 1 %\n0, 2 %\n0, 3 %\n')).toEqual([
      '2024-11-02T18:20:11',
      '2024-11-02T18:20:12',
      '2024-11-02T18:20:13',
    ]);
  });
});
