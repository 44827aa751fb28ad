import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../model/manual-clock.ts';
import type { GpuProcess } from '../model/process.ts';
import { testDevice, testSample } from '../model/scripted-source.ts';
import type { DeviceSample } from '../model/tick.ts';
import { HostOwners } from './host-owners.ts';
import { TestKubelet } from './pods/test-kubelet.ts';
import { TestProcfs } from './process/test-procfs.ts';

const ID = 'b15a5bdedd2e7645c3be271364324321b908314e4c77857bbfd32a041148c07f';
const UID = 'fd52ef25-a87d-11e9-9423-0800271a638e';
const UID2 = '22949dce-fd8b-11ea-8ede-98f2b32c645c';
const GPU = testDevice(0, { uuid: 'GPU-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0' });
const GPU2 = testDevice(1, { uuid: 'GPU-11111111-2222-3333-4444-555555555555' });

let folder: string;
let proc: TestProcfs;
let clock: ManualClock;
let owners: HostOwners;
let engine: Server | null;
let kubelet: TestKubelet | null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-owners-'));
  proc = new TestProcfs(join(folder, 'proc'));
  clock = new ManualClock();
  engine = null;
  kubelet = null;
  owners = new HostOwners(clock, {
    proc: proc.root,
    passwd: proc.passwd,
    engines: [{ engine: 'docker', socket: join(folder, 'docker.sock') }],
    kubelets: [join(folder, 'kubelet.sock')],
    logs: join(folder, 'log'),
  });
});

afterEach(() => {
  owners.close();
  engine?.closeAllConnections();
  engine?.close();
  kubelet?.stop();
  rmSync(folder, { recursive: true });
});

function work(pid: number, facts: Partial<GpuProcess> = {}): GpuProcess {
  return { pid, kind: 'compute', memoryBytes: 1 << 30, name: null, user: null, ...facts };
}

const pod = (uid: string, id: string): string => `0::/kubepods/burstable/pod${uid}/${id}\n`;

/** One tick of these samples, once everything that can be known is: the clock stands still, so that nothing times out. */
async function tick(...samples: DeviceSample[]): Promise<DeviceSample[]> {
  await owners.prepare(samples);
  // What is learnt in one round may be asked for in the next.
  for (let round = 0; round < 3; round++) {
    for (const sample of samples) owners.complete(sample);
    await owners.settled(1);
  }
  return samples.map((sample) => owners.complete(sample));
}

const on = (device = GPU, ...processes: GpuProcess[]): DeviceSample => testSample(device, { processes });

function processesOf(sample: DeviceSample | undefined): readonly GpuProcess[] {
  return sample === undefined || 'absent' in sample.processes ? [] : sample.processes;
}

test('a process has its name, command line, user, times, memory and owner', async () => {
  proc.add(42, { argv: ['/usr/bin/python3', 'train.py'], cgroup: '0::/system.slice/jupyter@li.service\n', start: 500 });
  const [sample] = await tick(on(GPU, work(42)));
  expect(processesOf(sample)).toEqual([
    {
      ...work(42),
      name: 'python3',
      user: 'zhang',
      command: '/usr/bin/python3 train.py',
      startedAt: 1_700_000_005_000,
      cpuRatio: { absent: 'not-collected' },
      hostMemoryBytes: 40_960,
      owner: { container: null, pod: null, job: null, unit: 'jupyter@li.service' },
    },
  ]);
});

test('what the source knows itself stays', async () => {
  proc.add(42);
  const [sample] = await tick(on(GPU, work(42, { name: 'own', user: 'me', cpuRatio: 0.5 })));
  expect(processesOf(sample)[0]).toMatchObject({ name: 'own', user: 'me', cpuRatio: 0.5, command: 'python3' });
});

test('a process that is gone has no owner, one that works for nobody has an empty one', async () => {
  proc.add(42);
  const [sample] = await tick(on(GPU, work(42), work(43)));
  expect(processesOf(sample).map(({ owner }) => owner)).toEqual([
    { container: null, pod: null, job: null, unit: null },
    null,
  ]);
});

test('a Slurm job has its user by the cgroup, or by the process', async () => {
  proc.add(42, { uid: 0, cgroup: '4:memory:/slurm/uid_1000/job_7/step_0\n' });
  proc.add(43, { cgroup: '0::/system.slice/slurmstepd.scope/job_8/step_batch/user/task_0\n' });
  const [sample] = await tick(on(GPU, work(42), work(43)));
  expect(processesOf(sample).map(({ owner }) => owner?.job)).toEqual([
    { scheduler: 'slurm', id: '7', step: '0', user: 'zhang' },
    { scheduler: 'slurm', id: '8', step: 'batch', user: 'zhang' },
  ]);
});

test('a container is named once its engine has answered, and a bare id is known by whose it is', async () => {
  engine = createServer((request, response) => {
    const container = {
      Id: request.url?.split('/')[2],
      Name: '/train',
      Config: { Image: 'pytorch:2', Labels: { a: 'b' } },
    };
    response.end(JSON.stringify(container));
  });
  await new Promise<void>((resolve) => engine?.listen(join(folder, 'docker.sock'), resolve));
  proc.add(42, { cgroup: `0::/my-parent/${ID}\n` });
  const sample = on(GPU, work(42));
  void owners.prepare([sample]);
  const unnamed = { id: ID, runtime: 'unknown', name: null, image: null, labels: {} };
  expect(processesOf(owners.complete(sample))[0]?.owner?.container).toEqual(unnamed);
  const [named] = await tick(sample);
  const container = { id: ID, runtime: 'docker', name: 'train', image: 'pytorch:2', labels: { a: 'b' } };
  expect(processesOf(named)[0]?.owner?.container).toEqual(container);
});

describe('with a kubelet', () => {
  beforeEach(async () => {
    kubelet = await TestKubelet.start(join(folder, 'kubelet.sock'));
  });

  test('the only pod of a GPU is that of its processes, and idle GPUs show theirs', async () => {
    kubelet!.containers = [
      { pod: 'train-0', namespace: 'ml', container: 'main', devices: { 'nvidia.com/gpu': [GPU.uuid] } },
      { pod: 'idle', namespace: 'ml', container: 'main', devices: { 'nvidia.com/gpu': [GPU2.uuid] } },
    ];
    proc.add(42, { cgroup: pod(UID, ID) });
    const [busy, idle] = await tick(on(GPU, work(42)), on(GPU2));
    expect(processesOf(busy)[0]?.owner?.pod).toEqual({ uid: UID, namespace: 'ml', name: 'train-0', container: 'main' });
    expect(busy?.allotted).toEqual([{ uid: null, namespace: 'ml', name: 'train-0', container: 'main' }]);
    expect(idle?.allotted).toEqual([{ uid: null, namespace: 'ml', name: 'idle', container: 'main' }]);
    expect(owners.lacks()).toEqual([]);
  });

  test('pods that share a GPU are told apart by UID only, which is said', async () => {
    kubelet!.containers = [
      { pod: 'a', devices: { 'nvidia.com/gpu': [`${GPU.uuid}::0`] } },
      { pod: 'b', devices: { 'nvidia.com/gpu': [`${GPU.uuid}::1`] } },
    ];
    proc.add(42, { cgroup: pod(UID, ID) });
    proc.add(43, { cgroup: pod(UID2, ID.replace('b', 'c')) });
    const [sample] = await tick(on(GPU, work(42), work(43)));
    expect(processesOf(sample).map(({ owner }) => [owner?.pod?.uid, owner?.pod?.name])).toEqual([
      [UID, null],
      [UID2, null],
    ]);
    expect(sample?.allotted?.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(owners.lacks()).toEqual([{ key: 'notice.owners-several-pods', params: { index: 0 }, isRemark: true }]);
  });

  test('a process of the next pod is not given the name of the one before', async () => {
    kubelet!.containers = [{ pod: 'old', devices: { 'nvidia.com/gpu': [GPU.uuid] } }];
    await tick(on(GPU));
    await clock.advance(5000);
    proc.add(42, { cgroup: pod(UID, ID) });
    kubelet!.containers = [{ pod: 'new', devices: { 'nvidia.com/gpu': [GPU.uuid] } }];
    const [early] = await tick(on(GPU, work(42)));
    expect(processesOf(early)[0]?.owner?.pod).toMatchObject({ uid: UID, name: null });
    await clock.advance(5000);
    const [late] = await tick(on(GPU, work(42)));
    expect(processesOf(late)[0]?.owner?.pod).toMatchObject({ uid: UID, name: 'new' });
  });

  test('a MIG instance is found by the number of its card', async () => {
    const slice = testDevice(0, {
      uuid: 'MIG-1',
      minor: null,
      mig: { parent: GPU.uuid, gpuInstance: 5, computeInstance: 0, profile: null },
    });
    kubelet!.containers = [{ pod: 'a', devices: { 'nvidia.com/mig-3g.40gb': ['nvidia0/gi5'] } }];
    const samples = await tick(on(GPU), on(slice));
    expect(samples.map(({ allotted }) => allotted?.map(({ name }) => name))).toEqual([[], ['a']]);
  });
});

describe('what is lacking is said', () => {
  const keys = (): string[] => owners.lacks().map(({ key }) => key.replace('notice.owners-', ''));
  const restart = (): void => {
    owners = new HostOwners(clock, { proc: proc.root, passwd: proc.passwd, engines: [], kubelets: [], logs: folder });
  };

  test('nothing, where everything needed is there', async () => {
    proc.add(42, { cgroup: `0::/docker/${ID}\n` });
    await tick(on(GPU, work(42)));
    expect(keys()).toEqual([]);
  });

  test('nothing for a process that is merely gone', async () => {
    await tick(on(GPU, work(43)));
    expect(keys()).toEqual([]);
  });

  test('a pid namespace of its own', async () => {
    proc.enterNamespace('pid', 4_026_532_222);
    restart();
    expect(keys()).toEqual([]);
    proc.add(42);
    const [sample] = await tick(on(GPU, work(42)));
    expect(processesOf(sample)[0]).toMatchObject({ name: null, owner: null });
    expect(keys()).toEqual(['pid-namespace']);
  });

  test('processes hidden by the mount', async () => {
    proc.remove(1);
    await tick(on(GPU, work(42)));
    expect(keys()).toEqual(['hidden-processes']);
  });

  test('a cgroup namespace of its own, and pods without a kubelet', async () => {
    proc.add(42, { cgroup: '0::/../..\n' });
    proc.add(43, { cgroup: `0::/../../pod${UID}/${ID}\n` });
    await tick(on(GPU, work(42), work(43)));
    expect(keys()).toEqual(['cgroup-namespace', 'no-kubelet']);
  });

  test('a lack ends with the processes that show it', async () => {
    proc.add(42, { cgroup: '0::/../..\n' });
    await tick(on(GPU, work(42)));
    await tick(on(GPU));
    expect(keys()).toEqual([]);
  });
});

test('a device that is gone takes with it what is said of it', async () => {
  proc.add(42, { cgroup: '0::/../..\n' });
  await tick(on(GPU, work(42)), on(GPU2));
  expect(owners.lacks()).toHaveLength(1);
  await tick(on(GPU2));
  expect(owners.lacks()).toEqual([]);
});

describe('a tick in which nothing changed', () => {
  test('has the same array of processes as the one before', async () => {
    proc.add(42);
    proc.add(43);
    const [before] = await tick(on(GPU, work(42), work(43)));
    await clock.advance(1000);
    const [after] = await tick(on(GPU, work(42), work(43)));
    expect(after?.processes).toBe(before?.processes);
  });

  test('keeps the processes that did not change', async () => {
    proc.add(42);
    proc.add(43);
    const [before] = await tick(on(GPU, work(42), work(43)));
    const [after] = await tick(on(GPU, work(42), work(43, { memoryBytes: 5 })));
    expect(processesOf(after)[0]).toBe(processesOf(before)[0]);
    expect(processesOf(after)[1]?.memoryBytes).toBe(5);
  });

  test('is the very sample where there is nothing to add', () => {
    const idle = on(GPU);
    const silent = testSample(GPU2);
    expect([owners.complete(idle), owners.complete(silent)]).toEqual([idle, silent]);
    expect(owners.complete(idle)).toBe(idle);
  });
});
