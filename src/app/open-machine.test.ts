import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../model/clock.ts';
import { AppError } from '../model/errors.ts';
import type { Probe } from '../model/ports.ts';
import { ScriptedSource, testDevice, testSample } from '../model/scripted-source.ts';
import { FakeTree } from '../sources/drm/fake-tree.ts';
import { openMachine } from './open-machine.ts';

const NO_LIBRARY = new AppError('NVML_LIBRARY_NOT_FOUND', { library: 'x', places: 'y' });
const MISMATCH = new AppError('NVML_VERSION_MISMATCH', { library: 'x' });

let tree: FakeTree;
let probe: Probe | null = null;

afterEach(async () => {
  if (probe?.ok === true) await probe.source.close();
  tree.dispose();
});

async function open(nvml: AppError | 'two GPUs'): Promise<Probe> {
  probe = await openMachine({ clock: systemClock, root: tree.root, openNvml: () => Promise.resolve(nvidia(nvml)) });
  return probe;
}

function nvidia(nvml: AppError | 'two GPUs'): Probe {
  if (nvml !== 'two GPUs') return { ok: false, reason: nvml };
  const known = [testDevice(0), testDevice(1)];
  const tick = (at: number) => ({ at, monotonic: 0, devices: known.map((device) => testSample(device)), events: [] });
  return { ok: true, source: new ScriptedSource('live', known, (at) => Promise.resolve(tick(at))) };
}

function plant(...trees: string[]): void {
  tree = new FakeTree(...trees);
}

/** A card that only its place on the bus tells of. */
function addToBus(slot: string, vendor: string): void {
  tree.write(`sys/bus/pci/devices/${slot}/vendor`, vendor);
  tree.write(`sys/bus/pci/devices/${slot}/class`, '0x030000');
}

describe('every GPU of a machine, whoever made it', () => {
  test('NVIDIA first, then AMD, then Intel', async () => {
    plant('mi210-pair');
    tree.write('sys/class/drm/card9/device/vendor', '0x8086');
    const opened = await open('two GPUs');
    if (!opened.ok) throw opened.reason;
    const tick = await opened.source.sample(5);
    expect(opened.source.name).toBe('scripted+amdgpu+intel');
    expect(tick?.devices.map(({ device }) => `${device.index} ${device.vendor}`)).toEqual([
      '0 nvidia',
      '1 nvidia',
      '2 amd',
      '3 amd',
      '4 intel',
    ]);
    expect(opened.source.topology?.()).toHaveLength(2);
  });

  test('a single maker is its own source', async () => {
    plant('uhd-770');
    expect(await open(NO_LIBRARY)).toMatchObject({ ok: true, source: { name: 'intel' } });
    expect(probe?.ok === true && probe.source.notices()).toEqual([]);
  });
});

describe('what cannot be read though it is there', () => {
  test('is told beside what can', async () => {
    plant('uhd-770');
    addToBus('0000:01:00.0', '0x10de');
    const opened = await open(MISMATCH);
    if (!opened.ok) throw opened.reason;
    const params = { name: 'nvml', code: 'NVML_VERSION_MISMATCH' };
    expect(opened.source.notices()).toEqual([{ key: 'notice.source-missing', params }]);
  });

  test('is only a remark where nobody asked for it to be read', async () => {
    plant('uhd-770');
    addToBus('0000:01:00.0', '0x10de');
    const opened = await open(NO_LIBRARY);
    expect(opened.ok && opened.source.notices()).toMatchObject([{ isRemark: true }]);
  });
});

describe('a machine without a GPU that can be read', () => {
  test('says what NVIDIA says', async () => {
    plant();
    expect(await open(NO_LIBRARY)).toEqual({ ok: false, reason: NO_LIBRARY });
  });

  test('names the GPU of another maker that no driver runs', async () => {
    plant();
    addToBus('0000:03:00.0', '0x1002');
    expect(await open(NO_LIBRARY)).toMatchObject({ ok: false, reason: { code: 'DRM_DRIVER_NOT_BOUND' } });
    addToBus('0000:01:00.0', '0x10de');
    expect(await open(MISMATCH)).toEqual({ ok: false, reason: MISMATCH });
  });
});
