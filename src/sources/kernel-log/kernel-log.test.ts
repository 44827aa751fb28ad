import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Device } from '../../model/device.ts';
import type { GpuEvent } from '../../model/event.ts';
import { ManualClock } from '../../model/manual-clock.ts';
import { KernelLog } from './kernel-log.ts';
import { parseKmsgRecord } from './kmsg-record.ts';
import { XidMerger } from './xid-merger.ts';

const NOW = Date.UTC(2026, 0, 1);
/** The machine has been up for 1000 s. */
const UP_MICROS = 1000e6;

const GPU: Device = {
  uuid: 'GPU-0',
  vendor: 'nvidia',
  name: 'H100',
  index: 0,
  pciBusId: '00000000:0A:00.0',
  minor: 0,
  serial: null,
  driverVersion: '570',
};

let folder: string;
let path: string;
let clock: ManualClock;
const opened: KernelLog[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-kmsg-'));
  path = join(folder, 'kmsg');
  clock = new ManualClock(NOW);
});

afterEach(async () => {
  for (const log of opened.splice(0)) await log.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(at = path): Promise<KernelLog> {
  const boot = { bootId: 'boot', micros: () => UP_MICROS + clock.monotonic() * 1000 };
  const merger: XidMerger = new XidMerger({
    clock,
    bootId: boot.bootId,
    devices: () => [GPU],
    hasKernelLog: () => log.isOpen,
  });
  const log: KernelLog = new KernelLog({ clock, merger, path: at, boot });
  opened.push(log);
  await log.start();
  return log;
}

let sequence = 0;

function record(seconds: number, message: string): string {
  return `4,${sequence++},${seconds * 1e6},-;${message}\n SUBSYSTEM=pci\n DEVICE=+pci:0000:0a:00.0\n`;
}

const XID_31 = 'NVRM: Xid (PCI:0000:0a:00): 31, pid=13332, name=python, Ch 00000010, intr 0. MMU Fault';

/** Lets reads of the thread pool come back. */
async function settled(log: KernelLog): Promise<readonly GpuEvent[]> {
  await clock.advance(1000);
  for (let turn = 0; turn < 200; turn++) {
    const events = log.take();
    if (events.length > 0) return events;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return [];
}

test('what was logged before comes once, with its own time, merged', async () => {
  writeFileSync(
    path,
    record(1, 'Linux version 6.1') + record(100, XID_31) + record(130, XID_31) + record(990, 'eth0 up'),
  );
  const log = await start();
  const [event, ...more] = log.take();
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    at: NOW - 900_000,
    kind: 'xid',
    severity: 'warning',
    uuid: 'GPU-0',
    params: { xid: 31, count: 2, first: NOW - 900_000, last: NOW - 870_000, pid: 13_332, name: 'python' },
    key: 'xid:boot:0:0a:00:31:100000000',
  });
  expect(log.take()).toEqual([]);
  expect((await start()).take()).toEqual([event]);
});

test('what is logged later is a newer state of the same event', async () => {
  writeFileSync(path, record(999, XID_31));
  const log = await start();
  const [before] = log.take();
  appendFileSync(path, record(1000.5, XID_31) + record(1000.6, XID_31));
  const events = await settled(log);
  expect(events).toMatchObject([{ key: before?.key, at: before?.at, params: { count: 3 } }]);
});

test('a record that is being written is read when it is whole', async () => {
  writeFileSync(path, '');
  const log = await start();
  const text = record(1000, XID_31);
  appendFileSync(path, text.slice(0, 40));
  await clock.advance(1000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(log.take()).toEqual([]);
  appendFileSync(path, text.slice(40));
  expect(await settled(log)).toHaveLength(1);
});

test('a GPU that is only said to be off the bus, over several records or lines, is known by its place', async () => {
  const parts = [
    'NVRM: The NVIDIA GPU 0000:0a:00.0',
    'NVRM: (PCI ID: 10de:26b5) installed',
    'NVRM: fallen off the bus',
  ];
  const check = async (text: string) => {
    writeFileSync(path, text);
    const events = (await start()).take();
    expect(events).toMatchObject([{ uuid: 'GPU-0', severity: 'critical', params: { xid: 79, count: 1 } }]);
  };
  await check(parts.map((part, i) => record(5 + i * 1e-5, part)).join(''));
  await check(record(5, parts.join('\\x0a')));
});

test('a card that is gone is named by the UUID the driver logged for its place', async () => {
  const uuid = 'GPU-0000000e-0000-4000-8000-00000000000e';
  writeFileSync(
    path,
    record(5, `NVRM: GPU at PCI:0000:77:00: ${uuid}`) +
      record(6, 'NVRM: Xid (PCI:0000:77:00): 79, GPU has fallen off the bus.'),
  );
  expect((await start()).take()).toMatchObject([{ uuid, params: { bus: '00000000:77:00.0', xid: 79 } }]);
});

test('errors of an NVLink switch are events of the host', async () => {
  writeFileSync(
    path,
    record(5, 'nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error'),
  );
  const [event] = (await start()).take();
  expect(event).toMatchObject({ kind: 'sxid', uuid: null, severity: 'warning', params: { xid: 12_028, count: 1 } });
});

test('a log that may not be read, or is not there, is a remark and nothing else', async () => {
  const missing = await start(join(folder, 'none'));
  expect(missing.take()).toEqual([]);
  expect(missing.isOpen).toBe(false);
  expect(missing.notices()).toEqual([
    { key: 'notice.kernel-log-missing', params: { path: join(folder, 'none') }, isRemark: true },
  ]);
  expect((await start(folder)).notices()).toMatchObject([{ key: 'notice.kernel-log-failed' }]);
  writeFileSync(path, record(5, XID_31));
  chmodSync(path, 0);
  const isRoot = process.getuid?.() === 0;
  const refused = await start();
  expect(refused.notices().map(({ key }) => key)).toEqual(isRoot ? [] : ['notice.kernel-log-no-permission']);
});

test('the log of this machine is read to its end, or it is said why not', async () => {
  const log = await start('/dev/kmsg');
  log.take();
  expect(log.isOpen || log.notices().every(({ isRemark }) => isRemark)).toBe(true);
});

test('records are told from their properties, and their bytes are text again', () => {
  const check = (text: string, want: string[] | undefined) => expect(parseKmsgRecord(text)?.lines).toEqual(want);
  check('6,3973,227996636,-;nvidia-peermem nv_get', ['nvidia-peermem nv_get']);
  check('6,1,2,-,caller=T12;a;b', ['a;b']);
  check('6,1,2;no flags', ['no flags']);
  check('6,1,2,-;name \\xe4\\xb8\\xad\\x0asecond\\x1b[31m \\x5c', ['name 中', 'second [31m \\']);
  check(' SUBSYSTEM=pci', undefined);
  check('NVRM: Xid', undefined);
  check('', undefined);
});
