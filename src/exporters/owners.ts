import type { PodRef } from '../model/owner.ts';
import type { GpuProcess } from '../model/process.ts';
import { isPresent, type Reading } from '../model/reading.ts';
import type { DeviceSample } from '../model/tick.ts';

/** Whom a device works for, in the words of labels; null where something does not apply or is not known. */
export interface DeviceOwner {
  /** Tells owners apart, and stays the same from tick to tick. */
  readonly key: string;
  readonly namespace: string | null;
  readonly pod: string | null;
  readonly podUid: string | null;
  readonly container: string | null;
  readonly job: string | null;
  readonly user: string | null;
  readonly unit: string | null;
  /** Sums over the processes of this owner; absent where the driver tells it of one of them not. */
  readonly processes: number;
  readonly memoryBytes: Reading;
  readonly smRatio: Reading;
}

type Identity = Pick<DeviceOwner, 'namespace' | 'pod' | 'podUid' | 'container' | 'job' | 'user' | 'unit'>;

const NOBODY: readonly DeviceOwner[] = [];
const NO_PODS: readonly PodRef[] = [];
/** Owners of a list of processes; the list is the same object for as long as nothing in it has changed. */
const known = new WeakMap<readonly GpuProcess[], { allotted: readonly PodRef[]; owners: readonly DeviceOwner[] }>();

/**
 * Whom a device works for: the owners of its processes, and the pods it is allotted to that run none there. Empty where
 * nobody uses it, or its processes cannot be listed.
 */
export function ownersOf({ processes, allotted = NO_PODS }: DeviceSample): readonly DeviceOwner[] {
  if ('absent' in processes) return allotted.length === 0 ? NOBODY : collectOwners([], allotted);
  if (processes.length === 0 && allotted.length === 0) return NOBODY;
  const before = known.get(processes);
  if (before !== undefined && before.allotted === allotted) return before.owners;
  const owners = collectOwners(processes, allotted);
  known.set(processes, { allotted, owners });
  return owners;
}

function collectOwners(processes: readonly GpuProcess[], allotted: readonly PodRef[]): readonly DeviceOwner[] {
  const owners = new Map<string, DeviceOwner>();
  for (const process of processes) {
    const identity = identityOf(process);
    const key = keyOf(identity);
    const before = owners.get(key);
    const smRatio = process.smRatio ?? { absent: 'not-collected' };
    owners.set(key, {
      ...identity,
      key,
      processes: (before?.processes ?? 0) + 1,
      memoryBytes: before === undefined ? process.memoryBytes : add(before.memoryBytes, process.memoryBytes),
      smRatio: before === undefined ? smRatio : add(before.smRatio, smRatio),
    });
  }
  for (const pod of allotted) {
    if ([...owners.values()].some((owner) => isPod(owner, pod))) continue;
    const identity = { ...podIdentity(pod), job: null, user: null, unit: null };
    const key = keyOf(identity);
    owners.set(key, { ...identity, key, processes: 0, memoryBytes: 0, smRatio: 0 });
  }
  return [...owners.values()];
}

/** A sum is only known where all of it is. */
function add(sum: Reading, more: Reading): Reading {
  if (!isPresent(sum)) return sum;
  return isPresent(more) ? sum + more : more;
}

function identityOf({ owner, user }: GpuProcess): Identity {
  const pod = owner?.pod ?? null;
  const container = owner?.container ?? null;
  return {
    ...(pod === null ? NO_POD : podIdentity(pod)),
    ...(pod === null && container !== null && { container: container.name || container.id || null }),
    job: owner?.job?.id || null,
    user: user || owner?.job?.user || null,
    unit: owner?.unit || null,
  };
}

const NO_POD = { namespace: null, pod: null, podUid: null, container: null } as const;

function podIdentity({ namespace, name, uid, container }: PodRef): Omit<Identity, 'job' | 'user' | 'unit'> {
  // A label without a value is none: what is empty must not tell owners apart that look the same.
  return { namespace: namespace || null, pod: name || uid || null, podUid: uid || null, container: container || null };
}

function isPod(owner: DeviceOwner, { uid, namespace, name }: PodRef): boolean {
  if (uid !== null && owner.podUid !== null) return uid === owner.podUid;
  return name !== null && name === owner.pod && namespace === owner.namespace;
}

function keyOf(identity: Identity): string {
  const { namespace, pod, podUid, container, job, user, unit } = identity;
  return JSON.stringify([namespace, pod, podUid, container, job, user, unit]);
}

const soles = new WeakMap<readonly DeviceOwner[], DeviceOwner | null>();

/**
 * The one owner of a device; null where there is none, or where several share it. Processes of one pod, container or job
 * that run as several users have one owner, without a user.
 */
export function soleOwner(owners: readonly DeviceOwner[]): DeviceOwner | null {
  const [first] = owners;
  if (first === undefined) return null;
  if (owners.length === 1) return first;
  let sole = soles.get(owners);
  if (sole === undefined) {
    sole = oneWorkload(first, owners);
    soles.set(owners, sole);
  }
  return sole;
}

function oneWorkload(first: DeviceOwner, owners: readonly DeviceOwner[]): DeviceOwner | null {
  const { pod, container, job } = first;
  const isWorkload = pod !== null || container !== null || job !== null;
  const parts = ['namespace', 'pod', 'podUid', 'container', 'job'] as const;
  if (!isWorkload || owners.some((owner) => parts.some((part) => owner[part] !== first[part]))) return null;
  const agreed = (part: 'user' | 'unit'): string | null =>
    owners.every((owner) => owner[part] === first[part]) ? first[part] : null;
  const identity = { ...first, user: agreed('user'), unit: agreed('unit') };
  return {
    ...identity,
    key: keyOf(identity),
    processes: owners.reduce((sum, { processes }) => sum + processes, 0),
    memoryBytes: owners.map(({ memoryBytes }) => memoryBytes).reduce(add),
    smRatio: owners.map(({ smRatio }) => smRatio).reduce(add),
  };
}
