import { readdir } from 'node:fs/promises';
import type { Clock } from '../../model/clock.ts';
import type { Background } from '../background.ts';

/** A pod by the names people use. */
export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** A container of a pod, by the names people use. */
export interface PodContainerName extends PodName {
  readonly container: string;
}

const LOOK_MS = 10_000;

/** Names that are kept of each kind; a node runs some hundred pods. */
const MAX_NAMES = 4096;

/**
 * Names of pods and containers by the folders in which the kubelet keeps their logs: it puts every pod's into
 * `pods/<namespace>_<name>_<uid>`, and links every container's as `containers/<pod>_<namespace>_<container>-<id>.log`.
 * No log is opened. Both are looked at in the background, and only for as long as a name is wanted that is not known.
 */
export class PodLogs {
  readonly #clock: Clock;
  readonly #background: Background;
  readonly #folder: string;
  #pods: ReadonlyMap<string, PodName> = new Map();
  #containers: ReadonlyMap<string, PodContainerName> = new Map();
  #dueAt = 0;

  /** `folder` is usually `/var/log`. */
  constructor(clock: Clock, background: Background, folder: string) {
    this.#clock = clock;
    this.#background = background;
    this.#folder = folder;
  }

  /** The pod with this UID, or null while it is not known. */
  pod(uid: string): PodName | null {
    return this.#pods.get(uid) ?? this.#want();
  }

  /** The container with this id of 64 digits, or null while it is not known. */
  container(id: string): PodContainerName | null {
    return this.#containers.get(id) ?? this.#want();
  }

  #want(): null {
    const now = this.#clock.monotonic();
    if (now < this.#dueAt) return null;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#background.run(async () => {
      this.#pods = new Map((await this.#entries('pods')).flatMap(podOf));
      this.#containers = new Map((await this.#entries('containers')).flatMap(containerOf));
      this.#dueAt = this.#clock.monotonic() + LOOK_MS;
    });
    return null;
  }

  async #entries(folder: string): Promise<readonly string[]> {
    try {
      return (await readdir(`${this.#folder}/${folder}`)).slice(-MAX_NAMES);
    } catch {
      return [];
    }
  }
}

/** Names of Kubernetes hold no underscore, so that it can divide them. */
const NAME = '[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?';
const POD = new RegExp(`^(${NAME})_(${NAME})_([0-9a-f-]{32,36})$`);
const CONTAINER = new RegExp(`^(${NAME})_(${NAME})_(${NAME})-([0-9a-f]{64})\\.log$`);

function podOf(entry: string): [string, PodName][] {
  const [, namespace, name, uid] = POD.exec(entry) ?? [];
  return namespace && name && uid ? [[uid, { namespace, name }]] : [];
}

function containerOf(entry: string): [string, PodContainerName][] {
  const [, name, namespace, container, id] = CONTAINER.exec(entry) ?? [];
  return namespace && name && container && id ? [[id, { namespace, name, container }]] : [];
}
