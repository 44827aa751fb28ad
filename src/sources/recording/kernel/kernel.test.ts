import { expect, test } from 'vitest';
import { ANCHOR, decode, eventsOf, shapeOf } from '../decode-text.ts';

const MESSAGE = 'NVRM: Xid (PCI:0000:01:00): 31, pid=5, name=python, Ch 00000003';
const LOST = 'NVRM: Xid (PCI:0000:01:00): 79, pid=5, name=python, GPU has fallen off the bus.';
const UUID = 'log-00000000:01:00.0';
const PAD = '[    1.000000] usb 1-2: New USB device found\n'.repeat(3);

function times(log: string, zone = 'UTC'): string[] {
  return eventsOf(decode(log, { zone })).map(({ at }) => new Date(at).toISOString());
}

test('when a line was written, in every form of the log', () => {
  const check = (prefix: string, want: string, zone = 'UTC') =>
    expect(times(`${PAD}${prefix}${MESSAGE}\n`, zone), prefix).toEqual([want]);
  const noon = '2025-06-05T12:00:00.000Z';
  check('2025-06-05T12:00:00+00:00 host kernel: ', noon);
  check('2025-06-05T20:00:00,000123+08:00 ', noon);
  check('2025-06-05T12:00:00.000000+0000 host kernel: ', noon);
  check('kern  :warn  : 2025-06-05T12:00:00,000000+00:00 ', noon);
  check('[Thu Jun  5 12:00:00 2025] ', noon);
  check('[Thu Jun  5 20:00:00 2025] ', noon, 'Asia/Shanghai');
  check('[Do Jun  5 12:00:00 2025] ', noon);
  check('Thu 2025-06-05 12:00:00 UTC host kernel: ', noon);
  check('1749124800.000001 host kernel: ', noon);
  check('Jun  5 12:00:00 host kernel: [ 4564.303884] ', noon);
  check('<4>Jun  5 12:00:00 host kernel: ', noon);
  check('čen 05 12:00:00 host kernel: ', noon);
  check('[   60.500000] ', new Date(ANCHOR + 60_500).toISOString());
  check('<6>[   60.500000] ', new Date(ANCHOR + 60_500).toISOString());
  check('[   60.500000@3] ', new Date(ANCHOR + 60_500).toISOString());
  check('4,123,60500000,-;', new Date(ANCHOR + 60_500).toISOString());
});

test('a year that is not written: none is in the future, and one may end within the log', () => {
  const line = (stamp: string) => `${stamp} host kernel: ${MESSAGE}\n`;
  expect(times(line('Dec 30 10:00:00') + line('Jan  1 00:00:00'))).toEqual([
    '2025-12-30T10:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
  ]);
  expect(decode(line('Dec 30 10:00:00')).notices).toContainEqual({
    key: 'notice.times-no-year',
    params: { year: 2025 },
  });
});

test('lines of the journal in JSON', () => {
  const entry = { __REALTIME_TIMESTAMP: '1749124800000123', _TRANSPORT: 'kernel', MESSAGE };
  const log = decode(`${JSON.stringify(entry)}\n{"MESSAGE": "half\n`);
  expect(eventsOf(log)).toMatchObject([{ at: 1_749_124_800_000, params: { xid: 31, pid: 5, raw: MESSAGE } }]);
});

test('a lost card stays lost until the machine is started again', () => {
  const log = decode(
    [
      `[  100.000000] ${MESSAGE}`,
      `[  200.000000] ${LOST}`,
      '[  200.000001] NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.',
      '[  300.000000] NVRM: Xid (PCI:0000:02:00): 31, pid=6, name=x, Ch 1',
      `[   50.000000] ${MESSAGE}`,
      '',
    ].join('\n'),
  );
  const other = 'log-00000000:02:00.0';
  expect(shapeOf(log)).toEqual([
    `${UUID} ${other}`,
    `${UUID}!lost ${other}`,
    `${UUID}!lost ${other}`,
    `${UUID} ${other}`,
  ]);
  expect(eventsOf(log).map(({ kind }) => kind)).toEqual(['xid', 'xid', 'xid', 'recording-restarted', 'xid']);
});

test('lines a little out of order are not a clock that was set back', () => {
  const log = decode(`[  100.000500] ${MESSAGE}\n[  100.000400] ${MESSAGE}\n[  100.000600] ${MESSAGE}\n`);
  expect(eventsOf(log).map(({ kind }) => kind)).toEqual(['xid', 'xid', 'xid']);
});

test('a fault of a switch is about no GPU', () => {
  const log = decode('[ 9.100000] nvidia-nvswitch3: SXid (PCI:0000:07:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n');
  expect(eventsOf(log)).toMatchObject([{ kind: 'sxid', uuid: null, severity: 'critical', params: { xid: 20_034 } }]);
  expect(log.devices).toEqual([]);
});

test('instances, and no number for a card the log only knows by its place', () => {
  const [event] = eventsOf(decode('[ 9.100000] NVRM: Xid (PCI:0000:b3:00 GPU-I:05): 43, pid=7, name=a, Ch 8\n'));
  expect(event?.params).toEqual({
    bus: '00000000:B3:00.0',
    xid: 43,
    pid: 7,
    name: 'a',
    gpuInstance: 5,
    raw: 'NVRM: Xid (PCI:0000:b3:00 GPU-I:05): 43, pid=7, name=a, Ch 8',
  });
});

test('the number of a line that is cut off is not believed', () => {
  const log = decode(`[ 1.000000] ${MESSAGE}\n[ 2.000000] NVRM: Xid (PCI:0000:01:00): 7`);
  expect(eventsOf(log)).toHaveLength(1);
  expect(log.skipped).toEqual({ truncated: 1 });
});

test('a card whose UUID the driver told before is known by it', () => {
  const uuid = 'GPU-0000000c-0000-4000-8000-00000000000c';
  expect(decode(`[ 1.000000] NVRM: GPU at PCI:0000:01:00: ${uuid}\n[ 1.100000] ${MESSAGE}\n`).devices[0]?.uuid).toBe(
    uuid,
  );
});

test('logs of other programs are no kernel logs', () => {
  expect(decode('2025-06-05 12:00:00 INFO started\n2025-06-05 12:00:01 INFO done\n').isRecognised).toBe(false);
});

test('a clock that is set back brings no lost card back', () => {
  const log = decode(
    [
      'Mar  3 04:05:06 host kernel: NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=x, GPU has fallen off the bus.',
      '2020-03-03T05:00:00.123456+08:00 host kernel: NVRM: Xid (PCI:0000:02:00): 63, pid=6, name=x, Row Remapper',
      '',
    ].join('\n'),
  );
  expect(shapeOf(log)).toEqual(Array(2).fill('log-00000000:01:00.0!lost log-00000000:02:00.0'));
});
