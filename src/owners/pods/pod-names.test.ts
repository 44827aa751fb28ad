import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import { ManualClock } from '../../model/manual-clock.ts';
import type { PodRef } from '../../model/owner.ts';
import { Background } from '../background.ts';
import type { CgroupPlace } from '../cgroup/cgroup.ts';
import type { ContainerFacts } from '../containers/engine-client.ts';
import { PodLogs } from './pod-logs.ts';
import { PodNames } from './pod-names.ts';

const ID = 'b15a5bdedd2e7645c3be271364324321b908314e4c77857bbfd32a041148c07f';
const UID = 'fd52ef25-a87d-11e9-9423-0800271a638e';
const UID2 = '22949dce-fd8b-11ea-8ede-98f2b32c645c';
const STATIC = '33d556edd3ae8ef21980288cef77ae8b';

let folder: string;
let clock: ManualClock;
let background: Background;
let names: PodNames;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-logs-'));
  clock = new ManualClock();
  background = new Background();
  names = new PodNames(new PodLogs(clock, background, folder));
});

afterEach(() => rmSync(folder, { recursive: true }));

function place(podUid: string | null, id: string | null = ID, isCut = false): CgroupPlace {
  return { container: id === null ? null : { id, runtime: 'containerd' }, podUid, job: null, unit: null, isCut };
}

function pod(name: string, container: string | null = 'main'): PodRef {
  return { uid: null, namespace: 'ml', name, container };
}

const short = (ref: PodRef | null): string | null =>
  ref && [ref.uid?.slice(0, 4), ref.namespace, ref.name, ref.container].map((part) => part ?? '-').join(' ');

describe('by the device', () => {
  const joined = (
    allotted: readonly PodRef[],
    processes: readonly CgroupPlace[],
    seenAt = 0,
    askedAt = 0,
  ): string | null => {
    names.learn(
      allotted,
      askedAt,
      processes.map((where) => ({ place: where, seenAt })),
    );
    return short(names.of(processes[0] ?? place(null), null));
  };

  test('one pod on it is the pod of its processes', () => {
    expect(joined([pod('a')], [place(UID), place(UID)])).toBe('fd52 ml a main');
  });

  test('several pods on it are not told apart', () => {
    expect(joined([pod('a'), pod('b')], [place(UID)])).toBe('fd52 - - -');
  });

  test('several containers of one pod are that pod', () => {
    expect(joined([pod('a', 'x'), pod('a', 'y')], [place(UID)])).toBe('fd52 ml a -');
  });

  test('processes of two containers are that pod', () => {
    expect(joined([pod('a')], [place(UID), place(UID, ID.replace('b', 'c'))])).toBe('fd52 ml a -');
  });

  test('processes of two pods on the device of one are not told apart', () => {
    expect(joined([pod('a')], [place(UID), place(UID2)])).toBe('fd52 - - -');
  });

  test('a process that began after the kubelet was asked may be of the next pod', () => {
    expect(joined([pod('a')], [place(UID)], 10, 5)).toBe('fd52 - - -');
    expect(joined([pod('b')], [place(UID)], 10, 15)).toBe('fd52 ml b main');
  });

  test('a pod that was taken for two has no name any more', () => {
    joined([pod('a')], [place(UID)]);
    expect(joined([pod('b')], [place(UID)])).toBe('fd52 - - -');
    expect(joined([pod('a')], [place(UID)])).toBe('fd52 - - -');
  });

  test('what was learnt on one device holds on another that is shared', () => {
    joined([pod('a')], [place(UID)]);
    expect(joined([pod('a'), pod('b')], [place(UID)])).toBe('fd52 ml a main');
  });

  test('a device nobody has, and processes without a pod', () => {
    expect(joined([], [place(UID)])).toBe('fd52 - - -');
    expect(joined([pod('a')], [place(null)])).toBeNull();
    expect(joined([pod('a')], [])).toBeNull();
  });

  test('the same object is given out until more is known', () => {
    const where = place(UID);
    const before = names.of(where, null);
    expect(names.of(where, null)).toBe(before);
    names.learn([pod('a')], 0, [{ place: where, seenAt: 0 }]);
    const after = names.of(where, null);
    expect(after?.name).toBe('a');
    expect(names.of(where, null)).toBe(after);
  });
});

describe('by the labels of Docker', () => {
  const LABELS = {
    'io.kubernetes.pod.uid': UID,
    'io.kubernetes.pod.namespace': 'ml',
    'io.kubernetes.pod.name': 'a',
    'io.kubernetes.container.name': 'main',
  };
  const facts = (labels: Record<string, string>): ContainerFacts => ({
    name: 'x',
    image: null,
    labels,
    engine: 'docker',
  });

  test.each<[string, CgroupPlace, Record<string, string>, string | null]>([
    ['all', place(UID), LABELS, 'fd52 ml a main'],
    ['all, where the cgroup is cut off', place(null, ID, true), LABELS, 'fd52 ml a main'],
    ['of another pod', place(UID2), LABELS, '2294 - - -'],
    ['no name', place(UID), { 'io.kubernetes.pod.uid': UID }, 'fd52 - - -'],
    ['none', place(null), {}, null],
  ])('%s', (_what, where, labels, want) => expect(short(names.of(where, facts(labels)))).toBe(want));
});

describe('by the folders of logs', () => {
  beforeEach(() => {
    mkdirSync(join(folder, 'pods', `ml_train-0_${UID}`), { recursive: true });
    mkdirSync(join(folder, 'pods', `kube-system_etcd.n1_${STATIC}`));
    mkdirSync(join(folder, 'pods', 'no_pod'));
    mkdirSync(join(folder, 'containers'));
    symlinkSync('/nowhere', join(folder, 'containers', `train-0_ml_main-x-${ID}.log`));
    symlinkSync('/nowhere', join(folder, 'containers', `train-0_ml_cut-${ID.slice(4)}.log`));
  });

  /** At a second look, after the folders were read. */
  async function of(where: CgroupPlace): Promise<string | null> {
    names.of(where, null);
    await background.settled(systemClock, 5000);
    return short(names.of(where, null));
  }

  test.each([
    ['a pod and its container', place(UID), 'fd52 ml train-0 main-x'],
    ['a pod, its container not among the logs', place(UID, ID.replace('b', 'c')), 'fd52 ml train-0 -'],
    ['a static pod', place(STATIC, null), '33d5 kube-system etcd.n1 -'],
    ['a container of which the pod is cut off', place(null, ID, true), '- ml train-0 main-x'],
    ['a container that is of no pod', place(null), null],
    ['an unknown pod', place(UID2, null), '2294 - - -'],
  ])('%s', async (_what, where, want) => expect(await of(where)).toBe(want));

  test('they are looked at again for a pod that came later, after ten seconds', async () => {
    expect(await of(place(UID2, null))).toBe('2294 - - -');
    mkdirSync(join(folder, 'pods', `ml_late_${UID2}`));
    expect(await of(place(UID2, null))).toBe('2294 - - -');
    await clock.advance(10_000);
    expect(await of(place(UID2, null))).toBe('2294 ml late -');
  });
});
