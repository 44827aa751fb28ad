import { expect, test } from 'vitest';
import { ANCHOR, decode, readingsOf, shapeOf } from '../decode-text.ts';

const device = (name: string, util: string | null, more = '') =>
  ` {\n  "device_name": "${name}",\n  "gpu_clock": "210MHz",\n  "temp": "97F",\n  "gpu_util": ${util === null ? 'null' : `"${util}"`}${more}\n }`;

test('the arrays of -l follow each other, one tick each', () => {
  const array = (util: string) => `[\n${device('NVIDIA A100', util)},\n${device('NVIDIA A100', '5%')}\n]\n`;
  const log = decode(array('1%') + array('2%') + array('3%'));
  expect(shapeOf(log)).toEqual(['log-0 log-1', 'log-0 log-1', 'log-0 log-1']);
  expect(readingsOf(log, 'utilization_ratio')).toEqual([0.01, 0.05, 0.02, 0.05, 0.03, 0.05]);
  expect(log.ticks.map(({ at }) => at)).toEqual([ANCHOR, ANCHOR + 1000, ANCHOR + 2000]);
  expect(log.skipped).toEqual({});
});

test('a date in front of each array is its time', () => {
  const log = decode(
    `2024-01-01 10:00:00\n[\n${device('A100', '1%')}\n]\n2024-01-01 10:00:05\n[\n${device('A100', '2%')}\n]\n`,
  );
  expect(log.ticks.map(({ at }) => at)).toEqual([Date.UTC(2024, 0, 1, 10), Date.UTC(2024, 0, 1, 10, 0, 5)]);
});

test('degrees Fahrenheit, a fan of the processor, processes', () => {
  const processes = `,\n  "fan_speed": "CPU Fan",\n  "processes": [
   { "pid": "77", "cmdline": "/usr/bin/python train.py", "kind": "compute", "user": "alice", "gpu_usage": "23%", "gpu_mem_bytes_alloc": "295473152", "gpu_mem_usage": "3%", "encode": null, "decode": "0%" },
   { "pid": "78", "cmdline": "Xorg", "kind": "graphic", "user": "root", "gpu_usage": null, "gpu_mem_bytes_alloc": null }
  ]`;
  const log = decode(`[\n${device('AMD Radeon RX 7900', null, processes)}\n]\n`);
  expect(readingsOf(log, 'temperature_celsius')).toEqual([36]);
  expect(readingsOf(log, 'utilization_ratio')).toEqual(['not-collected']);
  expect(readingsOf(log, 'fan_speed_ratio')).toEqual(['not-supported']);
  expect(log.devices[0]?.vendor).toBe('amd');
  const none = { absent: 'not-collected' };
  expect(log.ticks[0]?.devices[0]?.processes).toEqual([
    {
      pid: 77,
      kind: 'compute',
      memoryBytes: 295_473_152,
      name: 'python',
      user: 'alice',
      smRatio: 0.23,
      encoderRatio: none,
      decoderRatio: 0,
      command: '/usr/bin/python train.py',
    },
    {
      pid: 78,
      kind: 'graphics',
      memoryBytes: none,
      name: 'Xorg',
      user: 'root',
      smRatio: none,
      encoderRatio: none,
      decoderRatio: none,
      command: 'Xorg',
    },
  ]);
});

test('no GPU is said so, and absurd values are read errors', () => {
  const log = decode(`No GPU to monitor.\n[\n${device('A100', '900%')}\n]\n`);
  expect(log.skipped).toEqual({ 'no-devices': 1 });
  expect(readingsOf(log, 'utilization_ratio')).toEqual(['error']);
  expect(log.faults).toEqual({ 'impossible-values': 1 });
});
