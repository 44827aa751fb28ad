import { systemClock } from '../model/clock.ts';
import { detailOf } from '../model/errors.ts';
import type { OWNER_MESSAGES } from '../model/i18n/messages-owners.ts';
import type { Params } from '../model/i18n/text.ts';
import { Background } from './background.ts';
import { askEngine } from './containers/engine-client.ts';
import { hidesProcesses, isInHostNamespace } from './namespaces.ts';
import type { OwnerPlaces } from './places.ts';
import { PodBook } from './pods/pod-book.ts';
import { socketAccess } from './socket-access.ts';

type OwnerMessageKey = keyof typeof OWNER_MESSAGES;

/** One thing that owners are read from, and what to do where it cannot be. */
export interface OwnerCheck {
  readonly id: string;
  readonly level: 'ok' | 'warning';
  readonly key: OwnerMessageKey;
  readonly params: Params;
  readonly remedy: OwnerMessageKey | null;
}

const KUBELET_LIMIT_MS = 3000;
const ENGINE_LIMIT_MS = 3000;

/** An engine that works says that it has no such container. */
const NO_CONTAINER = '0'.repeat(64);

/** Looks at everything that decides whether owners of processes can be told. What a host does not have is no lack. */
export async function examineOwners({ proc, engines, kubelets }: OwnerPlaces): Promise<readonly OwnerCheck[]> {
  const checks = examineNamespaces(proc);
  for (const { socket } of engines) checks.push(...(await examineEngine(socket)));
  return [...checks, ...(await examineKubelet(kubelets))];
}

function examineNamespaces(proc: string): OwnerCheck[] {
  // In a pid namespace of its own no process is looked up, so that the rest does not matter.
  if (!isInHostNamespace(proc, 'pid')) return [lack('owners-processes', 'doctor.owners-pid-namespace')];
  const checks = hidesProcesses(proc)
    ? [lack('owners-processes', 'doctor.owners-hidden-processes')]
    : [well('owners-processes', 'doctor.owners-processes')];
  if (!isInHostNamespace(proc, 'cgroup')) checks.push(lack('owners-cgroup', 'doctor.owners-cgroup-namespace'));
  return checks;
}

async function examineEngine(socket: string): Promise<OwnerCheck[]> {
  const access = await socketAccess(socket);
  if (access === 'absent') return [];
  if (access === 'refused') return [lack('owners-engine', 'doctor.owners-engine-refused', { socket })];
  try {
    await askEngine(socket, NO_CONTAINER, ENGINE_LIMIT_MS);
    return [well('owners-engine', 'doctor.owners-engine', { socket })];
  } catch (error) {
    return [lack('owners-engine', 'doctor.owners-engine-failed', { socket, detail: detailOf(error) })];
  }
}

async function examineKubelet(sockets: readonly string[]): Promise<OwnerCheck[]> {
  const background = new Background();
  const book = new PodBook({ clock: systemClock, background, sockets, timeoutMs: KUBELET_LIMIT_MS });
  book.refresh();
  await background.settled(systemClock, 2 * KUBELET_LIMIT_MS);
  book.close();
  const { failure, count } = book;
  if (failure !== null) return [lack('owners-kubelet', 'doctor.owners-kubelet-failed', { ...failure })];
  return count === null ? [] : [well('owners-kubelet', 'doctor.owners-kubelet', { count })];
}

function well(id: string, key: OwnerMessageKey, params: Params = {}): OwnerCheck {
  return { id, level: 'ok', key, params, remedy: null };
}

type LackKey =
  Extract<OwnerMessageKey, `${string}-remedy`> extends `${infer Key}-remedy` ? Key & OwnerMessageKey : never;

function lack(id: string, key: LackKey, params: Params = {}): OwnerCheck {
  return { id, level: 'warning', key, params, remedy: `${key}-remedy` };
}
