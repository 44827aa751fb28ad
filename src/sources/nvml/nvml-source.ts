import { join } from 'node:path';
import { CATALOGUE, type MetricId } from '../../model/catalogue.ts';
import type { Clock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import { AppError } from '../../model/errors.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { Notice, Probe, Source, TopologyLink, XidReport } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import type { DeviceSample, Tick } from '../../model/tick.ts';
import { asleepSample, Doze } from './doze.ts';
import { driverHang, type Hang } from './exit.ts';
import { explainFailure } from './failure-cause.ts';
import { holds } from './gpu-share.ts';
import { type Lane, type LaneEnd, PROMPT_MS } from './lane.ts';
import { Lanes, type Patience } from './lanes.ts';
import type { MetricFacts } from './plan.ts';
import { NO_NEWS, type TickNews } from './protocol.ts';
import { readTick } from './tick-reader.ts';

export interface NvmlOptions {
  readonly clock: Clock;
  /** The library to load, instead of looking for it in the usual places. */
  readonly library?: string;
  /** Milliseconds for which the probe waits for a driver that is slow to start; from then on each tick says so. */
  readonly probeMs?: number;
  readonly patience?: Partial<Patience>;
  /** GPUs found by an earlier source, so that one which is gone by now is listed as lost. */
  readonly known?: readonly Device[];
  /** Root folder under which `/proc` and `/dev` are looked at. */
  readonly root?: string;
  /** True where the driver is called without a thread of its own, and the process ends should it hang. */
  readonly isDeadlined?: boolean;
  /** All that will be looked at: what else there is need not be read where that would take time. */
  readonly only?: readonly MetricId[];
}

/** A {@link Probe} that gives the source with what only it can tell. */
export type NvmlProbe = { readonly ok: true; readonly source: NvmlSource } | Extract<Probe, { ok: false }>;

const PROBE_MS = 3000;
const PATIENCE: Patience = { hangMs: 1500, openHangMs: 4000, muteMs: 5000, calmMs: 60_000 };

/** How long after a failed attempt to open the driver the next one may follow. */
const RESTART_MS = 5000;

const NO_XIDS: readonly XidReport[] = [];

/** GPUs that are read less often than this, in milliseconds, are said to be slow. */
const SLOW_MS = 2500;

const FACTS = Object.fromEntries(CATALOGUE.map(({ id, slot, cadence }) => [id, { slot, cadence }])) as MetricFacts;

/**
 * Opens the GPUs of this machine through NVIDIA's management library. No library, no driver or no GPU is a refused
 * probe with the exact cause, not an exception. GPUs that are there and cannot be opened stay listed. A driver that has
 * neither started nor refused in time is a source whose ticks fail until it has.
 */
export async function openNvml(options: NvmlOptions): Promise<NvmlProbe> {
  const source = new NvmlSource(options);
  try {
    await source.open(options.probeMs ?? PROBE_MS);
    return { ok: true, source };
  } catch (error) {
    await source.close();
    if (error instanceof AppError) return { ok: false, reason: error };
    throw error;
  }
}

/** Ticks from the driver. Every driver call is made by a worker thread, see {@link Lanes}. */
export class NvmlSource implements Source {
  readonly name = 'nvml';
  readonly origin = 'live';
  readonly #options: NvmlOptions;
  readonly #lanes: Lanes;
  readonly #doze: Doze;
  /** What was listed before the driver had to be opened anew. */
  #known: readonly Device[] = [];
  #library: string | null = null;
  #faults = new Map<Lane, NonNullable<TickNews['faults']>>();
  /** Cards whose MIG instances are not all known. */
  #unlisted = new Map<Lane, readonly number[]>();
  #isGone = false;
  #xids: XidReport[] = [];
  /** When each GPU was read last, on the monotonic clock, and how long after the time before. */
  readonly #rhythm = new Map<string, { at: number; gapMs: number }>();
  #failure: AppError | null = null;
  #restartAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: NvmlOptions) {
    const { clock, library = null, root = '/', patience, isDeadlined = false, only = null } = options;
    this.#options = options;
    this.#doze = new Doze(root);
    this.#lanes = new Lanes({
      clock,
      worker: {
        library,
        facts: FACTS,
        only,
        kernelGpus: join(root, 'proc/driver/nvidia/gpus'),
        deviceNodes: join(root, 'dev'),
        isDeadlined,
      },
      patience: { ...PATIENCE, ...patience },
    });
  }

  /** Starts a worker; throws the AppError that says why the driver cannot be opened, if it says so within `probeMs`. */
  async open(probeMs: number): Promise<void> {
    // Another thread in a driver that hangs as a whole would only hang as well.
    if (driverHang() !== null) throw this.#timeout();
    if (this.#doze.isQuiet(this.#options.clock.monotonic())) {
      this.#known = this.#doze.devices();
      return;
    }
    const main = this.#lanes.start(this.#options.known ?? []);
    await this.#lanes.opened(probeMs);
    if (main.end !== null) throw await this.#giveUp(main.end);
  }

  /** The file that was loaded; null while none is. */
  get library(): string | null {
    return this.#library;
  }

  devices(): readonly Device[] {
    const devices = this.#lanes.devices();
    return devices.length === 0 ? this.#known : devices;
  }

  async sample(at: Millis): Promise<Tick | null> {
    if (this.#isClosed) return null;
    const monotonic = this.#options.clock.monotonic();
    if (this.#lanes.main === null) {
      if (this.#doze.isQuiet(monotonic)) return { at, monotonic, devices: this.#known.map(asleepSample), events: [] };
      this.#restart();
    }
    await this.#lanes.round();
    if (this.#isClosed) return null;
    const end = this.#lanes.main?.end ?? null;
    if (end !== null) throw await this.#giveUp(end);
    // What took long to come is of now, not of when it was asked for.
    const isLate = this.#options.clock.monotonic() - monotonic > PROMPT_MS;
    const tick = this.#collect(isLate ? this.#options.clock.now() : at);
    if (this.#doze.isIdle(tick.devices, monotonic)) await this.#letGo(monotonic);
    return tick;
  }

  /** Closes everything, so that idle GPUs may fall asleep. */
  async #letGo(now: number): Promise<void> {
    this.#known = this.devices();
    await this.#lanes.clear();
    this.#doze.noteLetGo(now);
  }

  notices(): readonly Notice[] {
    const hangs = this.#lanes.hangs().map((hang) => this.#hangNotice(hang));
    const faults = [...this.#faults.values()].flat();
    return [
      ...this.#startNotice(),
      ...hangs,
      ...faults.map(({ index, code }): Notice => ({ key: 'notice.gpu-closed', params: { index, code } })),
      ...[...this.#unlisted.values()]
        .flat()
        .map((index): Notice => ({ key: 'notice.mig-unlisted', params: { index } })),
      ...this.#slowNotices(),
    ];
  }

  topology(): readonly TopologyLink[] {
    // A pair that was asked for by the lane that had both before is known by that lane only.
    const byPair = new Map<string, TopologyLink>();
    for (const { topology } of this.#lanes.all)
      for (const link of topology) byPair.set(`${link.from} ${link.to}`, link);
    return [...byPair.values()];
  }

  takeXids(): readonly XidReport[] {
    if (this.#xids.length === 0) return NO_XIDS;
    return this.#xids.splice(0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#lanes.close();
  }

  /** The tick of what the lanes have answered; throws while the driver as a whole does not answer. */
  #collect(at: Millis): Tick {
    const { clock } = this.#options;
    const monotonic = clock.monotonic();
    const events: GpuEvent[] = [];
    const devices: DeviceSample[] = [];
    let isAnswered = false;
    for (const lane of this.#lanes.all) {
      this.#library ??= lane.library;
      const reply = lane.take();
      if (reply === null) continue;
      isAnswered = true;
      const { xids, outage, reloaded, unlisted, faults } = reply.news ?? NO_NEWS;
      for (const xid of xids ?? []) this.#xids.push({ at, ...xid });
      if (outage !== null && lane === this.#lanes.main) return this.#outage(outage, at, monotonic);
      if (reloaded && lane === this.#lanes.main) events.push(hostEvent(at, 'driver-reloaded', 'info'));
      if (unlisted === null) this.#unlisted.delete(lane);
      else this.#unlisted.set(lane, unlisted);
      if (faults === null) this.#faults.delete(lane);
      else this.#faults.set(lane, faults);
      if (outage !== null) continue;
      for (const sample of readTick(reply, lane.workerDevices, lane.details)) {
        if (!holds(lane.share, sample.device)) continue;
        devices.push(sample);
        this.#noteRhythm(sample.device.uuid, monotonic);
      }
    }
    if (isAnswered) this.#isGone = false;
    this.#lanes.isImpatient = devices.length === 0 && this.#lanes.hangs().length > 0;
    if (this.#lanes.isImpatient) throw this.#timeout();
    return { at, monotonic, devices, events };
  }

  /** The first tick in which the driver is gone says so; those that follow fail until it is back. */
  #outage({ code, params }: NonNullable<TickNews['outage']>, at: Millis, monotonic: number): Tick {
    const error = new AppError(code, params);
    if (this.#isGone) throw error;
    this.#isGone = true;
    this.#faults.clear();
    this.#unlisted.clear();
    return { at, monotonic, devices: [], events: [hostEvent(at, 'driver-gone', 'critical')] };
  }

  #noteRhythm(uuid: string, now: number): void {
    const before = this.#rhythm.get(uuid);
    if (before === undefined) this.#rhythm.set(uuid, { at: now, gapMs: 0 });
    else {
      before.gapMs = now - before.at;
      before.at = now;
    }
  }

  /** Only where the driver is slow to answer: a long sampling interval is no fault of the GPU. */
  #slowNotices(): Notice[] {
    if (this.#lanes.all.every(({ costs }) => costs === null)) return [];
    return this.#lanes.all.flatMap(({ devices, costs }) => {
      if (costs === null) return [];
      return devices.flatMap(({ uuid, index }): Notice[] => {
        const { gapMs = 0 } = this.#rhythm.get(uuid) ?? {};
        if (gapMs < SLOW_MS) return [];
        return [{ key: 'notice.gpu-slow', params: { index, seconds: Math.round(gapMs / 1000) } }];
      });
    });
  }

  #startNotice(): Notice[] {
    const { main } = this.#lanes;
    // One that takes the place of another starts as well, but the driver has long been running.
    if (main === null || main.isOpen || main.end !== null || main.hang !== null || this.#library !== null) return [];
    const { call, since } = main.look();
    return [{ key: 'notice.driver-starts', params: { call, seconds: this.#secondsSince(since) } }];
  }

  #hangNotice({ gpu: index, call, since }: Hang): Notice {
    const seconds = this.#secondsSince(since);
    if (index < 0)
      return { key: this.#isStarting() ? 'notice.driver-starts' : 'notice.driver-hangs', params: { call, seconds } };
    return { key: 'notice.gpu-hangs', params: { index, call, seconds } };
  }

  #restart(): void {
    if (this.#failure !== null && this.#options.clock.monotonic() < this.#restartAt) throw this.#failure;
    this.#lanes.start(this.#known);
  }

  /** The driver cannot be opened, or its worker has died: everything is closed, and begun anew after a while. */
  async #giveUp(end: LaneEnd): Promise<AppError> {
    const { clock, root = '/', library = null } = this.#options;
    this.#known = this.devices();
    this.#faults.clear();
    this.#unlisted.clear();
    void this.#lanes.clear();
    this.#failure =
      end.kind === 'died'
        ? new AppError('INTERNAL', { detail: end.detail })
        : await explainFailure(end.failure, root, library);
    this.#restartAt = clock.monotonic() + RESTART_MS;
    return this.#failure;
  }

  /** The call that has hung for longest: what hung later may only wait for it. */
  #timeout(): AppError {
    const hang = this.#lanes.hangs()[0] ?? driverHang();
    const call = hang?.call ?? '?';
    return new AppError(this.#isStarting() ? 'NVML_STARTING' : 'NVML_TIMEOUT', {
      seconds: hang === null ? 0 : this.#secondsSince(hang.since),
      call,
    });
  }

  /** Nobody has seen the driver yet: it may well take its time to wake the GPUs. */
  #isStarting(): boolean {
    return this.#lanes.main?.isOpen === false && this.#lanes.all.length === 1 && this.devices().length === 0;
  }

  #secondsSince(since: number): number {
    return Math.max(1, Math.round((this.#options.clock.monotonic() - since) / 1000));
  }
}

function hostEvent(at: Millis, kind: GpuEvent['kind'], severity: GpuEvent['severity']): GpuEvent {
  return { at, kind, severity, uuid: null, params: {} };
}
