import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../model/clock.ts';
import { ManualClock } from '../model/manual-clock.ts';
import { testDevice } from '../model/scripted-source.ts';
import type { NvmlDiagnosis } from '../sources/nvml/diagnosis.ts';
import { FakeDriver, HAS_FAKE_DRIVER } from '../sources/nvml/fake-driver.ts';
import { examine } from './doctor.ts';
import type { Check } from './doctor-check.ts';
import { examineDriver } from './doctor-driver.ts';
import { examineClock, examineDataDirectory, examineRoom } from './doctor-host.ts';
import { examineKernelLog } from './doctor-kernel-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-doctor-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes the files of a machine; a path that ends in a slash is a folder, and `>` in a content makes a link to it. */
function tree(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    const at = join(root, path);
    mkdirSync(path.endsWith('/') ? at : dirname(at), { recursive: true });
    if (path.endsWith('/')) continue;
    if (typeof content === 'string' && content.startsWith('>')) symlinkSync(content.slice(1), at);
    else writeFileSync(at, content);
  }
}

/** The level of each check by its id; the worst of several. */
function levels(checks: readonly Check[]): Record<string, string> {
  const found: Record<string, string> = {};
  const worst = ['ok', 'warning', 'fault'];
  for (const { id, level } of checks) {
    if (worst.indexOf(level) >= worst.indexOf(found[id] ?? 'ok')) found[id] = level;
  }
  return found;
}

/** Whatever is wrong says so, and what to do, in both languages, with every blank filled. */
function areWorded(checks: readonly Check[]): void {
  for (const { id, level, text, remedy } of checks) {
    for (const lang of ['en', 'zh'] as const) {
      expect(text(lang), id).not.toMatch(/^$|\{\w+\}/);
      if (level === 'fault') expect(remedy(lang), id).toEqual(expect.any(String));
      expect(remedy(lang) ?? '', id).not.toMatch(/\{\w+\}/);
    }
    expect(text('zh'), id).toMatch(/[\u4e00-\u9fff]|Node/);
  }
}

const PCI = 'sys/bus/pci/devices';

/** A card on the bus, as the kernel shows it. */
function card(slot: string, driver: string | null, config: Uint8Array = Uint8Array.of(0xde, 0x10, 0x30, 0x23)) {
  return {
    [`${PCI}/${slot}/vendor`]: '0x10de\n',
    [`${PCI}/${slot}/class`]: '0x030200\n',
    [`${PCI}/${slot}/config`]: config,
    ...(driver === null ? {} : { [`${PCI}/${slot}/driver`]: `>../../../bus/pci/drivers/${driver}` }),
  };
}

const LOADED = {
  'proc/driver/nvidia/version':
    'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.10  Wed Jan 22 00:00:00 UTC 2025\n',
  'dev/nvidia0': '',
  'dev/nvidia1': '',
};

describe.skipIf(!HAS_FAKE_DRIVER)('a machine with the driver', () => {
  let driver: FakeDriver;
  afterEach(() => driver.dispose());

  async function checksOf(script: string, files: Readonly<Record<string, string | Uint8Array>> = LOADED) {
    driver = new FakeDriver({ script });
    tree(driver.root, files);
    const options = { spec: 'nvml', nvmlLibrary: driver.library, timeZone: null, clock: systemClock };
    const checks = await examine(options, driver.root);
    areWorded(checks);
    return checks;
  }

  /** The faults and warnings of the cards, the bus and the driver. */
  async function wrong(script: string, files?: Readonly<Record<string, string | Uint8Array>>): Promise<object> {
    const elsewhere = /^(?:clock|data|disk|owners|kernel-log|docker|containerd|kubelet|slurm)/;
    const found = levels((await checksOf(script, files)).filter(({ level }) => level !== 'ok'));
    return Object.fromEntries(Object.entries(found).filter(([id]) => !elsewhere.test(id)));
  }

  const TWO = 'gpus 2\ngpu * persistence 1';
  const ON_BUS = { ...LOADED, ...card('0000:10:00.0', 'nvidia'), ...card('0000:11:00.0', 'nvidia') };

  test('that is well', async () => {
    const checks = await checksOf(TWO, ON_BUS);
    expect(levels(checks)).toMatchObject({ node: 'ok', driver: 'ok', nodes: 'ok', library: 'ok', gpus: 'ok' });
    expect(checks.find(({ id }) => id === 'gpus')?.text('en')).toBe('GPUs (2): NVIDIA H100 80GB HBM3');
    expect(await wrong(TWO, ON_BUS)).toEqual({});
  });

  test.each<[string, string, object]>([
    ['persistence mode is off', 'gpus 2\ngpu * persistence 0', { persistence: 'warning' }],
    ['a card is lost', `${TWO}\ngpu 1 lost on`, { 'gpu-lost': 'fault' }],
    ['a card cannot be opened', `${TWO}\ngpu 1 handle 4`, { 'gpu-denied': 'fault', 'notice.gpu-closed': 'warning' }],
    ['a card has to be reset', `${TWO}\ngpu 1 handle 16`, { 'gpu-reset': 'fault', 'notice.gpu-closed': 'warning' }],
    ['a card in MIG mode is empty', `${TWO}\ngpu 0 mig on`, { 'mig-empty': 'warning' }],
    ['MIG waits for a reset', `${TWO}\ngpu 0 mig-pending 1`, { 'mig-pending': 'warning' }],
    ['library and kernel module differ', 'gpus 2\ninit 18', { NVML_VERSION_MISMATCH: 'fault' }],
    ['the driver refuses', 'gpus 2\ninit 4', { NVML_NO_PERMISSION: 'fault' }],
  ])('where %s', async (_, script, want) => {
    expect(await wrong(script, ON_BUS)).toEqual(want);
  });

  test('a MIG card with instances is well', async () => {
    const checks = await checksOf(`${TWO}\ngpu 0 mig on\nmig 0 1 0 3 1000 10`, ON_BUS);
    expect(levels(checks)).toMatchObject({ mig: 'ok' });
  });

  test.each<[string, Readonly<Record<string, string | Uint8Array>>, object]>([
    ['a card dropped out of the driver', card('0000:99:00.0', 'nvidia'), { 'bus-dropped': 'fault' }],
    ['a card does not answer', card('0000:99:00.0', 'nvidia', new Uint8Array(64).fill(255)), { 'bus-dead': 'fault' }],
    ['a card has no driver', card('0000:99:00.0', null), { 'bus-unbound': 'fault' }],
    ['a card is run by nouveau', card('0000:99:00.0', 'nouveau'), { 'bus-other': 'warning' }],
    ['a card is given to a virtual machine', card('0000:99:00.0', 'vfio-pci'), {}],
    [
      'the audio function of a card stands beside it',
      { [`${PCI}/0000:10:00.1/vendor`]: '0x10de', [`${PCI}/0000:10:00.1/class`]: '0x040300' },
      {},
    ],
  ])('where %s', async (_, files, want) => {
    expect(await wrong(TWO, { ...ON_BUS, ...files })).toEqual(want);
  });

  test('where a card was taken off the bus', async () => {
    expect(await wrong(TWO, { ...LOADED, ...card('0000:10:00.0', 'nvidia') })).toEqual({ 'bus-gone': 'fault' });
  });

  test('in a container, cards of others are not missed', async () => {
    const files = { ...ON_BUS, ...card('0000:99:00.0', 'nvidia'), '.dockerenv': '' };
    expect(await wrong(TWO, files)).toEqual({});
  });
});

test('a machine without a driver says so, and ends with a fault', async () => {
  const options = { spec: 'nvml', nvmlLibrary: '/does/not/exist.so', timeZone: null, clock: systemClock };
  const checks = await examine(options, folder);
  areWorded(checks);
  expect(levels(checks)).toMatchObject({ driver: 'warning', nodes: 'warning', NVML_LIBRARY_NOT_FOUND: 'fault' });
});

test('a GPU of another maker does not miss a driver of NVIDIA', async () => {
  const amd = `${PCI}/0000:03:00.0`;
  tree(folder, { [`${amd}/vendor`]: '0x1002\n', [`${amd}/class`]: '0x030000\n', [`${amd}/device`]: '0x73bf\n' });
  const options = { spec: 'auto', nvmlLibrary: '/does/not/exist.so', timeZone: null, clock: systemClock };
  const found = levels(await examine(options, folder));
  expect(found).not.toHaveProperty('NVML_LIBRARY_NOT_FOUND');
  expect(found).toMatchObject({ DRM_DRIVER_NOT_BOUND: 'fault' });
});

describe('device files and containers', () => {
  function facts(machine: Partial<NvmlDiagnosis['machine']>): NvmlDiagnosis {
    const usual = {
      kernelDriver: '570.86.10',
      deviceNodes: ['nvidia0', 'nvidiactl'],
      isContainer: false,
      isWsl: false,
    };
    return { reason: null, library: null, places: [], machine: { ...usual, ...machine }, devices: [], notices: [] };
  }

  function wrong(
    machine: Partial<NvmlDiagnosis['machine']>,
    { env = {}, code = null }: { env?: NodeJS.ProcessEnv; code?: string | null } = {},
  ): object {
    const tryOpen = (): void => {
      if (code !== null) throw Object.assign(new Error(code), { code });
    };
    const checks = examineDriver(facts(machine), { env, root: folder, tryOpen });
    areWorded(checks);
    return levels(checks.filter(({ level }) => level !== 'ok'));
  }

  test('a container without the utility capability has no management library', () => {
    const inContainer = (value: string) => wrong({ isContainer: true }, { env: { NVIDIA_DRIVER_CAPABILITIES: value } });
    expect(inContainer('compute')).toEqual({ utility: 'fault' });
    for (const value of ['compute,utility', 'all', '']) expect(inContainer(value), value).toEqual({});
  });

  test('a container that lost its devices is told from a user who may not open them', () => {
    expect(wrong({ isContainer: true }, { code: 'EPERM' })).toEqual({ 'nodes-revoked': 'fault' });
    expect(wrong({}, { code: 'EACCES' })).toEqual({ 'nodes-denied': 'fault' });
    expect(wrong({}, { code: 'ENXIO' })).toEqual({ 'nodes-stale': 'fault' });
    expect(wrong({}, { code: 'EBUSY' })).toEqual({});
  });

  test('device files that the cards of the kernel should have are missed, but not in a container', () => {
    for (const [slot, minor] of [
      ['0000:10:00.0', 0],
      ['0000:11:00.0', 1],
    ]) {
      tree(folder, { [`proc/driver/nvidia/gpus/${slot}/information`]: `Model: \t X\nDevice Minor: \t ${minor}\n` });
    }
    expect(wrong({})).toEqual({ 'nodes-missing': 'fault' });
    expect(wrong({ deviceNodes: ['nvidia0', 'nvidia1', 'nvidiactl'] })).toEqual({});
    expect(wrong({ isContainer: true })).toEqual({});
  });

  test('WSL needs its device and its library', () => {
    const wsl = { isWsl: true, kernelDriver: null, deviceNodes: [] };
    expect(wrong(wsl)).toEqual({ 'wsl-dxg': 'fault', 'wsl-library': 'warning' });
    tree(folder, { 'dev/dxg': '', 'usr/lib/wsl/lib/libnvidia-ml.so.1': '' });
    expect(wrong(wsl)).toEqual({});
  });
});

describe('the kernel log', () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const boot = { bootId: 'boot', micros: () => 1000e6 };
  const devices = [testDevice(0, { pciBusId: '00000000:0A:00.0' })];

  async function checksOf(...messages: string[]): Promise<readonly Check[]> {
    const path = join(folder, 'kmsg');
    writeFileSync(path, messages.map((text, i) => `4,${i},${(i + 1) * 60e6},-;${text}\n`).join(''));
    const checks = await examineKernelLog({ clock, devices, path, boot });
    areWorded(checks);
    return checks;
  }

  test('without an Xid is fine', async () => {
    expect(levels(await checksOf('usb 1-1: new device'))).toEqual({ 'kernel-log': 'ok' });
  });

  test('with Xids tells each with its time, its meaning and what to do', async () => {
    const [program, lost] = await checksOf(
      'NVRM: Xid (PCI:0000:0a:00): 31, pid=13332, name=python, Ch 00000010, intr 0. MMU Fault',
      'NVRM: Xid (PCI:0000:0a:00): 79, pid=1, GPU has fallen off the bus.',
    );
    expect(program?.text('en')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ .*Xid 31/);
    expect([program?.level, lost?.level]).toEqual(['warning', 'fault']);
    expect(lost?.remedy('zh')).toMatch(/[\u4e00-\u9fff]/);
  });

  test('with very many names the newest, and says that there are more', async () => {
    const many = Array.from(
      { length: 25 },
      (_, i) => `NVRM: Xid (PCI:0000:0a:00): ${i % 2 === 0 ? 79 : 48}, pid=${i}, x${i}`,
    );
    const checks = await checksOf(...many);
    expect(checks.length).toBeLessThanOrEqual(11);
  });

  test('that may not be read is a warning with its reason', async () => {
    const checks = await examineKernelLog({ clock, devices, path: join(folder, 'none'), boot });
    for (const { level } of checks) expect(level).toBe('warning');
  });
});

describe('the machine', () => {
  test('its clock is kept by somebody, or it is not', () => {
    expect(levels(examineClock(false, folder))).toEqual({ clock: 'warning' });
    expect(examineClock(true, folder)).toEqual([]);
    tree(folder, { 'proc/77/comm': 'chronyd\n', 'proc/78/comm': 'bash\n' });
    const [kept] = examineClock(false, folder);
    expect([kept?.level, kept?.text('en')]).toEqual(['ok', 'the clock is kept by chronyd']);
    tree(folder, { 'run/systemd/timesync/synchronized': '' });
    expect(examineClock(false, folder)[0]?.text('en')).toBe('the clock is synchronised');
  });

  test('room for the history', () => {
    const level = (bytes: number): string => examineRoom(bytes, '/x').level;
    expect([level(5e9), level(5e8), level(1e6)]).toEqual(['ok', 'warning', 'fault']);
    areWorded([examineRoom(5e9, '/x'), examineRoom(1e6, '/x')]);
  });

  test('the history directory need not be there yet, but must not be a file', () => {
    expect(levels(examineDataDirectory(join(folder, 'not', 'yet')))).toMatchObject({ data: 'ok' });
    tree(folder, { file: 'x' });
    expect(levels(examineDataDirectory(join(folder, 'file', 'below')))).toMatchObject({ data: 'fault' });
  });
});
