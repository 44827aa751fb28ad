import type { Clock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import { detailOf } from '../../model/errors.ts';
import type { PodRef } from '../../model/owner.ts';
import type { Background } from '../background.ts';
import { socketAccess } from '../socket-access.ts';
import { type DeviceKey, isDevice, parseDeviceId } from './device-ids.ts';
import { type Allotment, PodResources } from './pod-resources.ts';

/** Where kubelets have their socket: the usual place, MicroK8s, k0s. */
export const KUBELET_SOCKETS = [
  '/var/lib/kubelet/pod-resources/kubelet.sock',
  '/var/snap/microk8s/common/var/lib/kubelet/pod-resources/kubelet.sock',
  '/var/lib/k0s/kubelet/pod-resources/kubelet.sock',
] as const;

const POLL_MS = 10_000;
const TIMEOUT_MS = 5000;

/** A kubelet that is being restarted is away for seconds. What is older than this may not be true any more. */
const TRUSTED_MS = 60_000;

interface Row extends PodRef {
  readonly keys: readonly DeviceKey[];
}

/** What the kubelet said at one time. */
interface Page {
  /** Monotonic time at which it was asked: pods that came later may be missing. */
  readonly askedAt: number;
  readonly rows: readonly Row[];
}

interface Answer {
  readonly page: Page;
  readonly pods: readonly PodRef[];
}

export interface PodBookOptions {
  readonly clock: Clock;
  readonly background: Background;
  readonly sockets: readonly string[];
  readonly timeoutMs?: number;
}

/** Which pods have which devices, as the kubelet of this node tells; asked for in the background. */
export class PodBook {
  readonly #options: PodBookOptions;
  readonly #answers = new Map<string, Answer>();
  #kubelet: { readonly socket: string; readonly client: PodResources } | null = null;
  #page: Page | null = null;
  #dueAt = 0;
  #isClosed = false;
  /** Why the newest attempt failed; null where it did not, or where there is no kubelet. */
  #failure: { readonly socket: string; readonly detail: string } | null = null;

  constructor(options: PodBookOptions) {
    this.#options = options;
  }

  get failure(): { readonly socket: string; readonly detail: string } | null {
    return this.#failure;
  }

  /** Asks the kubelet if it is time to; returns at once. */
  refresh(): void {
    const now = this.#options.clock.monotonic();
    if (now < this.#dueAt || this.#isClosed) return;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#options.background.run(async () => {
      await this.#ask(now);
      this.#dueAt = now + POLL_MS;
    });
  }

  /** When the kubelet was asked for what is known now; null where nothing is known. */
  get askedAt(): number | null {
    return this.#trusted()?.askedAt ?? null;
  }

  /** Number of containers with devices of any kind; null where nothing is known. */
  get count(): number | null {
    return this.#trusted()?.rows.length ?? null;
  }

  /**
   * Pods, by container, that have a device; undefined where that is not known. Their UIDs are unknown to the kubelet.
   * `card` is that of a MIG instance, where it is known.
   */
  of(device: Device, card: Device | undefined): readonly PodRef[] | undefined {
    const page = this.#trusted();
    if (page === null) return undefined;
    const last = this.#answers.get(device.uuid);
    if (last?.page === page) return last.pods;
    const rows = page.rows.filter(({ keys }) => keys.some((key) => isDevice(key, device, card)));
    const pods = rows.map(({ uid, namespace, name, container }) => ({ uid, namespace, name, container }));
    const isSame = last !== undefined && isSameList(last.pods, pods);
    const answer = { page, pods: isSame ? last.pods : pods };
    this.#answers.set(device.uuid, answer);
    return answer.pods;
  }

  close(): void {
    this.#isClosed = true;
    this.#kubelet?.client.close();
    this.#kubelet = null;
  }

  #trusted(): Page | null {
    const { clock } = this.#options;
    if (this.#page !== null && clock.monotonic() - this.#page.askedAt > TRUSTED_MS) this.#page = null;
    return this.#page;
  }

  async #ask(askedAt: number): Promise<void> {
    const { sockets, timeoutMs = TIMEOUT_MS } = this.#options;
    const found = await findSocket(sockets);
    this.#failure = found?.access === 'refused' ? { socket: found.socket, detail: 'EACCES' } : null;
    if (found === null || found.access !== 'ok') return;
    const { socket } = found;
    try {
      if (this.#kubelet?.socket !== socket) {
        this.#kubelet?.client.close();
        this.#kubelet = { socket, client: await PodResources.open(socket, timeoutMs) };
      }
      // Closed while the libraries were loaded.
      if (this.#isClosed) return this.close();
      this.#page = { askedAt, rows: (await this.#kubelet.client.list()).map(toRow) };
    } catch (error) {
      this.#failure = { socket, detail: detailOf(error) };
    }
  }
}

async function findSocket(sockets: readonly string[]): Promise<{ socket: string; access: 'ok' | 'refused' } | null> {
  for (const socket of sockets) {
    const access = await socketAccess(socket);
    if (access !== 'absent') return { socket, access };
  }
  return null;
}

function toRow({ namespace, pod, container, deviceIds }: Allotment): Row {
  return { uid: null, namespace, name: pod, container, keys: deviceIds.map(parseDeviceId) };
}

function isSameList(a: readonly PodRef[], b: readonly PodRef[]): boolean {
  return a.length === b.length && a.every((pod, i) => isSamePod(pod, b[i]) && pod.container === b[i]?.container);
}

/** Whether both are the same pod, of whichever of its containers. */
export function isSamePod(a: PodRef, b: PodRef | undefined): boolean {
  return b !== undefined && a.namespace === b.namespace && a.name === b.name;
}
