import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { busIdIn, parseXidLine, type XidLine } from './xid-line.ts';

const MESSAGE = 'NVRM: Xid (PCI:0000:0a:00): 31, pid=1234, name=python, Ch 00000010, intr 00000000. MMU Fault';

function check(line: string, want: Partial<XidLine> | null): void {
  const found = parseXidLine(line);
  if (want === null) expect(found, line).toBe(null);
  else expect(found, line).toMatchObject(want);
}

describe('what stands in front of the message does not matter', () => {
  for (const prefix of [
    '',
    '[14328.198504] ',
    '<6>[    2.608284] ',
    '[  +0.000316] ',
    '[Fri Mar  3 04:44:24 2023] ',
    'Jun  5 22:36:51 host-a kernel: [ 4564.303884] ',
    'Nov 29 11:28:11 host-a kernel: ',
    'Okt 06 17:59:27 host-a kernel: ',
    '2024-11-15T12:02:03,470068+00:00 ',
    '2024-11-15T12:02:03+0800 host-a kernel: ',
    'kern  :warn  : 2025-01-21T02:21:33,498559+00:00 ',
    '6,123,456789,-;',
    'kernel: ',
    '[gpu-health] [WARN] GPU-0000000d-0000-4000-8000-00000000000d: XID: ',
    '{"MESSAGE":"',
  ]) {
    test(JSON.stringify(prefix), () =>
      check(prefix + MESSAGE, {
        kind: 'xid',
        xid: 31,
        isNumbered: true,
        busId: '00000000:0A:00.0',
        pid: 1234,
        name: 'python',
        detail: 'Ch 00000010, intr 00000000. MMU Fault',
        raw: MESSAGE,
      }),
    );
  }
});

test('the shapes of the message', () => {
  const card = '00000000:01:00.0';
  check('NVRM: Xid (PCI:0000:01:00): 79, pid=1122, GPU has fallen off the bus.', { xid: 79, pid: 1122, name: null });
  check('NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.', { xid: 79, busId: card, pid: null });
  check('NVRM: Xid (0000:01:00): 31, Ch 00000003', { xid: 31, busId: card, detail: 'Ch 00000003' });
  check('NVRM: Xid (0001:00): 13, 0001 00000000 00008297', { xid: 13, busId: card });
  check('NVRM: Xid (PCI:0000:01:00.0): 13, Graphics Exception', { xid: 13, busId: card });
  check('NVRM: Xid (PCI:0018:01:00): 62, 12c1(1d2c)', { xid: 62, busId: '00000018:01:00.0', detail: '12c1(1d2c)' });
  check('NVRM: Xid (PCI:0000:01:00 GPU-I:05): 43, pid=7, name=a b, Ch 8', { gpuInstance: 5, busId: card, name: 'a b' });
  check("NVRM: Xid (PCI:0000:38:00): 13, pid='<unknown>', name=<unknown>, Graphics SM", { pid: null, name: null });
  check('NVRM: Xid (PCI:0000:38:00): 13, pid=<unknown>, name=<unknown>, Graphics SM', { detail: 'Graphics SM' });
  check('NVRM: Xid (PCI:0000:dc:00): 45, pid=1, name=python3, Ch 1 caused by previous Xid 149', { causedBy: 149 });
  check('NVRM: Xid (unknown): 31, Ch 1', { xid: 31, busId: null });
  check('NVRM: Xid (PCI:0000:01:00): 79', { xid: 79, detail: '' });
});

test('faults of NVLink keep their unit and link', () => {
  check('NVRM: Xid (PCI:0018:01:00): 145, RLW_REMAP Nonfatal XC0 i0 Link 72 (0x00000004 0x0 0x0 0x0 0x0 0x0)', {
    xid: 145,
    detail: 'RLW_REMAP Nonfatal XC0 i0 Link 72 (0x00000004 0x0 0x0 0x0 0x0 0x0)',
  });
  check('[ 9.1] nvidia-nvswitch3: SXid (PCI:0000:07:00.0): 20034, Fatal, Link 30 LTSSM Fault Up', {
    kind: 'sxid',
    xid: 20034,
    busId: '00000000:07:00.0',
    detail: 'Fatal, Link 30 LTSSM Fault Up',
    raw: 'nvidia-nvswitch3: SXid (PCI:0000:07:00.0): 20034, Fatal, Link 30 LTSSM Fault Up',
  });
});

test('a card off the bus that has no number is Xid 79', () => {
  const off = { kind: 'xid', xid: 79, isNumbered: false } as const;
  check('NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.', { ...off, busId: '00000000:01:00.0' });
  check('NVRM: GPU at 0000:01:00.0 has fallen off the bus.', { ...off, busId: '00000000:01:00.0' });
  check('               NVRM: fallen off the bus and is not responding to commands.', { ...off, busId: null });
  check(
    '[1.2] NVRM: The NVIDIA GPU 0000:b3:00.0 (PCI ID: 10de:26b5) installed in this system has fallen off the bus and is not',
    { ...off, busId: '00000000:B3:00.0' },
  );
  check(
    'kernel: NVRM: nvAssertOkFailedNoLog: Assertion failed: GPU lost from the bus [NV_ERR_GPU_IS_LOST] (0x0000000F)',
    {
      ...off,
      busId: null,
    },
  );
});

test('lines that report no fault', () => {
  check('', null);
  check('NVRM: GPU at PCI:0000:0a:00: GPU-0000000c-0000-4000-8000-00000000000c', null);
  check('NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01', null);
  check('my notes: the GPU has fallen off the bus again', null);
  check('see Xid (Errors) for what an Xid is', null);
  check('NVRM: Xid (PCI:0000:01:00): 7912345678, no number of this kind', null);
  check('NVRM: Xid (PCI:0000:01:00', null);
});

test('the place of a card in every spelling', () => {
  expect(busIdIn('GPU 00000000:0b:00.0')).toBe('00000000:0B:00.0');
  expect(busIdIn('0a:00')).toBe('00000000:0A:00.0');
  expect(busIdIn('GPU0002:03:00.0: Unknown Error')).toBe('00000002:03:00.0');
  expect(busIdIn('PCI ID: 10de:26b5')).toBe(null);
  expect(busIdIn('at 22:36:51')).toBe(null);
});

test('no line makes it throw, and a cut line never makes another number up', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseXidLine(`NVRM: Xid (${text}`)));
  for (let length = 0; length < MESSAGE.length; length++) {
    const found = parseXidLine(MESSAGE.slice(0, length));
    if (found === null || found.detail === '') continue;
    expect(found).toMatchObject({ xid: 31, busId: '00000000:0A:00.0' });
  }
});
