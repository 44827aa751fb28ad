import { expect, test } from 'vitest';
import { decode, shapeOf } from '../decode-text.ts';

const A = 'GPU-aaaa0001-0000-4000-8000-000000000001';
const B = 'GPU-aaaa0002-0000-4000-8000-000000000001';
const TWO = `GPU 0: NVIDIA A100-SXM4-40GB (UUID: ${A})\nGPU 1: NVIDIA A100-SXM4-40GB (UUID: ${B})\n`;

test('names, numbers and UUIDs, and no readings', () => {
  const { devices, ticks, rows } = decode(TWO);
  expect(devices.map(({ index, name, uuid }) => `${index} ${name} ${uuid}`)).toEqual([
    `0 NVIDIA A100-SXM4-40GB ${A}`,
    `1 NVIDIA A100-SXM4-40GB ${B}`,
  ]);
  expect([ticks.length, rows]).toEqual([1, 2]);
  expect(ticks[0]!.devices.every(({ readings }) => !readings.isReadable())).toBe(true);
});

test('instances of MIG', () => {
  const log = `GPU 0: NVIDIA A100-SXM4-40GB (UUID: ${A})
  MIG 3g.20gb     Device  0: (UUID: MIG-bbbb0001-0000-4000-8000-000000000001)
  MIG 1c.3g.20gb  Device  1: (UUID: MIG-${A}/2/1)
GPU 1: NVIDIA A100-SXM4-40GB (UUID: ${B})
`;
  const { devices } = decode(log);
  expect(
    devices.map(({ name, mig }) => [name, mig?.parent, mig?.gpuInstance, mig?.computeInstance, mig?.profile]),
  ).toEqual([
    ['NVIDIA A100-SXM4-40GB', undefined, undefined, undefined, undefined],
    ['NVIDIA A100-SXM4-40GB MIG 3g.20gb', A, null, null, '3g.20gb'],
    ['NVIDIA A100-SXM4-40GB MIG 1c.3g.20gb', A, 2, 1, '1c.3g.20gb'],
    ['NVIDIA A100-SXM4-40GB', undefined, undefined, undefined, undefined],
  ]);
  expect(devices.map(({ index }) => index)).toEqual([0, 0, 0, 1]);
});

test.each([
  ['line ends of Windows', TWO.replaceAll('\n', '\r\n')],
  ['a prompt and a prefix', `$ nvidia-smi -L\n${TWO.replaceAll(/^/gm, '  ')}`],
  ['no line end at the end', TWO.slice(0, -1)],
])('%s', (_name, log) => {
  expect(shapeOf(decode(log))).toEqual([`${A} ${B}`]);
});

test('a list again is another moment, with the date that stands before it', () => {
  const log = `Wed Feb  5 14:07:58 2025\n${TWO}Wed Feb  5 14:08:58 2025\n${TWO.slice(0, TWO.indexOf('\n') + 1)}`;
  expect(shapeOf(decode(log))).toEqual([`${A} ${B}`, A]);
  expect(decode(log).ticks[1]?.at).toBe(Date.UTC(2025, 1, 5, 14, 8, 58));
});

test('a line that was cut names no card', () => {
  for (let end = 0; end < TWO.length; end++) {
    for (const { uuid } of decode(TWO.slice(0, end)).devices) expect([A, B]).toContain(uuid);
  }
});

test('UUIDs that are the same for several cards', () => {
  const log = TWO.replace(B, A);
  expect(shapeOf(decode(log))).toEqual(['log-0 log-1']);
});

test('a list in front of another log is not what the log is about', () => {
  const csv = `${TWO}index, utilization.gpu [%]\n0, 5 %\n1, 6 %\n`;
  expect(decode(csv)).toMatchObject({ rows: 2, skipped: { 'stray-text': 2 } });
});
test.each([
  ['among the others', 1, 'Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error'],
  ['in other words', 2, 'Unable to determine the device handle for gpu 0000:C1:00.0: GPU is lost.  Reboot the system'],
])('a card that cannot be reached, told %s, is listed as lost, and hides nobody', (_name, at, line) => {
  const lines = TWO.trimEnd().split('\n');
  lines.splice(at, 0, line);
  const { ticks } = decode(`${lines.join('\n')}\n`);
  const states = ticks.at(-1)!.devices.map(({ device, state }) => `${device.uuid.slice(0, 8)} ${state}`);
  expect(states.sort()).toEqual(['GPU-aaaa ok', 'GPU-aaaa ok', expect.stringMatching(/^log-\S* lost$/)]);
  const indexes = ticks.at(-1)!.devices.map(({ device }) => device.index);
  expect(new Set(indexes).size).toBe(3);
});
