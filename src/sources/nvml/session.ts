import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CODE, type Code } from './abi.ts';
import { Activity } from './activity.ts';
import { isLost, runReader } from './answers.ts';
import { closeDriver, type Driver, initFailure, openDriver } from './driver.ts';
import { Fleet } from './fleet.ts';
import { GpmLock } from './gpm-lock.ts';
import type { Gpu } from './gpu.ts';
import { routeProcesses } from './mig.ts';
import { makePlan, type Plan } from './plan.ts';
import { ProcessReader } from './processes.ts';
import { NONE, type Progress } from './progress.ts';
import type { Failure, Reply, Request, TickNews, TickReply, WorkerOptions } from './protocol.ts';
import { Rota } from './rota.ts';
import { codeOf } from './row.ts';
import { TickFields } from './tick-fields.ts';
import { type TickMemory, TickPacker } from './tick-packer.ts';
import { Topology } from './topology.ts';
import { XidPoll } from './xid-poll.ts';

/** Every slow reader comes round on every GPU once in this time. */
const SLOW_PERIOD_MS = 10_000;
const COUNT_PERIOD_MS = 30_000;
/** With every GPU lost for so long, the library is opened anew: an old handle does not survive a driver reload. */
const ALL_LOST_MS = 30_000;
const FIRST_REOPEN_MS = 1000;
const MAX_REOPEN_MS = 30_000;

/** Reading may take so long in one tick; the GPUs that were not reached come first in the next. */
const BUDGET_MS = 500;
/** The same for what is asked in turn, besides. */
const SLOW_BUDGET_MS = 200;
/** What reading costs is told from here on, so that the main thread may share the work out. */
const TOLD_COST_MS = 100;

const LOST = codeOf('gpu-lost');

/** The driver is gone; the library is opened anew when it is time. */
interface Outage {
  readonly code: Code;
  readonly failure: Failure;
  readonly waitMs: number;
  readonly nextTry: number;
}

/** The driver and all GPUs as one worker sees them. Single-threaded and blocking. */
export class Session {
  readonly #options: WorkerOptions;
  readonly #progress: Progress;
  readonly #plan: Plan;
  readonly #fleet: Fleet;
  readonly #fields: TickFields;
  readonly #activity: Activity;
  readonly #packer: TickPacker;
  readonly #rota = new Rota(SLOW_PERIOD_MS);
  #driver: Driver | null = null;
  #processes: ProcessReader | null = null;
  readonly #xids = new XidPoll();
  readonly #topology = new Topology();
  #lastNow: number | null = null;
  #nextCount = 0;
  /** The GPU that is read first in the next tick. */
  #turn = 0;
  #allLostSince: number | null = null;
  #outage: Outage | null = null;
  /** The outage before, until a tick has shown that it is over. */
  #recovering: Outage | null = null;

  constructor(options: WorkerOptions, progress: Progress, memory: TickMemory) {
    this.#options = options;
    this.#progress = progress;
    this.#plan = makePlan(options.facts, options.only);
    this.#fleet = new Fleet(this.#plan, options);
    this.#packer = new TickPacker(this.#plan.rowSize, memory);
    this.#fields = new TickFields(options.facts);
    this.#activity = new Activity(options.facts, new GpmLock(options.gpmLock), options.only);
  }

  /** Opens the driver and every GPU. With no GPU at all the driver is closed again. */
  open(): Extract<Reply, { type: 'opened' | 'failed' }> {
    const opened = openDriver(this.#options.library, this.#progress);
    if (!opened.ok) return { type: 'failed', failure: opened.failure };
    const { driver } = opened;
    this.#adopt(driver);
    const code = this.#fleet.enumerate(driver, 0);
    if (code !== CODE.ok) {
      const failure = initFailure(code, driver);
      this.close();
      return { type: 'failed', failure };
    }
    if (this.#fleet.gpus.length === 0 && this.#fleet.count === 0) {
      this.close();
      return { type: 'failed', failure: { code: 'NVML_NO_DEVICES', params: {} } };
    }
    this.#fleet.isChanged = false;
    this.#heedRestriction();
    const devices = this.#fleet.gpus.map(({ device }) => device);
    const unseen = this.#fleet.describeUnseen(driver);
    return { type: 'opened', devices, unseen, library: driver.library, driverVersion: driver.version };
  }

  sample({ now, share }: Extract<Request, { type: 'sample' }>): TickReply {
    this.#heedRestriction();
    const elapsed = now - (this.#lastNow ?? now);
    if (this.#lastNow === null) this.#nextCount = now + COUNT_PERIOD_MS;
    this.#lastNow = now;
    if (this.#outage !== null && now >= this.#outage.nextTry) this.#reopen(this.#outage, now);
    let reloaded = false;
    let xids: TickNews['xids'] = null;
    let topology: TickNews['topology'] = null;
    if (share !== null) this.#fleet.take(share, this.#outage === null ? this.#driver : null, now);
    if (this.#outage === null && this.#driver !== null) {
      this.#readAll(this.#driver, now, elapsed);
      if (this.#options.asksXids) xids = this.#xids.poll(this.#driver.nvml, this.#fleet.gpus, now);
      topology = this.#topology.step(this.#driver.nvml, this.#fleet.cards);
      this.#progress.setGpu(NONE);
      reloaded = this.#judge(now);
    }
    return this.#packer.pack(this.#fleet, this.#outage === null ? this.#processes : null, {
      reloaded,
      xids,
      topology,
      costs: this.#costs(),
      outage: this.#outage?.failure ?? null,
      isGone: this.#outage !== null,
    });
  }

  /** Drops the GPUs that were given to another worker while a call hung. */
  #heedRestriction(): void {
    const only = this.#progress.takeOnly();
    if (only !== NONE) this.#fleet.keepOnly(only);
  }

  #costs(): readonly number[] | null {
    const { gpus } = this.#fleet;
    let sum = 0;
    for (let i = 0; i < gpus.length; i++) sum += gpus[i]!.costMs;
    return sum < TOLD_COST_MS ? null : gpus.map(({ costMs }) => costMs);
  }

  /** Releases the driver. Harmless when it is closed already. */
  close(): void {
    const driver = this.#driver;
    this.#driver = null;
    this.#progress.setGpu(NONE);
    if (driver === null) return;
    this.#activity.release(driver.nvml);
    this.#xids.release(driver.nvml);
    closeDriver(driver);
  }

  #adopt(driver: Driver): void {
    this.#driver = driver;
    this.#processes = new ProcessReader(driver.nvml, driver.version);
  }

  #readAll(driver: Driver, now: number, elapsed: number): void {
    const { nvml } = driver;
    const { gpus, cards } = this.#fleet;
    if (now >= this.#nextCount) {
      this.#nextCount = now + COUNT_PERIOD_MS;
      this.#fleet.checkCount(driver, now);
    }
    this.#lookAgain(driver, now);
    this.#processes?.clear();
    this.#readInTurn(driver, now);
    if (this.#processes !== null && cards.length < gpus.length) routeProcesses(this.#processes.table, gpus);
    const slowJobs = (this.#plan.slow.length + 1) * cards.length;
    const deadline = performance.now() + SLOW_BUDGET_MS;
    this.#rota.turn(
      slowJobs,
      elapsed,
      (job) => this.#runSlowJob(driver, job, now),
      () => performance.now() > deadline,
    );
    this.#fleet.primeOn(driver, now, deadline);
    this.#fields.readThroughputInTurn(nvml, cards, elapsed);
    this.#progress.setGpu(NONE);
  }

  /** Looks again at GPUs that are closed, and at cards whose MIG instances may be others by now. */
  #lookAgain(driver: Driver, now: number): void {
    const { gpus } = this.#fleet;
    let isAnyAmiss = false;
    for (let i = 0; i < gpus.length; i++) isAnyAmiss ||= gpus[i]!.closed !== 0 || gpus[i]!.isRecut;
    if (!isAnyAmiss) return;
    for (const gpu of [...gpus]) if (gpu.closed !== 0 && now >= gpu.nextProbe) this.#fleet.probe(driver, gpu, now);
    for (const card of this.#fleet.cards) if (card.isRecut) this.#fleet.readMigMode(driver, card);
  }

  /** Reads one GPU after the other for as long as the budget lasts, and at least one. */
  #readInTurn(driver: Driver, now: number): void {
    const { gpus } = this.#fleet;
    for (let i = 0; i < gpus.length; i++) gpus[i]!.isFresh = gpus[i]!.closed !== 0;
    const started = performance.now();
    let at = started;
    for (let k = 0; k < gpus.length; k++) {
      const position = (this.#turn + k) % gpus.length;
      if (at - started > BUDGET_MS) {
        this.#turn = position;
        return;
      }
      this.#readOrLose(driver, position, now);
      const after = performance.now();
      gpus[position]!.costMs = after - at;
      at = after;
    }
    this.#turn = 0;
  }

  #readOrLose(driver: Driver, position: number, now: number): void {
    const gpu = this.#fleet.gpus[position]!;
    const { only } = this.#progress;
    if (gpu.closed !== 0 || (only !== NONE && only !== gpu.device.index)) return;
    gpu.isFresh = true;
    gpu.answered = false;
    gpu.driverFailure = 0;
    gpu.wasCalledLost = false;
    gpu.wantsReset = false;
    if (gpu.card !== null) this.#readInstance(driver, gpu, gpu.card);
    else if (!this.#readGpu(driver, gpu, position)) this.#fleet.lose(gpu, now);
    else if (gpu.wantsReset && !gpu.answered) this.#fleet.awaitReset(gpu, now);
  }

  /** A MIG instance has memory of its own; its processes are among those of its card. */
  #readInstance(driver: Driver, instance: Gpu, card: Gpu): void {
    this.#progress.setGpu(card.device.index);
    for (const reader of this.#plan.instance) {
      const code = runReader(driver.nvml, instance, reader);
      card.isRecut ||= code === CODE.invalidArgument || code === CODE.notFound;
    }
    this.#activity.gpm.read(driver.nvml, card, instance);
    instance.processes = card.processes;
  }

  /** What is read in every tick. False if the GPU turned out to be lost. */
  #readGpu(driver: Driver, gpu: Gpu, position: number): boolean {
    const { nvml } = driver;
    this.#progress.setGpu(gpu.device.index);
    let isSuspect = false;
    // First, since a reader has nothing to ask where the fields brought its number.
    this.#fields.read(nvml, gpu);
    const { fast } = this.#plan;
    for (let i = 0; i < fast.length; i++) {
      if (!isLost(runReader(nvml, gpu, fast[i]!)) || isSuspect) continue;
      isSuspect = true;
      if (this.#fleet.isLost(driver, gpu)) return false;
    }
    this.#activity.read(nvml, gpu);
    gpu.processes = this.#processes?.read(nvml, gpu, position) ?? 0;
    return !gpu.wasCalledLost || !this.#fleet.isLost(driver, gpu);
  }

  /** Neighbouring jobs are on different GPUs. The last job of a GPU lets resting questions be asked again. */
  #runSlowJob(driver: Driver, job: number, now: number): void {
    const { cards } = this.#fleet;
    const gpu = cards[job % cards.length]!;
    const reader = this.#plan.slow[Math.floor(job / cards.length)];
    if (gpu.closed !== 0) return;
    this.#progress.setGpu(gpu.device.index);
    if (reader === undefined) {
      for (const one of this.#fleet.gpus) if (one === gpu || one.card === gpu) one.wakeQuestions();
      // Listing instances moves the positions of the GPUs, which hold until the tick is packed.
      gpu.isRecut = true;
      this.#fleet.reidentify(driver, gpu);
    } else if (isLost(runReader(driver.nvml, gpu, reader)) && this.#fleet.isLost(driver, gpu)) {
      this.#fleet.lose(gpu, now);
    }
  }

  /** Decides after a tick whether the driver itself is gone. True if it was gone and is back. */
  #judge(now: number): boolean {
    const { gpus } = this.#fleet;
    let open = 0;
    let lost = 0;
    let mute = 0;
    let failure: Code = CODE.ok;
    for (let i = 0; i < gpus.length; i++) {
      const gpu = gpus[i]!;
      if (gpu.closed === LOST) lost++;
      if (gpu.closed !== 0 || !gpu.isFresh) continue;
      open++;
      if (gpu.answered || gpu.driverFailure === 0) continue;
      if (mute++ === 0) failure = gpu.driverFailure;
    }
    if (open > 0 && mute === open) this.#goDown(failure, now);
    this.#watchLost(lost > 0 && lost === gpus.length, now);
    if (this.#outage !== null || this.#recovering === null || open === 0) return false;
    this.#recovering = null;
    return true;
  }

  #watchLost(areAllLost: boolean, now: number): void {
    if (!areAllLost) {
      this.#allLostSince = null;
      return;
    }
    this.#allLostSince ??= now;
    const areNodesGone = !existsSync(join(this.#options.deviceNodes, 'nvidiactl'));
    if (areNodesGone || now - this.#allLostSince >= ALL_LOST_MS) this.#goDown(CODE.gpuIsLost, now);
  }

  /** An outage that follows on the heels of another waits twice as long for its first attempt. */
  #goDown(code: Code, now: number): void {
    const waitMs = Math.min((this.#recovering?.waitMs ?? FIRST_REOPEN_MS / 2) * 2, MAX_REOPEN_MS);
    this.#recovering = null;
    this.#outage = { code, failure: this.#failureOf(code), waitMs, nextTry: now + waitMs };
  }

  #failureOf(code: Code): Failure {
    const driver = this.#driver;
    const isKnown = code === CODE.driverNotLoaded || code === CODE.versionMismatch;
    return driver !== null && isKnown ? initFailure(code, driver) : gone(code, driver);
  }

  #reopen(outage: Outage, now: number): void {
    this.#fleet.voidHandles();
    this.close();
    const opened = openDriver(this.#options.library, this.#progress);
    let code: Code = opened.ok ? CODE.ok : opened.code;
    let failure = opened.ok || opened.failure.code === 'NVML_INIT_FAILED' ? outage.failure : opened.failure;
    if (opened.ok) {
      this.#adopt(opened.driver);
      code = this.#fleet.enumerate(opened.driver, now);
      if (code !== CODE.ok) failure = this.#failureOf(code);
    }
    if (code === CODE.ok) {
      this.#outage = null;
      this.#recovering = outage;
      this.#allLostSince = null;
    } else {
      const waitMs = Math.min(outage.waitMs * 2, MAX_REOPEN_MS);
      this.#outage = { code, failure, waitMs, nextTry: now + waitMs };
    }
  }
}

/** A driver that has stopped answering, rather than one that cannot be started. */
function gone(code: Code, driver: Driver | null): Failure {
  return { code: 'NVML_DRIVER_GONE', params: { code, detail: driver?.nvml.errorText(code) ?? '?' } };
}
