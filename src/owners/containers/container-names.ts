import type { Clock } from '../../model/clock.ts';
import type { Background } from '../background.ts';
import type { CgroupContainer } from '../cgroup/cgroup-container.ts';
import { socketAccess } from '../socket-access.ts';
import { askEngine, type ContainerFacts, type EngineAnswer } from './engine-client.ts';

/** Where an engine listens. */
export interface EngineAddress {
  readonly engine: 'docker' | 'podman';
  readonly socket: string;
}

/** Addresses of the engines of this host and of this user, as their own clients have them. */
export function engineAddresses(env: Readonly<Record<string, string | undefined>>): readonly EngineAddress[] {
  const addresses: EngineAddress[] = [];
  const { DOCKER_HOST: dockerHost, XDG_RUNTIME_DIR: runtimeFolder } = env;
  if (dockerHost?.startsWith('unix://'))
    addresses.push({ engine: 'docker', socket: dockerHost.slice('unix://'.length) });
  addresses.push({ engine: 'docker', socket: '/var/run/docker.sock' });
  if (runtimeFolder) addresses.push({ engine: 'docker', socket: `${runtimeFolder}/docker.sock` });
  addresses.push({ engine: 'podman', socket: '/run/podman/podman.sock' });
  if (runtimeFolder) addresses.push({ engine: 'podman', socket: `${runtimeFolder}/podman/podman.sock` });
  return addresses.filter(({ socket }, i) => addresses.findIndex((other) => other.socket === socket) === i);
}

/** How long an engine may take for one answer. */
const TIMEOUT_MS = 2000;

/** Requests under way at a time. */
const MAX_RUNNING = 4;

/** A container that was renamed has its new name after this time. */
const RENAMED_MS = 5 * 60_000;

/** How long it is believed that no engine can tell a container. */
const UNKNOWN_MS = 60_000;

/** How long an engine that failed is left alone: shorter, so that one bad container does not keep it from all others. */
const PAUSE_MS = 10_000;

/** A container in which no GPU process was seen for this time is forgotten. */
const FORGET_MS = 5 * 60_000;

/** More containers than a host has at work on GPUs. */
const MAX_ENTRIES = 1024;

/** They have no such interface. */
const OTHER_RUNTIMES: ReadonlySet<CgroupContainer['runtime']> = new Set(['containerd', 'cri-o', 'lxc']);

interface Entry {
  facts: ContainerFacts | null;
  /** Monotonic time from which on it may be asked for; infinite while it is. */
  askAt: number;
  usedAt: number;
}

interface Engine extends EngineAddress {
  /** Monotonic time until which it is left alone, because it failed. */
  pausedUntil: number;
  isRefused: boolean;
}

export interface ContainerNamesOptions {
  readonly clock: Clock;
  readonly background: Background;
  readonly engines: readonly EngineAddress[];
  readonly timeoutMs?: number;
}

/** Names, images and labels of containers, asked for in the background from the engines that run on this host. */
export class ContainerNames {
  readonly #clock: Clock;
  readonly #background: Background;
  readonly #engines: readonly Engine[];
  readonly #timeoutMs: number;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;

  constructor({ clock, background, engines, timeoutMs = TIMEOUT_MS }: ContainerNamesOptions) {
    this.#clock = clock;
    this.#background = background;
    this.#timeoutMs = timeoutMs;
    this.#engines = engines.map((address) => ({ ...address, pausedUntil: 0, isRefused: false }));
  }

  /** What is known by now; null until an engine has answered, or where none knows the container. */
  of(container: CgroupContainer): ContainerFacts | null {
    if (container.id.length !== 64 || OTHER_RUNTIMES.has(container.runtime)) return null;
    const now = this.#clock.monotonic();
    const entry = this.#entries.get(container.id) ?? this.#add(container.id, now);
    entry.usedAt = now;
    if (now >= entry.askAt) {
      entry.askAt = Number.POSITIVE_INFINITY;
      this.#waiting.push(() => this.#ask(container, entry));
      this.#pump();
    }
    return entry.facts;
  }

  /** Sockets that exist but may not be used, among those that were tried. */
  refused(): readonly string[] {
    return this.#engines.filter(({ isRefused }) => isRefused).map(({ socket }) => socket);
  }

  #add(id: string, now: number): Entry {
    for (const [known, { usedAt }] of this.#entries) if (now - usedAt > FORGET_MS) this.#entries.delete(known);
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.delete(this.#entries.keys().next().value ?? id);
    const entry: Entry = { facts: null, askAt: 0, usedAt: now };
    this.#entries.set(id, entry);
    return entry;
  }

  #pump(): void {
    if (this.#running >= MAX_RUNNING) return;
    const task = this.#waiting.shift();
    if (task === undefined) return;
    this.#running++;
    this.#background.run(async () => {
      await task();
      this.#running--;
      this.#pump();
    });
  }

  async #ask({ id, runtime }: CgroupContainer, entry: Entry): Promise<void> {
    let pause = UNKNOWN_MS;
    // An engine of the right kind is asked first.
    const engines = this.#engines.toSorted((a, b) => Number(b.engine === runtime) - Number(a.engine === runtime));
    for (const engine of engines) {
      const answer = await this.#askOne(engine, id);
      if (answer === 'paused') pause = PAUSE_MS;
      if (typeof answer === 'string') continue;
      entry.facts = { ...answer, engine: answer.engine ?? engine.engine };
      pause = RENAMED_MS;
      break;
    }
    entry.askAt = this.#clock.monotonic() + pause;
  }

  async #askOne(engine: Engine, id: string): Promise<EngineAnswer | 'paused'> {
    if (this.#clock.monotonic() < engine.pausedUntil) return 'paused';
    const access = await socketAccess(engine.socket);
    engine.isRefused = access === 'refused';
    if (access !== 'ok') return 'unknown';
    try {
      return await askEngine(engine.socket, id, this.#timeoutMs);
    } catch {
      engine.pausedUntil = this.#clock.monotonic() + PAUSE_MS;
      return 'unknown';
    }
  }
}
