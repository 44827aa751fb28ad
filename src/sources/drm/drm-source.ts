import { CATALOGUE } from '../../model/catalogue.ts';
import type { Clock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import { AppError } from '../../model/errors.ts';
import type { Notice, Source, TopologyLink } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import type { DeviceSample, Tick } from '../../model/tick.ts';
import { PROCESSES } from './progress.ts';
import type { DevicesReply, TickReply } from './protocol.ts';
import type { Slots } from './row.ts';
import { WorkerLink } from './worker-link.ts';

export interface DrmSourceOptions {
  readonly clock: Clock;
  /** Root below which `/sys` and `/proc` are read; empty for this machine. */
  readonly root?: string;
  /** A read of a file that lasts so long counts as hanging. */
  readonly hangMs?: number;
}

const HANG_MS = 1500;

/** Threads of one source that may hang at the same time: each stands for one GPU. */
const MAX_STUCK = 8;

/** How long a GPU is left in peace after a read that hung has returned. */
const CALM_MS = 30_000;

const SLOTS = Object.fromEntries(CATALOGUE.map(({ id, slot }) => [id, slot])) as Slots;

interface Stuck {
  readonly since: number;
  /** When it is read again; null while the read has not returned. */
  retryAt: number | null;
}

/**
 * Ticks from a graphics driver of the kernel. Every file is read by a worker thread; a worker that hangs on one GPU is
 * given up and replaced by one that leaves that GPU out until the read has returned.
 */
export class DrmSource implements Source {
  readonly name: string;
  readonly origin = 'live';
  readonly #file: URL;
  readonly #clock: Clock;
  readonly #root: string;
  readonly #hangMs: number;
  #link: WorkerLink | null = null;
  #devices: readonly Device[] = [];
  #topology: readonly TopologyLink[] = [];
  #notices: readonly Notice[] = [];
  /** UUIDs of the GPUs that hang, and PROCESSES where the list of processes does. */
  readonly #stuck = new Map<string | typeof PROCESSES, Stuck>();
  #isClosed = false;

  /** `file` is the worker of the driver. */
  constructor(name: string, file: URL, { clock, root = '', hangMs = HANG_MS }: DrmSourceOptions) {
    this.name = name;
    this.#file = file;
    this.#clock = clock;
    this.#root = root;
    this.#hangMs = hangMs;
  }

  /** Starts the worker and waits until it has announced its GPUs; throws an AppError where it cannot. */
  async open(): Promise<void> {
    await this.#advance(() => true);
  }

  devices(): readonly Device[] {
    return [...this.#devices].sort((a, b) => a.index - b.index);
  }

  async sample(at: Millis): Promise<Tick | null> {
    const tick = await this.#advance(() => false);
    if (tick === null) return null;
    this.#notices = tick.notices;
    return { at, monotonic: this.#clock.monotonic(), devices: readTick(tick, this.#devices), events: [] };
  }

  notices(): readonly Notice[] {
    const hangs = [...this.#stuck].map(([subject, { since }]): Notice => {
      const seconds = this.#secondsSince(since);
      if (subject === PROCESSES) return { key: 'notice.processes-hang', params: { seconds } };
      const index = this.#devices.find(({ uuid }) => uuid === subject)?.index ?? 0;
      return { key: 'notice.gpu-hangs', params: { index, call: this.name, seconds } };
    });
    return [...hangs, ...this.#notices];
  }

  topology(): readonly TopologyLink[] {
    return this.#topology;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#link?.close();
  }

  /**
   * Asks the worker, and replaces it if it hangs, until there is a tick or `isEnough` holds. Null when the source was
   * closed meanwhile. Throws an AppError where nothing can be sampled.
   */
  async #advance(isEnough: () => boolean): Promise<TickReply | null> {
    while (!this.#isClosed) {
      const link = this.#link ?? this.#start();
      if (!link.isBusy) this.#ask(link);
      const outcome = await link.wait();
      if (this.#isClosed) return null;
      if (outcome.kind === 'tick') return outcome.tick;
      if (outcome.kind === 'hang') this.#replace(link, outcome.subject);
      else if (outcome.kind === 'died') {
        this.#link = null;
        throw new AppError('INTERNAL', { detail: outcome.detail });
      }
      if (isEnough()) return null;
    }
    return null;
  }

  #start(): WorkerLink {
    const known = this.#devices;
    const options = { root: this.#root, slots: SLOTS, rowSize: CATALOGUE.length, known };
    const announced = ({ devices, topology }: DevicesReply): void => {
      this.#devices = devices;
      this.#topology = topology;
    };
    this.#link = new WorkerLink(this.#file, options, { clock: this.#clock, hangMs: this.#hangMs, announced });
    return this.#link;
  }

  #ask(link: WorkerLink): void {
    const now = this.#clock.monotonic();
    for (const [subject, { retryAt }] of this.#stuck) {
      if (retryAt !== null && now >= retryAt) this.#stuck.delete(subject);
    }
    const skip = [...this.#stuck.keys()].filter((subject) => subject !== PROCESSES);
    link.send({ type: 'sample', now, skip, skipProcesses: this.#stuck.has(PROCESSES) });
  }

  /** Gives up a worker that hangs on one GPU. One that hangs on what concerns all of them is waited for. */
  #replace(link: WorkerLink, position: number): void {
    const subject = position === PROCESSES ? PROCESSES : this.#devices[position]?.uuid;
    if (subject === undefined || this.#stuck.size >= MAX_STUCK) {
      throw new AppError('DRM_TIMEOUT', { driver: this.name, seconds: this.#secondsSince(link.since) });
    }
    const stuck: Stuck = { since: link.since, retryAt: null };
    this.#stuck.set(subject, stuck);
    this.#link = null;
    void link.abandon().then(() => {
      stuck.retryAt = this.#clock.monotonic() + CALM_MS;
    });
  }

  #secondsSince(since: number): number {
    return Math.max(1, Math.round((this.#clock.monotonic() - since) / 1000));
  }
}

/** The samples in a tick. They are views of its buffers, which belong to the tick from now on. */
function readTick(tick: TickReply, devices: readonly Device[]): DeviceSample[] {
  const size = CATALOGUE.length;
  return tick.sampled.flatMap((position, order) => {
    const device = devices[position];
    if (device === undefined) return [];
    const from = order * size;
    const readings = new ReadingSet(tick.values.subarray(from, from + size), tick.codes.subarray(from, from + size));
    return [{ device, state: tick.states[order]!, readings, processes: tick.processes[order]! }];
  });
}
