import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CODE, type Code } from './abi.ts';
import { isLost, runReader } from './answers.ts';
import { closeDriver, type Driver, initFailure, openDriver } from './driver.ts';
import { Fleet } from './fleet.ts';
import type { Gpu } from './gpu.ts';
import { makePlan, type Plan } from './plan.ts';
import { ProcessReader } from './processes.ts';
import { NONE, type Progress } from './progress.ts';
import type { Reply, Request, TickReply, WorkerOptions } from './protocol.ts';
import { Rota } from './rota.ts';
import { codeOf } from './row.ts';
import { TickFields } from './tick-fields.ts';
import { packTick } from './tick-packer.ts';

/** Every slow reader comes round on every GPU once in this time. */
const SLOW_PERIOD_MS = 10_000;
const COUNT_PERIOD_MS = 30_000;
/** With every GPU lost for so long, the library is opened anew: an old handle does not survive a driver reload. */
const ALL_LOST_MS = 30_000;
const FIRST_REOPEN_MS = 1000;
const MAX_REOPEN_MS = 30_000;

const LOST = codeOf('gpu-lost');

/** The driver is gone; the library is opened anew when it is time. */
interface Outage {
  readonly code: Code;
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
  readonly #rota = new Rota(SLOW_PERIOD_MS);
  #driver: Driver | null = null;
  #processes: ProcessReader | null = null;
  #lastNow: number | null = null;
  #nextCount = 0;
  #allLostSince: number | null = null;
  #outage: Outage | null = null;
  /** The outage before, until a tick has shown that it is over. */
  #recovering: Outage | null = null;

  constructor(options: WorkerOptions, progress: Progress) {
    this.#options = options;
    this.#progress = progress;
    this.#plan = makePlan(options.facts);
    this.#fleet = new Fleet(this.#plan, options);
    this.#fields = new TickFields(options.facts);
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
    if (this.#fleet.gpus.length === 0 && this.#options.skip.length === 0) {
      this.close();
      return { type: 'failed', failure: { code: 'NVML_NO_DEVICES', params: {} } };
    }
    this.#fleet.isChanged = false;
    const devices = this.#fleet.gpus.map(({ device }) => device);
    const skipped = this.#fleet.describeSkipped(driver);
    return { type: 'opened', devices, skipped, library: driver.library, driverVersion: driver.version };
  }

  sample({ now, resume }: Extract<Request, { type: 'sample' }>): TickReply {
    const elapsed = now - (this.#lastNow ?? now);
    if (this.#lastNow === null) this.#nextCount = now + COUNT_PERIOD_MS;
    this.#lastNow = now;
    if (this.#outage !== null && now >= this.#outage.nextTry) this.#reopen(this.#outage, now);
    let reloaded = false;
    if (this.#outage === null && this.#driver !== null) {
      if (resume.length > 0) this.#fleet.resume(this.#driver, resume, now);
      this.#readAll(this.#driver, now, elapsed);
      reloaded = this.#judge(now);
    }
    const driverFailure = this.#outage?.code ?? 0;
    return packTick(this.#fleet, this.#outage === null ? this.#processes : null, this.#plan.rowSize, {
      reloaded,
      driverFailure,
    });
  }

  /** Releases the driver. Harmless when it is closed already. */
  close(): void {
    const driver = this.#driver;
    this.#driver = null;
    this.#progress.setGpu(NONE);
    if (driver !== null) closeDriver(driver);
  }

  #adopt(driver: Driver): void {
    this.#driver = driver;
    this.#processes = new ProcessReader(driver.nvml, driver.version);
  }

  #readAll(driver: Driver, now: number, elapsed: number): void {
    const { nvml } = driver;
    const { gpus } = this.#fleet;
    if (now >= this.#nextCount) {
      this.#nextCount = now + COUNT_PERIOD_MS;
      this.#fleet.checkCount(driver, now);
    }
    for (const gpu of [...gpus]) if (gpu.closed !== 0 && now >= gpu.nextProbe) this.#fleet.probe(driver, gpu, now);
    this.#processes?.clear();
    for (let i = 0; i < gpus.length; i++) {
      const gpu = gpus[i]!;
      gpu.answered = false;
      gpu.driverFailure = 0;
      if (gpu.closed === 0 && !this.#readGpu(driver, gpu, i)) this.#fleet.lose(gpu, now);
    }
    const slowJobs = this.#plan.slow.length + 1;
    this.#rota.turn(gpus.length * slowJobs, elapsed, (job) => this.#runSlowJob(driver, job, now));
    this.#fields.readThroughputInTurn(nvml, gpus);
    this.#progress.setGpu(NONE);
  }

  /** What is read in every tick. False if the GPU turned out to be lost. */
  #readGpu({ nvml }: Driver, gpu: Gpu, position: number): boolean {
    this.#progress.setGpu(gpu.device.index);
    for (const reader of this.#plan.fast) if (isLost(runReader(nvml, gpu, reader))) return false;
    if (isLost(this.#fields.read(nvml, gpu))) return false;
    gpu.processes = this.#processes?.read(nvml, gpu, position) ?? 0;
    return gpu.processes !== LOST;
  }

  /** Neighbouring jobs are on different GPUs. The last job of a GPU lets resting questions be asked again. */
  #runSlowJob(driver: Driver, job: number, now: number): void {
    const { gpus } = this.#fleet;
    const gpu = gpus[job % gpus.length]!;
    const reader = this.#plan.slow[Math.floor(job / gpus.length)];
    if (gpu.closed !== 0) return;
    this.#progress.setGpu(gpu.device.index);
    if (reader === undefined) {
      gpu.wakeQuestions();
      this.#fleet.readMigMode(driver, gpu);
    } else if (isLost(runReader(driver.nvml, gpu, reader))) {
      this.#fleet.lose(gpu, now);
    }
  }

  /** Decides after a tick whether the driver itself is gone. True if it was gone and is back. */
  #judge(now: number): boolean {
    const { gpus } = this.#fleet;
    const open = gpus.filter(({ closed }) => closed === 0);
    const isMute = open.length > 0 && open.every(({ answered, driverFailure }) => !answered && driverFailure !== 0);
    if (isMute) this.#goDown(open[0]!.driverFailure, now);
    this.#watchLost(now);
    if (this.#outage !== null || this.#recovering === null || open.length === 0) return false;
    this.#recovering = null;
    return true;
  }

  #watchLost(now: number): void {
    const { gpus } = this.#fleet;
    if (gpus.length === 0 || gpus.some(({ closed }) => closed !== LOST)) {
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
    this.#outage = { code, waitMs, nextTry: now + waitMs };
  }

  #reopen(outage: Outage, now: number): void {
    this.#fleet.voidHandles();
    this.close();
    const opened = openDriver(this.#options.library, this.#progress);
    let code: Code = opened.ok ? CODE.ok : opened.code;
    if (opened.ok) {
      this.#adopt(opened.driver);
      code = this.#fleet.enumerate(opened.driver, now);
    }
    if (code === CODE.ok) {
      this.#outage = null;
      this.#recovering = outage;
      this.#allLostSince = null;
    } else {
      const waitMs = Math.min(outage.waitMs * 2, MAX_REOPEN_MS);
      this.#outage = { code, waitMs, nextTry: now + waitMs };
    }
  }
}
