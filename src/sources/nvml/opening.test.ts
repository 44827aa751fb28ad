import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppError } from '../../model/errors.ts';
import { ManualClock } from '../../model/manual-clock.ts';
import { diagnoseNvml } from './diagnosis.ts';
import { FakeDriver, HAS_FAKE_DRIVER } from './fake-driver.ts';
import { startMachine, stopMachines } from './fake-machine.ts';
import { openNvml } from './nvml-source.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-opening-'));
});

afterEach(async () => {
  await stopMachines();
  rmSync(folder, { recursive: true, force: true });
});

/** A root folder with the given files and nothing of the machine that runs the tests. */
function rootWith(files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function reasonOf(library: string | undefined, root = folder): Promise<AppError> {
  const probe = await openNvml({ clock: new ManualClock(), root, ...(library === undefined ? {} : { library }) });
  if (probe.ok) {
    await probe.source.close();
    throw new Error('the probe was not refused');
  }
  return probe.reason;
}

/** Where the machine that runs the tests has a driver, the search would find its library. */
const HAS_DRIVER = existsSync('/proc/driver/nvidia/version');

describe.skipIf(HAS_DRIVER)('without a driver', () => {
  test('the library is looked for by its soname and in the usual places, which the refusal names', async () => {
    const reason = await reasonOf(undefined);
    expect(reason).toMatchObject({ code: 'NVML_LIBRARY_NOT_FOUND', params: { library: 'libnvidia-ml.so.1' } });
    expect(reason.params['places']).toMatch(/^ld\.so, .*\/usr\/lib\/wsl\/lib, .*gke|kubernetes/);
  });

  test('a file that is named and not there is named in the refusal', async () => {
    const path = join(folder, 'libnvidia-ml.so.1');
    expect(await reasonOf(path)).toMatchObject({ code: 'NVML_LIBRARY_NOT_FOUND', params: { library: path } });
  });

  test.each([
    ['a text file', (path: string) => writeFileSync(path, 'hello')],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('%s cannot be loaded, and the refusal says why', async (_, make) => {
    const path = join(folder, 'libnvidia-ml.so.1');
    make(path);
    const reason = await reasonOf(path);
    expect(reason).toMatchObject({ code: 'NVML_LIBRARY_UNUSABLE', params: { library: path } });
    expect(reason.params['detail']).not.toBe('');
  });

  test('in a container without devices that is the reason', async () => {
    const root = rootWith({ '.dockerenv': '', 'proc/driver/nvidia/version': HOST_DRIVER });
    expect(await reasonOf(undefined, root)).toMatchObject({
      code: 'NVML_CONTAINER_WITHOUT_DEVICES',
      params: { version: '590.48.01' },
    });
  });

  test('a container on a host without the driver is not to blame', async () => {
    const root = rootWith({ '.dockerenv': '', 'proc/version': 'Linux version 6.1' });
    expect((await reasonOf(undefined, root)).code).toBe('NVML_LIBRARY_NOT_FOUND');
  });

  test('under WSL the missing devices are no reason', async () => {
    const root = rootWith({ '.dockerenv': '', 'proc/version': 'Linux version 5.15-microsoft-standard-WSL2' });
    expect((await reasonOf(undefined, root)).code).toBe('NVML_LIBRARY_NOT_FOUND');
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('with a driver that refuses', () => {
  test.each([
    ['init 9', 'NVML_DRIVER_NOT_LOADED'],
    ['init 18', 'NVML_VERSION_MISMATCH'],
    ['init 4', 'NVML_NO_PERMISSION'],
    ['init 999', 'NVML_INIT_FAILED'],
    ['gpus 0', 'NVML_NO_DEVICES'],
    ['fail nvmlDeviceGetCount_v2 999', 'NVML_INIT_FAILED'],
  ])('%s is %s', async (script, code) => {
    await expect(startMachine({ script })).rejects.toMatchObject({ code });
  });

  test.each(['init 13', 'fail nvmlDeviceGetCount_v2 13'])('%s is an answer, not a missing symbol', async (script) => {
    await expect(startMachine({ script })).rejects.toMatchObject({ code: 'NVML_INIT_FAILED', params: { code: 13 } });
  });

  test('an unknown code is told with the driver’s own words', async () => {
    await expect(startMachine({ script: 'init 999' })).rejects.toMatchObject({
      params: { code: 999, detail: 'Unknown Error' },
    });
  });

  test('a library of something else is unusable', async () => {
    await expect(startMachine({ without: ['nvmlInit_v2', 'nvmlInit'] })).rejects.toMatchObject({
      code: 'NVML_LIBRARY_UNUSABLE',
    });
  });

  test('in a container without devices, that is the reason whatever the library says', async () => {
    const driver = new FakeDriver({ script: 'init 9' });
    const root = rootWith({ 'run/.containerenv': '', 'proc/driver/nvidia/version': HOST_DRIVER });
    expect((await reasonOf(driver.library, root)).code).toBe('NVML_CONTAINER_WITHOUT_DEVICES');
    driver.dispose();
  });

  test('a stub of the CUDA toolkit is refused', async () => {
    const driver = new FakeDriver();
    mkdirSync(join(folder, 'stubs'));
    const stub = join(folder, 'stubs', 'libnvidia-ml.so.1');
    copyFileSync(driver.library, stub);
    const reason = await reasonOf(stub);
    expect(reason).toMatchObject({ code: 'NVML_LIBRARY_UNUSABLE' });
    expect(reason.params['detail']).toMatch(/stub/);
    driver.dispose();
  });
});

const HOST_DRIVER = 'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  590.48.01  Release Build\n';

describe('diagnosis', () => {
  test.skipIf(HAS_DRIVER)('of a machine without a driver tells the reason and what there is', async () => {
    const root = rootWith({
      'dev/nvidiactl': '',
      'dev/nvidia0': '',
      'dev/null': '',
      'proc/driver/nvidia/version':
        'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build\nGCC version: 12.2.0',
    });
    const found = await diagnoseNvml({ clock: new ManualClock(), root });
    expect(found.reason?.code).toBe('NVML_LIBRARY_NOT_FOUND');
    expect(found).toMatchObject({
      library: null,
      devices: [],
      machine: {
        kernelDriver: '570.86.10',
        deviceNodes: ['nvidia0', 'nvidiactl'],
        isContainer: false,
        isWsl: false,
      },
    });
    expect(found.places[0]).toMatch(/libnvidia-ml\.so\.1/);
  });

  test.skipIf(!HAS_FAKE_DRIVER)('of a machine with a lost card shows the card', async () => {
    const driver = new FakeDriver({ script: 'gpus 2\ngpu 1 handle 15' });
    const found = await diagnoseNvml({ clock: new ManualClock(), library: driver.library, root: driver.root });
    expect(found.reason).toBeNull();
    expect(found.library).toBe(driver.library);
    expect(found.devices.map(({ device, state }) => `${device.index} ${state}`)).toEqual(['0 ok', '1 lost']);
    driver.dispose();
  });
});

/** Prints which library the search finds, in a process of its own: the loader reads LD_LIBRARY_PATH when it starts. */
const SEARCH = `
  const { systemClock } = await import('../../model/clock.ts');
  const { diagnoseNvml } = await import('./diagnosis.ts');
  const { library, reason, devices } = await diagnoseNvml({ clock: systemClock, root: process.argv[1] });
  console.log(JSON.stringify({ library, code: reason?.code ?? null, devices: devices.length }));
`;

describe.skipIf(!HAS_FAKE_DRIVER || HAS_DRIVER)('the search for the library', () => {
  function search(libraryPath: string): unknown {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', SEARCH, '--', folder], {
      cwd: import.meta.dirname,
      env: { ...process.env, LD_LIBRARY_PATH: libraryPath },
      encoding: 'utf8',
    });
    return JSON.parse(stdout);
  }

  test('follows LD_LIBRARY_PATH, and tells the file that was mapped', () => {
    const driver = new FakeDriver({ script: 'gpus 5' });
    expect(search(join(driver.library, '..'))).toEqual({ library: driver.library, code: null, devices: 5 });
    driver.dispose();
  });

  test('passes by a stub that the loader would take', () => {
    const driver = new FakeDriver();
    const stubs = join(folder, 'stubs');
    mkdirSync(stubs);
    copyFileSync(driver.library, join(stubs, 'libnvidia-ml.so.1'));
    expect(search(stubs)).toEqual({ library: null, code: 'NVML_LIBRARY_UNUSABLE', devices: 0 });
    driver.dispose();
  });
});
