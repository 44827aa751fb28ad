import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import { ManualClock } from '../../model/manual-clock.ts';
import { testDevice } from '../../model/scripted-source.ts';
import { Background } from '../background.ts';
import { PodBook } from './pod-book.ts';
import { type TestContainer, TestKubelet } from './test-kubelet.ts';

const A = 'GPU-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0';
const B = 'GPU-11111111-2222-3333-4444-555555555555';
const cardA = testDevice(0, { uuid: A });
const cardB = testDevice(1, { uuid: B });

let folder: string;
let socket: string;
let clock: ManualClock;
let background: Background;
let book: PodBook;
let kubelets: TestKubelet[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-kubelet-'));
  socket = join(folder, 'kubelet.sock');
  clock = new ManualClock();
  background = new Background();
  book = new PodBook({ clock, background, sockets: [join(folder, 'none.sock'), socket], timeoutMs: 500 });
  kubelets = [];
});

afterEach(() => {
  book.close();
  for (const kubelet of kubelets) kubelet.stop();
  rmSync(folder, { recursive: true });
});

async function kubelet(containers: readonly TestContainer[], versions?: readonly string[]): Promise<TestKubelet> {
  const started = await TestKubelet.start(socket, versions);
  started.containers = containers;
  kubelets.push(started);
  return started;
}

/** One poll, waited for by the real clock. */
async function poll(): Promise<void> {
  book.refresh();
  await background.settled(systemClock, 5000);
}

const pods = (device = cardA): string[] | undefined =>
  book.of(device, undefined)?.map(({ namespace, name, container }) => `${namespace}/${name}/${container}`);

test('tells which pods have a device, whatever the resource is called', async () => {
  await kubelet([
    { pod: 'train-0', namespace: 'ml', devices: { 'nvidia.com/gpu': [A] } },
    {
      pod: 'infer-1',
      container: 'server',
      devices: { 'example.com/shared-card': [`${B}::0`], 'rdma/hca': ['0000:65:00.0'] },
    },
    { pod: 'infer-2', devices: { 'nvidia.com/gpu.shared': [`${B}::1`] } },
    { pod: 'web' },
  ]);
  book.refresh();
  expect(pods()).toBeUndefined();
  await background.settled(systemClock, 5000);
  expect(pods(cardA)).toEqual(['ml/train-0/main']);
  expect(pods(cardB)).toEqual(['default/infer-1/server', 'default/infer-2/main']);
  expect(book.of(cardA, undefined)?.[0]).toEqual({ uid: null, namespace: 'ml', name: 'train-0', container: 'main' });
  expect(book.failure).toBeNull();
});

test('devices of a claim are found by the UUID in their names', async () => {
  await kubelet([{ pod: 'claimer', claimed: [`k8s.gpu.nvidia.com/device=${A}`] }]);
  await poll();
  expect(pods()).toEqual(['default/claimer/main']);
});

test('a device nobody has is allotted to nobody, which is known', async () => {
  await kubelet([]);
  await poll();
  expect(pods()).toEqual([]);
});

test('without a kubelet nothing is known and nothing failed', async () => {
  await poll();
  expect([pods(), book.failure, book.askedAt]).toEqual([undefined, null, null]);
});

test('an old kubelet has only v1alpha1, which is remembered', async () => {
  const old = await kubelet([{ pod: 'p', devices: { 'nvidia.com/gpu': [A] } }], ['v1alpha1']);
  await poll();
  expect(pods()).toEqual(['default/p/main']);
  await clock.advance(10_000);
  await poll();
  expect(old.calls).toEqual(['v1alpha1', 'v1alpha1']);
});

test('a kubelet without the service is a failure that is told', async () => {
  await kubelet([], ['v9']);
  await poll();
  expect(pods()).toBeUndefined();
  expect(book.failure).toMatchObject({ socket, detail: expect.stringContaining('UNIMPLEMENTED') });
});

test('nonsense is a failure that is told', async () => {
  (await kubelet([])).talkNonsense();
  await poll();
  expect(pods()).toBeUndefined();
  expect(book.failure?.socket).toBe(socket);
});

test('a message of more than 4 MiB is taken', async () => {
  const many = Array.from({ length: 400 }, (_, i) => ({
    pod: `pod-${i}`,
    cpus: 8000,
    devices: { 'nvidia.com/gpu': [`${A}::${i}`] },
  }));
  await kubelet(many);
  await poll();
  expect(book.failure).toBeNull();
  expect(pods()).toHaveLength(400);
});

test('asks every ten seconds, and not again while it waits', async () => {
  const slow = await kubelet([]);
  slow.delayMs = 100;
  book.refresh();
  book.refresh();
  await background.settled(systemClock, 5000);
  await clock.advance(9000);
  await poll();
  expect(slow.calls).toHaveLength(1);
  await clock.advance(1000);
  await poll();
  expect(slow.calls).toHaveLength(2);
});

test('gives up on a kubelet that does not answer, and keeps what it knew for a minute', async () => {
  const stuck = await kubelet([{ pod: 'p', devices: { 'nvidia.com/gpu': [A] } }]);
  await poll();
  stuck.delayMs = Number.POSITIVE_INFINITY;
  await clock.advance(10_000);
  const started = performance.now();
  await poll();
  expect(performance.now() - started).toBeLessThan(3000);
  expect(book.failure?.detail).toContain('DEADLINE_EXCEEDED');
  expect(pods()).toEqual(['default/p/main']);
  await clock.advance(51_000);
  expect(pods()).toBeUndefined();
});

test('a kubelet that was restarted is asked again', async () => {
  const first = await kubelet([{ pod: 'old', devices: { 'nvidia.com/gpu': [A] } }]);
  await poll();
  first.stop();
  rmSync(socket, { force: true });
  await clock.advance(10_000);
  await poll();
  expect(pods()).toEqual(['default/old/main']);
  await kubelet([{ pod: 'new', devices: { 'nvidia.com/gpu': [A] } }]);
  await expect
    .poll(
      async () => {
        await clock.advance(10_000);
        await poll();
        return pods();
      },
      { timeout: 10_000, interval: 200 },
    )
    .toEqual(['default/new/main']);
});

test('the same list is the same object, so that nothing downstream changes', async () => {
  const one = await kubelet([{ pod: 'p', devices: { 'nvidia.com/gpu': [A] } }]);
  await poll();
  const before = book.of(cardA, undefined);
  await clock.advance(10_000);
  await poll();
  expect(book.of(cardA, undefined)).toBe(before);
  one.containers = [];
  await clock.advance(10_000);
  await poll();
  expect(book.of(cardA, undefined)).toEqual([]);
});

describe('closing', () => {
  test('ends a call under way', async () => {
    const stuck = await kubelet([]);
    stuck.delayMs = Number.POSITIVE_INFINITY;
    book.refresh();
    await expect.poll(() => stuck.calls.length).toBe(1);
    const started = performance.now();
    book.close();
    await background.settled(systemClock, 5000);
    expect(performance.now() - started).toBeLessThan(300);
  });

  test('while the libraries are loaded leaves nothing open', async () => {
    const idle = await kubelet([]);
    book.refresh();
    book.close();
    await background.settled(systemClock, 5000);
    expect(idle.calls).toEqual([]);
    book.refresh();
    expect(pods()).toBeUndefined();
  });
});
