import { describe, expect, test } from 'vitest';
import { ANCHOR, decode, eventsOf, readingsOf, shapeOf } from './decode-text.ts';

const T0 = Date.UTC(2026, 0, 1);

/** Lines of a log with the header `timestamp, index, utilization.gpu [%]`; times are seconds after {@link T0}. */
function log(...rows: readonly (readonly [seconds: number, index: number, percent: number] | string)[]): string {
  const lines = rows.map((row) => {
    if (typeof row === 'string') return row;
    const time = new Date(T0 + row[0] * 1000).toISOString().slice(0, -1).replaceAll('-', '/').replace('T', ' ');
    return `${time}, ${row[1]}, ${row[2]} %`;
  });
  return [HEADER, ...lines, ''].join('\n');
}

const HEADER = 'timestamp, index, utilization.gpu [%]';
const seconds = (decoded: ReturnType<typeof decode>): number[] => decoded.ticks.map(({ at }) => (at - T0) / 1000);
const kinds = (decoded: ReturnType<typeof decode>): string[] =>
  decoded.notices.map(({ key }) => key.replace('notice.', ''));

describe('rows become ticks', () => {
  const check = (text: string, ...want: string[]) => expect(shapeOf(decode(text))).toEqual(want);

  test('a tick ends where a device comes again', () => {
    check(log([0, 0, 1], [0.003, 1, 2], [1, 0, 3], [1.004, 1, 4]), 'log-0 log-1', 'log-0 log-1');
  });

  test('a tick ends where the time jumps, so that a missing row does not shift the rest', () => {
    check(
      log([0, 0, 1], [0.1, 1, 1], [1, 0, 1], [2.1, 1, 1], [3, 0, 1], [3.1, 1, 1]),
      'log-0 log-1',
      'log-0',
      'log-1',
      'log-0 log-1',
    );
  });

  test('times in whole seconds do not tear a tick that lies on both sides of one', () => {
    check(
      log([0, 0, 1], [0, 1, 1], [0, 2, 1], [1, 0, 1], [1, 1, 1], [2, 2, 1], [2, 0, 1], [2, 1, 1], [2, 2, 1]),
      'log-0 log-1 log-2',
      'log-0 log-1 log-2',
      'log-0 log-1 log-2',
    );
  });

  test('several samples within one second are several ticks', () => {
    const decoded = decode(log([0, 0, 1], [0, 0, 2], [1, 0, 3], [1, 0, 4]));
    expect([seconds(decoded), readingsOf(decoded, 'utilization_ratio')]).toEqual([
      [0, 0, 1, 1],
      [0.01, 0.02, 0.03, 0.04],
    ]);
  });

  test('without times the order tells', () => {
    const text = 'index, utilization.gpu [%]\n0, 1 %\n1, 2 %\n0, 3 %\n1, 4 %\n1, 5 %\n0, 6 %\n1, 7 %\n';
    check(text, 'log-0 log-1', 'log-0 log-1', 'log-1', 'log-0 log-1');
    expect(decode(text).ticks.map(({ at }) => at - ANCHOR)).toEqual([0, 1000, 2000, 3000]);
  });

  test('monotonic time goes on whatever the clock does', () => {
    const { ticks } = decode(log([0, 0, 1], [1, 0, 1], [-100, 0, 1], [-99, 0, 1]));
    expect(ticks.map(({ monotonic }) => monotonic)).toEqual([0, 1000, 2000, 3000]);
  });
});

describe('times', () => {
  test('one strange row does not decide what the times of a log are', () => {
    const decoded = decode('time,gpu_util\n0,1\n1736203508,2\n1736203509,3\n');
    expect([readingsOf(decoded, 'utilization_ratio'), decoded.skipped]).toEqual([[0.02, 0.03], { 'no-time': 1 }]);
  });

  test('the epochs of a training are no times', () => {
    const decoded = decode('epoch,gpu_util\n1,5\n2,6\n');
    expect([seconds(decoded), kinds(decoded)]).toEqual([
      [0, 1],
      ['one-gpu-assumed', 'times-assumed'],
    ]);
    expect(seconds(decode(`epoch,gpu_util\n${T0 / 1000 + 7},5\n`))).toEqual([7]);
  });

  test('a time of day alone cannot be read, the rows can', () => {
    const decoded = decode('time,gpu_util\n10:00:00,2\n10:00:05,3\n');
    expect(decoded.ticks.map(({ at }) => at - ANCHOR)).toEqual([0, 1000]);
    expect(kinds(decoded)).toContain('times-assumed');
  });

  test('local times are read in the zone that was asked for, and the reader is told', () => {
    const decoded = decode(log([0, 0, 1]), { zone: 'Asia/Shanghai' });
    expect(seconds(decoded)).toEqual([-8 * 3600]);
    expect(decoded.notices).toEqual([{ key: 'notice.times-local', params: { zone: 'Asia/Shanghai' } }]);
    expect(kinds(decode('timestamp, index\n2026-01-01T00:00:00Z, 0\n'))).toEqual([]);
  });
});

describe('what happens to the log itself', () => {
  const check = (text: string, want: readonly object[]) =>
    expect(eventsOf(decode(text)).map(({ at, kind, params }) => ({ at: (at - T0) / 1000, kind, ...params }))).toEqual(
      want,
    );

  test('a header again after a hole is a restart, without a hole it is nothing', () => {
    check(log([0, 0, 1], [1, 0, 1], HEADER, [2, 0, 1], [3, 0, 1]), []);
    check(log([0, 0, 1], [1, 0, 1], HEADER, [60, 0, 1], [61, 0, 1]), [{ at: 60, kind: 'recording-restarted' }]);
    expect(decode(log([0, 0, 1], [1, 0, 1], HEADER, [60, 0, 1], [61, 0, 1])).restarts).toBe(1);
  });

  test('a hole alone, or one in a log with a header for every sample, is no restart', () => {
    check(log([0, 0, 1], [1, 0, 1], [60, 0, 1]), []);
    check(log([0, 0, 1], HEADER, [1, 0, 1], HEADER, [60, 0, 1], HEADER, [61, 0, 1]), []);
  });

  test('a step back is reported with its length; a long one is another recording', () => {
    check(log([0, 0, 1], [1, 0, 1], [2, 0, 1], [-3, 0, 1], [-2, 0, 1]), [
      { at: -3, kind: 'clock-stepped', seconds: -5 },
    ]);
    check(log([0, 0, 1], [1, 0, 1], [-86400, 0, 1]), [
      { at: -86400, kind: 'clock-stepped', seconds: -86401 },
      { at: -86400, kind: 'recording-restarted' },
    ]);
  });

  test('elapsed time that begins again goes on after the last tick', () => {
    const decoded = decode('elapsed_sec,gpu_util\n0,1\n1,2\n2,3\n0,4\n1,5\n');
    expect(seconds(decoded)).toEqual([0, 1, 2, 3, 4]);
    expect(eventsOf(decoded).map(({ kind }) => kind)).toEqual(['recording-restarted']);
  });
});

describe('devices are told apart', () => {
  const names = (text: string) => decode(text).devices.map(({ uuid, name }) => `${uuid} ${name}`);

  test('by the bus id where there is no UUID, and by the place among the rows where there is nothing', () => {
    expect(names('index, pci.bus_id\n0, 00000000:01:00.0\n1, 00000000:0B:00.0\n')).toEqual([
      'log-00000000:01:00.0 NVIDIA GPU',
      'log-00000000:0B:00.0 NVIDIA GPU',
    ]);
    const rows = [0, 1, 2].map(
      (second) =>
        `2026/01/01 00:00:0${second}.000, NVIDIA H100, ${second} %\n2026/01/01 00:00:0${second}.004, NVIDIA H100, 9${second} %\n`,
    );
    const decoded = decode(`timestamp, name, utilization.gpu [%]\n${rows.join('')}`);
    expect(shapeOf(decoded)).toEqual(['log-0 log-1', 'log-0 log-1', 'log-0 log-1']);
    expect(readingsOf(decoded, 'utilization_ratio')).toEqual([0, 0.9, 0.01, 0.91, 0.02, 0.92]);
    expect(kinds(decoded)).toContain('gpus-by-place');
  });

  test('by names that come round in a log without times, even with a row missing', () => {
    const text = 'name, utilization.gpu [%]\nA, 1 %\nA, 2 %\nB, 3 %\nA, 4 %\nA, 5 %\nB, 6 %\n';
    expect(shapeOf(decode(text))).toEqual(['log-0 log-1 log-2', 'log-0 log-1 log-2']);
    expect(shapeOf(decode('name, utilization.gpu [%]\nA, 1 %\nB, 2 %\nA, 3 %\nA, 4 %\nB, 5 %\n'))).toEqual([
      'log-a log-b',
      'log-a',
      'log-a log-b',
    ]);
  });

  test('not by a UUID that is the same for all, and by `gpu` whatever it holds', () => {
    expect(names('index, uuid\n0, GPU-\n1, GPU-\n0, GPU-\n1, GPU-\n')).toEqual([
      'log-0 NVIDIA GPU',
      'log-1 NVIDIA GPU',
    ]);
    expect(names('gpu,gpu_util\ncuda:0,1\ncuda:1,2\n')).toEqual(['log-0 NVIDIA GPU', 'log-1 NVIDIA GPU']);
    expect(names('gpu,gpu_util\nTesla T4,1\nTesla T4,2\n')).toEqual(['log-tesla-t4 Tesla T4']);
    expect(names('gpu,memory_used\nGPU-11111111-0000,1\n')).toEqual(['GPU-11111111-0000 NVIDIA GPU']);
  });

  test('not by a column `gpu` that holds the utilisation', () => {
    const decoded = decode('timestamp,gpu,memory_used\n1736203508,35,1\n1736203509,78,1\n1736203510,77,1\n');
    expect(decoded.devices).toHaveLength(1);
    expect(readingsOf(decoded, 'utilization_ratio')).toEqual(['not-collected', 'not-collected', 'not-collected']);
  });

  test('up to a number that no machine has: beyond it a log is misread', () => {
    const rows = Array.from({ length: 1500 }, (_, row) => `GPU-${row}, 5 %\n`);
    const decoded = decode(`uuid, utilization.gpu [%]\n${rows.join('')}`);
    expect([decoded.devices.length, decoded.rows, decoded.skipped]).toEqual([1024, 1024, { 'unknown-device': 476 }]);
  });

  test('across parts of a log with different columns', () => {
    const decoded = decode(
      'index, uuid, utilization.gpu [%]\n0, GPU-a, 1 %\n1, GPU-b, 2 %\nindex, power.draw [W]\n0, 3.00 W\n1, 4.00 W\n',
    );
    expect(shapeOf(decoded)).toEqual(['GPU-a GPU-b', 'GPU-a GPU-b']);
    expect(readingsOf(decoded, 'power_watts')).toEqual(['not-collected', 'not-collected', 3, 4]);
  });
});

describe('a GPU is lost', () => {
  const HEAD = 'timestamp, index, pci.bus_id, utilization.gpu [%]';
  const row = (second: number, index: number, value = '5 %') =>
    `2026/01/01 00:00:0${second}.00${index}, ${index}, 00000000:0${index}:00.0, ${value}`;
  const MESSAGE =
    'Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.  Reboot the system to recover this GPU';
  const check = (rows: string[], ...want: string[]) =>
    expect(
      shapeOf(decode([HEAD, ...rows, ''].join('\n'))).map((tick) =>
        tick.replaceAll('log-00000000:', '').replaceAll(':00.0', ''),
      ),
    ).toEqual(want);

  test('said by its cells', () => {
    const decoded = decode([HEAD, row(0, 0), row(0, 1), row(1, 0), row(1, 1, '[GPU is lost]'), ''].join('\n'));
    expect(readingsOf(decoded, 'utilization_ratio')).toEqual([0.05, 0.05, 0.05, 'gpu-lost']);
    expect(readingsOf(decoded, 'power_watts').at(-1)).toBe('gpu-lost');
    check([row(0, 0), row(0, 1), row(1, 0), row(1, 1, '[GPU is lost]')], '00 01', '00 01!lost');
  });

  test('said in place of its row', () => {
    check([row(0, 0), row(0, 1), row(1, 0), MESSAGE, row(2, 0), MESSAGE], '00 01', '00 01!lost', '00 01!lost');
  });

  test('said in place of all rows, at the end or until it is back', () => {
    check([row(0, 0), row(0, 1), MESSAGE, MESSAGE], '00 01', '01!lost');
    check([row(0, 0), row(0, 1), MESSAGE, MESSAGE, row(4, 0), row(4, 1)], '00 01', '01!lost', '00 01');
  });

  test('said in a row that does not even name it', () => {
    const lost = '2026/01/01 00:00:01.001, [GPU is lost], [GPU is lost], [GPU is lost]';
    check([row(0, 0), row(0, 1), row(1, 0), lost], '00 01', '00 01!lost');
  });

  test('said of a GPU of which the log has no row, which is listed all the same', () => {
    check([row(0, 0), MESSAGE.replace('01:00', '77:00')], '00 77!lost');
    expect(decode([HEAD, row(0, 0), MESSAGE, ''].join('\n')).skipped).toEqual({ 'device-handle': 1 });
  });
});

describe('lines that are no rows are counted by what they are, and cost no row beside them', () => {
  const check = (lines: string[], skipped: object, rows = 2) => {
    const decoded = decode([log([0, 0, 1]), ...lines, `2026/01/01 00:00:01.000, 0, 7 %`, ''].join('\n'));
    expect({ skipped: decoded.skipped, rows: decoded.rows }).toEqual({ skipped, rows });
    expect(readingsOf(decoded, 'utilization_ratio').at(-1)).toBe(0.07);
  };

  test('text, tables and failures of nvidia-smi', () => {
    check(['salloc: Granted job allocation 84172', '', '   ', 'Epoch 1/10, loss 0.5'], { 'stray-text': 2 });
    check(['+-----------+', '|  N/A  27C |', 'Fri Jan  7 10:21:49 2022       '], { table: 3 });
    check(['No devices were found'], { 'no-devices': 1 });
    check(['Failed to initialize NVML: Driver/library version mismatch', 'NVML library version: 570.124'], {
      'driver-failure': 2,
    });
    check(
      [
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
      ],
      { 'driver-failure': 1 },
    );
  });

  test('rows that are torn, have no time or no GPU', () => {
    check(['2026/01/01 00:00:00.500, 0'], { 'wrong-columns': 1 });
    check(['2026/01/01 00:00:00.500, 0, 2026/01/01 00:00:00.600, 0, 5 %'], { 'wrong-columns': 1 });
    check(['2026/01/01 00:0, 0, 5 %'], { 'no-time': 1 });
    check(['2026/01/01 00:00:00.500, what, 5 %'], { 'unknown-device': 1 });
    check(['2026/01/01 00:00:00.500, 0, five'], { 'stray-text': 1 });
  });

  test('lines that are too long or have an open quote', () => {
    check(['x'.repeat(70_000)], { 'too-long': 1 });
    check(['say, "hello'], { 'open-quote': 1 });
    check(['say, "hello', ...Array.from({ length: 100 }, () => 'world')], { 'open-quote': 1, 'stray-text': 100 });
    check(['say, "hello', 'say, "world"'], { 'open-quote': 1, 'stray-text': 1 });
  });

  test('the output of another query', () => {
    check(['gpu_uuid, pid, process_name, used_gpu_memory [MiB]', 'GPU-a, 12, python, 5 MiB', HEADER], {
      'other-query': 1,
    });
  });

  test('a last row that was cut', () => {
    const skipped = (end: string) => decode(log([0, 0, 1]) + end).skipped;
    expect(skipped('2026/01/01 00:00:01.000, 0, 7 %')).toEqual({});
    expect(skipped('2026/01/01 00:00:01.000, 0, 7')).toEqual({ truncated: 1 });
    expect(skipped('2026/01/01 00:00:01.000, 0')).toEqual({ truncated: 1 });
    expect(skipped('2026/01/01 00:00')).toEqual({ 'stray-text': 1 });
  });
});

describe('columns', () => {
  test('single reasons become the bits of the mask they were taken from', () => {
    const head = 'index, clocks_throttle_reasons.sw_power_cap, clocks_throttle_reasons.hw_thermal_slowdown';
    const decoded = decode(
      `${head}\n0, Active, Not Active\n0, Active, Active\n0, Not Active, Not Active\n0, [N/A], [N/A]\n`,
    );
    expect(readingsOf(decoded, 'clock_event_reasons')).toEqual([4, 0x44, 0, 'not-supported']);
  });

  test('the mask is taken where both are there', () => {
    const decoded = decode(
      'clocks_event_reasons.gpu_idle, clocks_event_reasons.active\nNot Active, 0x0000000000000001\n',
    );
    expect(readingsOf(decoded, 'clock_event_reasons')).toEqual([1]);
  });

  test('of several columns for one metric the best is taken', () => {
    const decoded = decode('power.draw.instant [W], power.draw.average [W], power.draw [W]\n1.00 W, 2.00 W, 3.00 W\n');
    expect(readingsOf(decoded, 'power_watts')).toEqual([3]);
    expect(readingsOf(decode('index, power.draw.instant [W]\n0, 1.00 W\n'), 'power_watts')).toEqual([1]);
  });

  test('a column that may be a ratio or a percentage is left out and named', () => {
    const decoded = decode('epoch,gpu_util,temp_c\n1736203508,0.35,40\n1736203509,1,41\n');
    expect(readingsOf(decoded, 'utilization_ratio')).toEqual(['not-collected', 'not-collected']);
    expect(readingsOf(decoded, 'temperature_celsius')).toEqual([40, 41]);
    expect(decoded.notices).toContainEqual({ key: 'notice.columns-ignored', params: { columns: 'gpu_util' } });
    expect(readingsOf(decode('epoch,gpu_util_pct\n1736203508,0.5\n'), 'utilization_ratio')).toEqual([0.005]);
  });

  test('may be named by the user where the log has no header', () => {
    const decoded = decode('35, 45\n40, 50\n', { columns: 'utilization.gpu,temperature.gpu' });
    expect(readingsOf(decoded, 'temperature_celsius')).toEqual([45, 50]);
    expect(decode('35, 45\n40, 50\n').isRecognised).toBe(false);
  });

  test('impossible values and text are errors, counted with the first place', () => {
    const decoded = decode(log([0, 0, 1], [1, 0, 250], '2026/01/01 00:00:02.000, 0, 4294967295 %'));
    expect(readingsOf(decoded, 'utilization_ratio')).toEqual([0.01, 'error', 'error']);
    expect(decoded.notices).toContainEqual({
      key: 'notice.impossible-values',
      params: { column: 'utilization.gpu [%]', value: '250 %', count: 2, line: 3 },
    });
  });

  test('control characters of a log do not reach a terminal', () => {
    const { devices } = decode('index, name, utilization.gpu [%]\n0, Tesla\u001b[31m T4\u0007, 5 %\n');
    expect(devices[0]?.name).toBe('Tesla T4');
  });

  test('a command with commas is one cell', () => {
    const head = 'timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]';
    const { ticks } = decode(`${head}\n2026/01/01 00:00:00.000, GPU-a, 12, python, train, x, 5 MiB\n`);
    expect(ticks[0]?.devices[0]?.processes).toMatchObject([
      { pid: 12, name: 'python, train, x', memoryBytes: 5 * 2 ** 20 },
    ]);
  });
});
