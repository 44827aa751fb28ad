import { expect, test } from 'vitest';
import { decode, eventsOf, readingsOf, shapeOf } from './decode-text.ts';

const HEADER = 'timestamp, index, pci.bus_id, utilization.gpu [%]\n';
const XID = '[14328.198504] NVRM: Xid (PCI:0000:86:00): 31, pid=13332, name=python, Ch 00000008, intr 00000000';

function row(second: number, index: number, bus: string): string {
  return `2024/11/02 10:00:0${second}.00${index}, ${index}, 00000000:${bus}:00.0, 1${second} %\n`;
}

const CARD = 'log-00000000:86:00.0';

test('a line of the kernel among the rows of a log is an event of their time, and no row is lost for it', () => {
  const log = decode(
    `${HEADER}${row(0, 0, '18')}${row(0, 2, '86')}${XID}\n${row(1, 0, '18')}${row(1, 2, '86')}${row(2, 0, '18')}${row(2, 2, '86')}`,
  );
  expect(eventsOf(log)).toMatchObject([
    {
      at: Date.UTC(2024, 10, 2, 10, 0, 0),
      kind: 'xid',
      uuid: CARD,
      params: { xid: 31, pid: 13_332, name: 'python', bus: '00000000:86:00.0' },
    },
  ]);
  expect(log.ticks).toHaveLength(3);
  expect(readingsOf(log, 'utilization_ratio')).toEqual([0.1, 0.1, 0.11, 0.11, 0.12, 0.12]);
  expect(log.skipped).toEqual({});
});

test('in front of the first row, behind the last, and about a card the log does not have', () => {
  const other = XID.replace('86:00', 'c1:00').replace(': 31', ': 13');
  const log = decode(`${HEADER}${other}\n${row(0, 0, '18')}${row(1, 0, '18')}${row(2, 0, '18')}${XID}\n`);
  expect(eventsOf(log)).toMatchObject([
    { at: Date.UTC(2024, 10, 2, 10, 0, 0), uuid: null, params: { xid: 13, bus: '00000000:C1:00.0' } },
    { at: Date.UTC(2024, 10, 2, 10, 0, 2), uuid: null, params: { xid: 31 } },
  ]);
});

test('a card that falls off the bus is lost until it has a row again', () => {
  const fallen = '[14328.2] NVRM: Xid (PCI:0000:86:00): 79, pid=1, name=x, GPU has fallen off the bus.\n';
  const rows = (second: number) => row(second, 0, '18') + row(second, 2, '86');
  const log = decode(HEADER + rows(0) + fallen + row(1, 0, '18') + rows(2) + rows(3));
  expect(shapeOf(log)).toEqual([
    `log-00000000:18:00.0 ${CARD}`,
    `log-00000000:18:00.0 ${CARD}!lost`,
    `log-00000000:18:00.0 ${CARD}`,
    `log-00000000:18:00.0 ${CARD}`,
  ]);
  expect(eventsOf(log).map(({ kind, severity }) => `${kind} ${severity}`)).toEqual(['xid critical']);
});

test.each([
  ['the table', '| N/A   36C    P0            118W /  700W |   70001MiB /  81559MiB |     37%      Default |'],
  ['dmon', '# gpu   pwr\n# Idx     W\n    0   250'],
  ['a list', 'GPU 0: NVIDIA A30 (UUID: GPU-a0000000-0000-0000-0000-000000000001)'],
])('in %s too', (_, line) => {
  const table = `|   0  NVIDIA H100 80GB HBM3          On  |   00000000:86:00.0 Off |                    0 |\n${line}`;
  const log = decode(`${line.startsWith('| N/A') ? table : line}\n${XID}\n`);
  expect(eventsOf(log)).toMatchObject([{ kind: 'xid', params: { xid: 31 } }]);
  expect(log.skipped).toEqual({});
});

test('resets of AMD cards among the readings of a tool', () => {
  const reset = '[ 1.2] amdgpu 0000:86:00.0: amdgpu: GPU reset begin!';
  const log = decode(`${HEADER}${row(0, 2, '86')}${reset}\n${row(1, 2, '86')}`);
  expect(eventsOf(log)).toMatchObject([{ kind: 'marker', uuid: CARD, params: { text: 'GPU reset begin!' } }]);
});
