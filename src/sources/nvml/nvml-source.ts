import { join } from 'node:path';
import { CATALOGUE } from '../../model/catalogue.ts';
import type { Clock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import { AppError } from '../../model/errors.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { Notice, Probe, Source } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import type { Tick } from '../../model/tick.ts';
import { CODE } from './abi.ts';
import { driverHang, type Hang, stuckThreads } from './exit.ts';
import { explainFailure } from './failure-cause.ts';
import { HungGpus } from './hung-gpus.ts';
import type { MetricFacts } from './plan.ts';
import type { Failure, Reply, TickReply } from './protocol.ts';
import { readTick } from './tick-reader.ts';
import { WorkerLink } from './worker-link.ts';

export interface NvmlOptions {
  readonly clock: Clock;
  /** The library to load, instead of looking for it in the usual places. */
  readonly library?: string;
  /** A driver call that lasts so long counts as hanging. */
  readonly hangTimeoutMs?: number;
  /** How long a GPU that hangs is left in peace before it is tried again. */
  readonly hungRetryMs?: number;
  /** Root folder under which `/proc` and `/dev` are looked at. */
  readonly root?: string;
}

/** A {@link Probe} that gives the source with what only it can tell. */
export type NvmlProbe = { readonly ok: true; readonly source: NvmlSource } | Extract<Probe, { ok: false }>;

const HANG_TIMEOUT_MS = 10_000;
const HUNG_RETRY_MS = 60_000;

/** Threads that may hang at the same time. Beyond it the driver hangs as a whole, and another thread would too. */
const MAX_STUCK = 4;

/** How long after a failed attempt to open the driver the next one may follow. */
const RESTART_MS = 5000;

const FACTS = Object.fromEntries(CATALOGUE.map(({ id, slot, cadence }) => [id, { slot, cadence }])) as MetricFacts;

/**
 * Opens the GPUs of this machine through NVIDIA's management library. No library, no driver or no GPU is a refused
 * probe with the exact cause, not an exception. GPUs that are there and cannot be opened stay listed.
 */
export async function openNvml(options: NvmlOptions): Promise<NvmlProbe> {
  const source = new NvmlSource(options);
  try {
    await source.open();
    return { ok: true, source };
  } catch (error) {
    await source.close();
    if (error instanceof AppError) return { ok: false, reason: error };
    throw error;
  }
}

/**
 * Ticks from the driver. Every driver call is made by a worker thread; a worker that hangs is given up and replaced by
 * one that leaves out the GPU on which it hangs.
 */
export class NvmlSource implements Source {
  readonly name = 'nvml';
  readonly origin = 'live';
  readonly #options: NvmlOptions;
  readonly #hangTimeoutMs: number;
  readonly #hung: HungGpus;
  #link: WorkerLink | null = null;
  /** The GPUs that the worker in use reports on, in its order. */
  #devices: readonly Device[] = [];
  #isOpen = false;
  #library: string | null = null;
  /** A request was given up on, so that its reply is out of date. */
  #isOutdated = false;
  #driverFailure = 0;
  #restartAt = Number.NEGATIVE_INFINITY;
  #failure: AppError | null = null;
  #isClosed = false;

  constructor(options: NvmlOptions) {
    this.#options = options;
    this.#hangTimeoutMs = options.hangTimeoutMs ?? HANG_TIMEOUT_MS;
    this.#hung = new HungGpus(options.hungRetryMs ?? HUNG_RETRY_MS);
  }

  /** Starts a worker and waits until it has opened the driver; throws the AppError that says why it could not. */
  async open(): Promise<void> {
    const hang = driverHang();
    if (hang !== null || stuckThreads() >= MAX_STUCK) throw this.#timeout(hang);
    await this.#advance(() => this.#isOpen);
  }

  /** The file that was loaded; null while none is. */
  get library(): string | null {
    return this.#library;
  }

  devices(): readonly Device[] {
    const hung = this.#hung.devices().filter(({ uuid }) => !this.#devices.some((device) => device.uuid === uuid));
    return [...this.#devices, ...hung].sort((a, b) => a.index - b.index);
  }

  async sample(at: Millis): Promise<Tick | null> {
    const reply = await this.#advance(() => false);
    if (reply === null) return null;
    const monotonic = this.#options.clock.monotonic();
    this.#driverFailure = reply.driverFailure;
    if (reply.devices !== null) this.#devices = reply.devices;
    const hang = this.#hung.longest();
    if (reply.gpuCount === 0 && hang !== null) throw this.#timeout(hang);
    const events: GpuEvent[] = reply.reloaded
      ? [{ at, kind: 'driver-reloaded', severity: 'info', uuid: null, params: {} }]
      : [];
    return { at, monotonic, devices: readTick(reply, this.#devices), events };
  }

  notices(): readonly Notice[] {
    const code = this.#driverFailure;
    const gone: Notice[] =
      code === 0 || code === CODE.gpuIsLost ? [] : [{ key: 'notice.nvml-driver-gone', params: { code } }];
    return [...gone, ...this.#hung.notices()];
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
      let resumed: readonly string[] = [];
      if (!link.isBusy && this.#isOpen) {
        const now = this.#options.clock.monotonic();
        resumed = this.#hung.due(now);
        link.send({ type: 'sample', now, resume: resumed });
      }
      const outcome = await link.wait();
      if (this.#isClosed) return null;
      if (outcome.kind === 'hang') this.#replace(link, outcome.hang);
      else if (outcome.kind === 'died') throw this.#fail(new AppError('INTERNAL', { detail: outcome.detail }));
      else {
        const tick = await this.#receive(outcome.reply);
        this.#hung.remove(resumed);
        if (tick !== null || isEnough()) return tick;
      }
    }
    return null;
  }

  /** The tick in a reply; null where the reply is about something else, or too old. */
  async #receive(reply: Reply): Promise<TickReply | null> {
    if (reply.type === 'failed') throw this.#fail(await this.#explain(reply.failure));
    if (reply.type === 'opened') {
      this.#isOpen = true;
      this.#failure = null;
      this.#library = reply.library;
      this.#devices = reply.devices;
      this.#hung.describe(reply.skipped);
      return null;
    }
    const isOutdated = this.#isOutdated;
    this.#isOutdated = false;
    return isOutdated ? null : reply;
  }

  #start(): WorkerLink {
    const { clock, library = null, root = '/' } = this.#options;
    if (this.#failure !== null && clock.monotonic() < this.#restartAt) throw this.#failure;
    this.#isOpen = false;
    const link = new WorkerLink(
      {
        library,
        facts: FACTS,
        known: this.#devices.filter(({ uuid }) => !this.#hung.has(uuid)),
        skip: this.#hung.skipped(),
        kernelGpus: join(root, 'proc/driver/nvidia/gpus'),
        deviceNodes: join(root, 'dev'),
      },
      clock,
      this.#hangTimeoutMs,
    );
    this.#link = link;
    return link;
  }

  /** Gives up a worker that hangs on one GPU. One that hangs on the driver itself is waited for: there is no other way. */
  #replace(link: WorkerLink, hang: Hang): void {
    if (hang.gpu < 0 || stuckThreads() > MAX_STUCK) {
      this.#isOutdated = this.#isOpen;
      throw this.#timeout(hang);
    }
    link.abandon();
    this.#link = null;
    this.#hung.add(hang, this.#devices.find(({ index }) => index === hang.gpu) ?? null, link);
  }

  #fail(error: AppError): AppError {
    this.#link = null;
    this.#failure = error;
    this.#restartAt = this.#options.clock.monotonic() + RESTART_MS;
    return error;
  }

  #explain(failure: Failure): Promise<AppError> {
    const { root = '/', library = null } = this.#options;
    return explainFailure(failure, root, library);
  }

  #timeout(hang: Hang | null): AppError {
    const since = hang?.since ?? this.#options.clock.monotonic() - this.#hangTimeoutMs;
    const seconds = Math.max(1, Math.round((this.#options.clock.monotonic() - since) / 1000));
    return new AppError('NVML_TIMEOUT', { seconds, call: hang?.call ?? '?' });
  }
}
