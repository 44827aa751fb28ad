import { afterEach, describe, expect, test } from 'vitest';
import type { GpuProcess } from '../../model/process.ts';
import { type FakeDriverOptions, HAS_FAKE_DRIVER } from './fake-driver.ts';
import { startMachine, stopMachines } from './fake-machine.ts';
import { hasProcessTrap } from './processes.ts';

afterEach(stopMachines);

/** `42 compute 1024` for every process of GPU 0, or the reason why there is no list. */
async function list(script: string, options: FakeDriverOptions = {}): Promise<string[] | string> {
  const machine = await startMachine({ ...options, script: `gpus 2\n${script}` });
  return words((await machine.sample()).processes);
}

function words(processes: readonly GpuProcess[] | { absent: string }): string[] | string {
  if ('absent' in processes) return processes.absent;
  return processes.map(({ pid, kind, memoryBytes }) => {
    const memory = typeof memoryBytes === 'number' ? memoryBytes : memoryBytes.absent;
    return `${pid} ${kind} ${memory}`;
  });
}

describe.skipIf(!HAS_FAKE_DRIVER)('processes', () => {
  test('are told by kind; one in both lists is one process, clients of MPS compute', async () => {
    const script = [
      'process 0 pid 10 memory 1024 kind compute',
      'process 0 pid 11 memory 2048 kind graphics',
      'process 0 pid 12 memory 4096 kind both',
      'process 0 pid 13 memory 8192 kind mps',
      'process 1 pid 10 memory 5 kind compute',
    ].join('\n');
    const machine = await startMachine({ script: `gpus 2\n${script}` });
    const { devices } = await machine.tick();
    expect(words(devices[0]!.processes)).toEqual([
      '10 compute 1024',
      '12 compute+graphics 4096',
      '11 graphics 2048',
      '13 compute 8192',
    ]);
    expect(words(devices[1]!.processes)).toEqual(['10 compute 5']);
    expect(devices[0]?.processes).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: null, user: null })]),
    );
  });

  test('no process is an empty list, not an absent one', async () => {
    expect(await list('')).toEqual([]);
    expect(await list('fail nvmlDeviceGetComputeRunningProcesses_v3 6')).toEqual([]);
  });

  test('memory that the driver does not know is not supported; other nonsense is an error', async () => {
    const script = [
      'process 0 pid 1 memory 18446744073709551615 kind compute',
      'process 0 pid 2 memory 9223372036854775794 kind compute',
      'process 0 pid 3 memory 0 kind compute',
    ].join('\n');
    expect(await list(script)).toEqual(['1 compute not-supported', '2 compute error', '3 compute 0']);
  });

  test('a process in two MIG instances has the memory of both', async () => {
    const script =
      'process 0 pid 9 memory 100 kind compute instance 1\nprocess 0 pid 9 memory 30 kind compute instance 2';
    expect(await list(script)).toEqual(['9 compute 130']);
  });

  const COMPUTE = 'nvmlDeviceGetComputeRunningProcesses';
  const GRAPHICS = 'nvmlDeviceGetGraphicsRunningProcesses';
  const MPS = 'nvmlDeviceGetMPSComputeRunningProcesses';
  const TWO = 'process 0 pid 21 memory 77 kind both\nprocess 0 pid 22 memory 88 kind compute';
  const WANT = ['21 compute+graphics 77', '22 compute 88'];

  test.each([
    ['v3', {}],
    ['v2', { without: [`${COMPUTE}_v3`, `${GRAPHICS}_v3`, `${MPS}_v3`] }],
    ['v1', { variant: 'old' }],
    ['v3 for one list, v1 for the other', { without: [`${GRAPHICS}_v3`, `${GRAPHICS}_v2`] }],
  ] as const)('are read with the entry size of %s', async (_, options) => {
    expect(await list(TWO, options)).toEqual(WANT);
  });

  test('of the drivers that wrote longer entries from the v3 calls are read by the v2 calls', async () => {
    const machine = await startMachine({ script: `driver 535.54.03\n${TWO}` });
    expect(words((await machine.sample()).processes)).toEqual(WANT);
    expect(machine.driver.calls(`${COMPUTE}_v3`)).toBe(0);
  });

  test.each([
    ['535.43.02', true],
    ['535.54.03', true],
    ['535.86.10', true],
    ['535.98', true],
    ['535.104.05', false],
    ['535.42', false],
    ['530.54', false],
    ['570.86.10', false],
    [null, false],
  ])('driver %s is one of them: %s', (version, want) => expect(hasProcessTrap(version)).toBe(want));

  test.each([
    [`fail ${COMPUTE}_v3 4`, 'no-permission'],
    [`fail ${COMPUTE}_v3 999`, 'error'],
    [`fail ${COMPUTE}_v3 3\nfail ${GRAPHICS}_v3 3`, 'not-supported'],
  ])('%s: the list is absent, since an empty one would say that nobody is there', async (script, want) => {
    expect(await list(`${TWO}\n${script}`)).toBe(want);
  });

  test('a graphics list that fails leaves the compute list', async () => {
    expect(await list(`${TWO}\nfail ${GRAPHICS}_v3 999`)).toEqual(['21 compute 77', '22 compute 88']);
  });

  test('a device without a compute list has its graphics list', async () => {
    expect(await list(`${TWO}\nfail ${COMPUTE}_v3 3`)).toEqual(['21 graphics 77']);
  });

  test('more than fit into the first buffer are all there', async () => {
    const machine = await startMachine({ script: 'gpus 2\nprocesses 0 1500\nprocesses 1 70' });
    for (let round = 0; round < 2; round++) {
      const { devices } = await machine.tick();
      const [first, second] = devices.map(({ processes }) => words(processes));
      expect(first).toHaveLength(1500);
      expect(new Set(first).size).toBe(1500);
      expect(second).toHaveLength(70);
      expect(second?.[69]).toBe('20069 compute 1048576');
    }
  });

  test('that come while they are being counted are waited for', async () => {
    const machine = await startMachine({ script: 'gpus 1\nprocesses 0 64\ngpu 0 growing 20' });
    const { processes } = await machine.sample();
    expect('length' in processes && processes.length).toBeGreaterThan(84);
  });
});
