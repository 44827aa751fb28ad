import { userInfo } from 'node:os';
import { basename } from 'node:path';
import type { Device } from '../model/device.ts';
import { AppError } from '../model/errors.ts';
import type { Probe, Source } from '../model/ports.ts';
import type { SourceStatus } from '../model/reader.ts';
import type { Tick } from '../model/tick.ts';
import { candidates, checkPossible, choose } from '../waiting/choose.ts';
import { IdleWatch, type Standing } from '../waiting/idle-watch.ts';
import { type Claim, claims, type Party, Queue } from '../waiting/queue.ts';
import type { GpuRequest } from '../waiting/request.ts';
import { alreadyVisible } from '../waiting/visible-devices.ts';
import { openSource, type SourceOptions } from './open-source.ts';
import { Supply } from './supply.ts';

export interface WaitOptions {
  readonly source: SourceOptions;
  readonly request: GpuRequest;
  /** Throws GPU_NOT_LISTED where a GPU that was asked for is not among all; null where none was. */
  readonly requireListed: ((all: readonly Device[]) => void) | null;
  readonly intervalMs: number;
  /** Variables that may already hold the command to some GPUs. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command that is to run, for those who wait too; empty for none. */
  readonly command: readonly string[];
  /** False to look without queueing. */
  readonly isQueued: boolean;
  /** True to hold what is chosen: those who have waited longer come first. */
  readonly isTaking: boolean;
  /** True once whoever only looks is content with what there is. */
  readonly isLastLook: () => boolean;
  readonly show: (state: WaitState) => void;
}

/** How the waiting stands. */
export interface WaitState {
  readonly standings: readonly Standing[];
  /** Those who are served before. */
  readonly ahead: readonly Party[];
  readonly holders: ReadonlyMap<string, Party | null>;
}

/** GPUs that were given. */
export interface Granted {
  readonly devices: readonly Device[];
  /** All devices of the machine. */
  readonly all: readonly Device[];
  /** Null where nothing was taken. */
  readonly claim: Claim | null;
}

/** A GPU that has not answered after so long is left out. */
const FIRST_LOOK_MS = 5000;

/** Waits for GPUs, tick by tick. */
export class Waiter {
  readonly #options: WaitOptions;
  readonly #supply: Supply;
  readonly #done = Promise.withResolvers<Granted>();
  #watch: IdleWatch;
  #wanted: (device: Device) => boolean;
  #queue: Queue | null = null;
  #isBusy = false;
  #isChecked = false;
  #startedAt: number | null = null;
  #isStopped = false;

  private constructor(options: WaitOptions, source: Source, open: () => Promise<Probe>) {
    this.#options = options;
    this.#watch = new IdleWatch(options.request);
    this.#wanted = options.request.wanted;
    this.#supply = new Supply({
      clock: options.source.clock,
      intervalMs: options.intervalMs,
      origin: source.origin,
      name: source.name,
      publish: (tick) => void this.#look(tick, source.devices()),
      speed: 1,
      open,
      readsHost: false,
      drained: () => Promise.resolve(),
    });
  }

  /** Throws what the source throws. */
  static async start(options: WaitOptions): Promise<Waiter> {
    const open = (): Promise<Probe> => openSource({ ...options.source, simulatePast: false });
    const probe = await open();
    if (!probe.ok) throw probe.reason;
    const waiter = new Waiter(options, probe.source, open);
    void waiter.#supply.start(probe);
    return waiter;
  }

  /** Rejects with GPU_NOT_LISTED, VISIBLE_AMBIGUOUS, VISIBLE_TOO_FEW and TOO_FEW_GPUS for what can never be had, and with NO_QUEUE. */
  granted(): Promise<Granted> {
    return this.#done.promise;
  }

  status(): SourceStatus {
    return this.#supply.status();
  }

  /** Ends the waiting; what was granted stays. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#queue?.leave();
    await this.#supply.stop();
  }

  async #look(tick: Tick, all: readonly Device[]): Promise<void> {
    if (this.#isBusy || this.#isStopped || tick.devices.length === 0) return;
    this.#isBusy = true;
    try {
      await this.#step(tick, all);
    } catch (error) {
      this.#done.reject(error);
    } finally {
      this.#isBusy = false;
    }
  }

  async #step(tick: Tick, all: readonly Device[]): Promise<void> {
    const { request, isLastLook, show } = this.#options;
    const holders = await claims(all.map(({ uuid }) => uuid));
    if (this.#startedAt === null) this.#begin(tick, all);
    this.#watch.observe(tick, new Set(holders.keys()));
    const standings = this.#watch.standings(tick.monotonic);
    if (!this.#isChecked && !this.#isComplete(standings, tick, all)) return;
    if (!this.#isChecked) await this.#check(standings);
    const ahead = (await this.#queue?.ahead()) ?? [];
    show({ standings, ahead, holders });
    const chosen = ahead.length > 0 ? null : choose(standings, request.gpus, this.#supply.topology());
    const devices = (chosen ?? []).map(({ device }) => device);
    const isFound = devices.length > 0 && !this.#isStopped;
    const claim = isFound ? await this.#claim(devices) : null;
    if (isFound && (claim !== null || this.#queue === null)) {
      await this.#queue?.leave();
      this.#done.resolve({ devices, all, claim });
    } else if (isLastLook()) {
      // Whoever only looks has seen all there is.
      this.#done.resolve({ devices: [], all, claim: null });
    }
  }

  /** Null where somebody has been faster, or nothing is to be taken. */
  async #claim(devices: readonly Device[]): Promise<Claim | null> {
    return (await this.#queue?.claim(devices.map(({ uuid }) => uuid))) ?? null;
  }

  #begin({ monotonic }: Tick, all: readonly Device[]): void {
    this.#startedAt = monotonic;
    const { request, env, requireListed } = this.#options;
    requireListed?.(all);
    const visible = alreadyVisible(env, all);
    if (visible === null) return;
    const value = env['CUDA_VISIBLE_DEVICES'] ?? '';
    if (visible === 'ambiguous') throw new AppError('VISIBLE_AMBIGUOUS', { value });
    if (visible.length < request.gpus) {
      throw new AppError('VISIBLE_TOO_FEW', { wanted: request.gpus, value, found: visible.length });
    }
    const uuids = new Set(visible.map(({ uuid }) => uuid));
    this.#wanted = (device) =>
      request.wanted(device) && (uuids.has(device.uuid) || (device.mig !== undefined && uuids.has(device.mig.parent)));
    this.#watch = new IdleWatch({ ...request, wanted: this.#wanted });
  }

  #isComplete(standings: readonly Standing[], { monotonic }: Tick, all: readonly Device[]): boolean {
    const missing = all.filter(
      (device) => this.#wanted(device) && !standings.some((one) => one.device.uuid === device.uuid),
    );
    return missing.length === 0 || monotonic - (this.#startedAt ?? monotonic) > FIRST_LOOK_MS;
  }

  async #check(standings: readonly Standing[]): Promise<void> {
    const { request, isQueued, isTaking, command } = this.#options;
    this.#isChecked = true;
    checkPossible(standings, request);
    if (!isTaking) return;
    const party: Party = {
      pid: process.pid,
      user: userName(),
      command: basename(command[0] ?? 'gpulse'),
      gpus: request.gpus,
      candidates: candidates(standings, request.gpus).map(({ device }) => device.uuid),
    };
    this.#queue = new Queue(party, process.hrtime.bigint());
    if (isQueued) await this.#queue.join();
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '?');
  }
}

/** Throws WAIT_TIMED_OUT, in the words of `time`, unless the GPUs come first. */
export async function withinTime(
  waiter: Waiter,
  { clock }: Pick<SourceOptions, 'clock'>,
  timeoutMs: number | null,
  failure: () => AppError,
): Promise<Granted> {
  if (timeoutMs === null) return waiter.granted();
  const passed = Promise.withResolvers<never>();
  const stop = clock.after(timeoutMs, () => passed.reject(failure()));
  try {
    return await Promise.race([waiter.granted(), passed.promise]);
  } finally {
    stop();
  }
}
