import { describe, expect, test } from 'vitest';
import { decode, readingsOf, shapeOf } from '../decode-text.ts';
import { parseGpustatLine, parseGpustatProcesses } from './text-line.ts';

const GIB = 2 ** 30;
const MIB = 2 ** 20;
const HEADER = 'node1  Fri Oct  4 21:22:05 2019  390.116';

describe('the columns of a row', () => {
  const check = (line: string, want: object | null) => {
    const found = parseGpustatLine(line);
    if (want === null) expect(found, line).toBe(null);
    else expect(found, line).toMatchObject(want);
  };

  test('with everything that may be in it', () => {
    check("[0] NVIDIA A100 | 35'C,  40 % |  1000 / 40960 MB | user:python/12(990M)", {
      index: 0,
      name: 'NVIDIA A100',
      temperature: '35',
      fan: null,
      utilisation: '40',
      power: null,
      memoryUsed: '1000',
      memoryTotal: '40960',
    });
    check('[1] RTX 3090 | 35°C,  30 %,  40 % |  1 / 24576 MB |', { fan: '30', utilisation: '40' });
    check('[1] RTX 3090 | 35°C,  30 %,  40 %,  100 / 350 W |  1 / 24576 MB |', { power: '100', powerLimit: '350' });
    check('[1] RTX 3090 | 35°C,  40 % (E:  10 %  D:   5 %),  100 / 350 W |  1 / 2 MB |', {
      fan: null,
      encoder: '10',
      decoder: '5',
      utilisation: '40',
      power: '100',
    });
    check('[1] RTX 3090 | 35°C,  40 % (E: 10 %) |  1 / 2 MB |', { encoder: '10', decoder: null });
    check('[1] RTX 3090 | 35°C,  40 %,  100  |  1 / 2 MB |', { power: '100', powerLimit: null });
    check('[1] RTX 3090 | 35°C,  40 %,  / 350 W |  1 / 2 MB |', { power: null, powerLimit: '350' });
    check('[1] RTX 3090 | ??°C, ?? %,  ?? / ?? W |  ?? / ?? MB |', { temperature: '??', power: '??' });
    check('[2]  | 35°C,  40 % |  1 / 2 MB |', { name: null });
    check('[2] …090 | 35°C,  40 % |  1 / 2 MB', { name: '…090', processes: null });
  });

  test('other lines are no rows', () => {
    check(HEADER, null);
    check('[ 4564.303884] NVRM: Xid (PCI:0000:01:00): 79', null);
    check('[0] GPU | hot | full |', null);
    check("[0] GPU | 35'C,  4", null);
  });

  test('processes', () => {
    expect(parseGpustatProcesses(' alice:python3.8/123(2048M) bob(5M) gdm:Xorg/77(?M) --:a b/9(1M)')).toEqual([
      { user: 'alice', command: 'python3.8', pid: 123, memory: '2048' },
      { user: 'bob', command: null, pid: null, memory: '5' },
      { user: 'gdm', command: 'Xorg', pid: 77, memory: '?' },
      { user: null, command: 'a b', pid: 9, memory: '1' },
    ]);
    expect(parseGpustatProcesses(' (Not Supported)')).toEqual([]);
  });
});

test('colours, several runs, and the processes of -f', () => {
  const log = [
    `\u001b[1m\u001b[37mnode1             \u001b[m\u001b(B  Mon 22 Aug 2022 03:23:57 PM UTC  \u001b[1m\u001b[30m515.65.01\u001b[m`,
    '\u001b[36m[0]\u001b[m \u001b[34mTesla P100\u001b[m |\u001b[31m 27°C\u001b[m, \u001b[32m  7 %\u001b[m | 103 / 16384 MB | root:python/11(100M)',
    ' ├─     11 ( 150%,    2GB): python train.py --epochs 3',
    '[1] Tesla P100 | 28°C,   0 % |     0 / 16384 MB |',
    'node1  Mon 22 Aug 2022 03:23:58 PM UTC  515.65.01',
    '[0] Tesla P100 | 29°C,   8 % |   103 / 16384 MB |',
    '[1] Tesla P100 | 29°C,   9 % |   103 / 16384 MB |',
    '',
  ].join('\n');
  const decoded = decode(log);
  expect(decoded.ticks.map(({ at }) => at)).toEqual([
    Date.UTC(2022, 7, 22, 15, 23, 57),
    Date.UTC(2022, 7, 22, 15, 23, 58),
  ]);
  expect(shapeOf(decoded)).toEqual(['log-0 log-1', 'log-0 log-1']);
  expect(readingsOf(decoded, 'utilization_ratio')).toEqual([0.07, 0, 0.08, 0.09]);
  expect(decoded.ticks[0]?.devices[0]?.processes).toEqual([
    {
      pid: 11,
      kind: 'compute',
      memoryBytes: 100 * MIB,
      name: 'python',
      user: 'root',
      cpuRatio: 1.5,
      hostMemoryBytes: 2 * GIB,
      command: 'python train.py --epochs 3',
    },
  ]);
  expect(decoded.skipped).toEqual({});
});

test('processes without a pid cannot be followed', () => {
  const decoded = decode("[0] P100 | 27'C, 7 % | 103 / 16384 MB | root(100M)\n");
  expect(decoded.ticks[0]?.devices[0]?.processes).toEqual({ absent: 'not-collected' });
});

test('a GPU that is lost, and no GPU at all', () => {
  const log = [HEADER, "[0] P100 | 27'C, 7 % | 1 / 16384 MB |", "[1] ((GPU is lost)) | ??'C, ?? % | ?? / ?? MB |", ''];
  const decoded = decode(log.join('\n'));
  expect(shapeOf(decoded)).toEqual(['log-0 log-1!lost']);
  const failed = decode([HEADER, "[0] ((Unknown Error)) | ??'C, ?? % | ?? / ?? MB |", ''].join('\n'));
  expect(readingsOf(failed, 'utilization_ratio')).toEqual(['error']);
  const none = decode(`${HEADER}\n(No GPUs are available)\n`);
  expect([none.isRecognised, none.skipped]).toEqual([true, { 'no-devices': 1 }]);
});

test('the GPUs of several machines in one file are not the same', () => {
  const row = (load: number) => `[0] P100 | 27'C, ${load} % | 1 / 16384 MB |`;
  const decoded = decode(
    ['a  2022-08-22 15:23:57  515.65.01', row(1), 'b  2022-08-22 15:23:57  515.65.01', row(2), ''].join('\n'),
  );
  expect(decoded.devices.map(({ uuid }) => uuid)).toEqual(['log-0', 'log-b-0']);
  expect(readingsOf(decoded, 'utilization_ratio')).toEqual([0.01, 0.02]);
});

describe('--json', () => {
  const document = (time: string, load: number | null) =>
    JSON.stringify(
      {
        hostname: 'node1',
        driver_version: '535.54.03',
        query_time: time,
        gpus: [
          {
            index: 0,
            uuid: 'GPU-1',
            name: 'NVIDIA A100',
            'temperature.gpu': 35,
            'fan.speed': null,
            'utilization.gpu': load,
            'power.draw': 61,
            'enforced.power.limit': 400,
            'memory.used': 1000,
            'memory.total': 40_960,
            processes: [
              {
                username: 'alice',
                command: 'python',
                full_command: ['python', 'train.py'],
                gpu_memory_usage: 990,
                cpu_percent: 99.5,
                cpu_memory_usage: 1024,
                pid: 77,
              },
            ],
          },
          { index: 1, name: '((GPU is lost))', processes: null },
        ],
      },
      null,
      4,
    );

  test('one document after another, cut off in the middle, with a line between', () => {
    const first = document('2024-01-01T10:00:00.123456', 29);
    const log = [first, 'sleeping', first.slice(0, 300), document('2024-01-01T10:00:10', null), ''].join('\n');
    const decoded = decode(log);
    expect(decoded.ticks.map(({ at }) => at)).toEqual([
      Date.UTC(2024, 0, 1, 10, 0, 0, 123),
      Date.UTC(2024, 0, 1, 10, 0, 10),
    ]);
    expect(readingsOf(decoded, 'utilization_ratio')).toEqual([0.29, 'gpu-lost', 'not-supported', 'gpu-lost']);
    expect(readingsOf(decoded, 'memory_used_bytes')[0]).toBe(1000 * MIB);
    expect(decoded.ticks[0]?.devices[0]).toMatchObject({
      device: { uuid: 'GPU-1', driverVersion: '535.54.03' },
      processes: [{ pid: 77, memoryBytes: 990 * MIB, cpuRatio: 0.995, command: 'python train.py' }],
    });
    expect(decoded.skipped).toEqual({ 'stray-text': 1, 'broken-document': 1 });
  });

  test('on one line each', () => {
    const lines = [0, 1, 2].map((second) =>
      JSON.stringify(JSON.parse(document(`2024-01-01T10:00:0${second}`, second))),
    );
    expect(decode(lines.join('\n')).ticks).toHaveLength(3);
  });

  test('a lost GPU is the one that had its index before', () => {
    const healthy = JSON.parse(document('2024-01-01T10:00:00', 1));
    healthy.gpus[1] = { ...healthy.gpus[0], index: 1, uuid: 'GPU-2' };
    const decoded = decode(`${JSON.stringify(healthy)}\n${document('2024-01-01T10:00:01', 2)}\n`);
    expect(shapeOf(decoded)).toEqual(['GPU-1 GPU-2', 'GPU-1 GPU-2!lost']);
  });
});
