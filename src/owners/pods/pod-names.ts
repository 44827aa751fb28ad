import type { PodRef } from '../../model/owner.ts';
import type { CgroupPlace } from '../cgroup/cgroup.ts';
import type { ContainerFacts } from '../containers/engine-client.ts';
import { isSamePod } from './pod-book.ts';
import type { PodLogs } from './pod-logs.ts';

/** A process of a pod on the device that is being looked at. */
export interface PodProcess {
  readonly place: CgroupPlace;
  /** Monotonic time at which it was seen first. */
  readonly seenAt: number;
}

interface Learned {
  readonly pod: PodRef;
  /** Names of its containers by their ids. */
  readonly containers: Map<string, string>;
}

/** Pods whose names were worked out; a node runs some hundred. */
const MAX_LEARNED = 1024;

/**
 * Names the pods of processes. A cgroup has only the UID of its pod, and the kubelet's list of devices only the names, so
 * that the two have to be joined by something both know:
 *
 * 1. what the container engine says (Docker as the runtime of Kubernetes labels its containers with both), or
 * 2. the names of the log folders, which hold both, or
 * 3. the device: where the kubelet has given it to exactly one pod, and all its processes are of exactly one pod, and the
 *    kubelet was asked after they began, these are the same pod.
 *
 * Where none of them is clear, a pod keeps its UID and has no names.
 */
export class PodNames {
  readonly #logs: PodLogs;
  /** By UID; null for a pod that was once taken for one and once for another. */
  readonly #learned = new Map<string, Learned | null>();
  readonly #refs = new WeakMap<CgroupPlace, PodRef>();

  constructor(logs: PodLogs) {
    this.#logs = logs;
  }

  /** Joins what is on one device. `allotted` are its pods as the kubelet told at `askedAt`. */
  learn(allotted: readonly PodRef[], askedAt: number, processes: readonly PodProcess[]): void {
    const [pod] = allotted;
    const uid = processes[0]?.place.podUid ?? null;
    if (pod === undefined || uid === null) return;
    if (!allotted.every((other) => isSamePod(pod, other))) return;
    // A pod that began after the kubelet was asked is not in its answer, and would be taken for the one before it.
    if (!processes.every(({ place, seenAt }) => place.podUid === uid && seenAt <= askedAt)) return;
    const learned = this.#remember(uid, pod);
    if (learned === null || allotted.length > 1 || pod.container === null) return;
    const ids = new Set(processes.map(({ place }) => place.container?.id));
    const [id] = ids;
    if (ids.size === 1 && id !== undefined) learned.containers.set(id, pod.container);
  }

  /** The pod a process is of; null where it is of none. The same object as long as no more becomes known. */
  of(place: CgroupPlace, facts: ContainerFacts | null): PodRef | null {
    const pod = this.#byLabels(place, facts) ?? this.#byLogs(place) ?? this.#byDevice(place);
    if (pod === null) return null;
    const last = this.#refs.get(place);
    if (last !== undefined && isSamePod(last, pod) && last.uid === pod.uid && last.container === pod.container)
      return last;
    this.#refs.set(place, pod);
    return pod;
  }

  #remember(uid: string, pod: PodRef): Learned | null {
    const known = this.#learned.get(uid);
    if (known === null || (known !== undefined && isSamePod(known.pod, pod))) return known;
    const [oldest] = this.#learned.keys();
    if (this.#learned.size >= MAX_LEARNED && oldest !== undefined) this.#learned.delete(oldest);
    const learned = known === undefined ? { pod, containers: new Map<string, string>() } : null;
    this.#learned.set(uid, learned);
    return learned;
  }

  #byLabels({ podUid }: CgroupPlace, facts: ContainerFacts | null): PodRef | null {
    const labels = facts?.labels;
    const [uid, namespace, name] = ['uid', 'namespace', 'name'].map((word) => labels?.[`io.kubernetes.pod.${word}`]);
    if (!uid || !namespace || !name || (podUid !== null && podUid !== uid)) return null;
    return { uid, namespace, name, container: labels?.['io.kubernetes.container.name'] ?? null };
  }

  #byLogs({ podUid, container, isCut }: CgroupPlace): PodRef | null {
    // Only a path that was cut off can lack the pod of a container that has one.
    if (podUid === null && !isCut) return null;
    const found = container?.id.length === 64 ? this.#logs.container(container.id) : null;
    if (found !== null) return { uid: podUid, ...found };
    const pod = podUid === null ? null : this.#logs.pod(podUid);
    return pod === null ? null : { uid: podUid, ...pod, container: null };
  }

  #byDevice({ podUid, container }: CgroupPlace): PodRef | null {
    if (podUid === null) return null;
    const learned = this.#learned.get(podUid);
    if (learned == null) return { uid: podUid, namespace: null, name: null, container: null };
    const { namespace, name } = learned.pod;
    return { uid: podUid, namespace, name, container: learned.containers.get(container?.id ?? '') ?? null };
  }
}
