import type { Clock, Stop } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import { AppError } from '../../model/errors.ts';
import type { Notice, Origin, Probe, Source } from '../../model/ports.ts';
import { absent, type Millis } from '../../model/reading.ts';
import { absenceCode, ReadingSet } from '../../model/reading-set.ts';
import type { DeviceSample, Tick } from '../../model/tick.ts';
import { fastFields, processFields, slowFields } from './fields.ts';
import { kernelGpus } from './kernel-gpus.ts';
import { type Launch, launchBySsh, launchHere } from './launch.ts';
import { ProcessList } from './process-list.ts';
import { QueryLoop } from './query-loop.ts';
import { UnreachableGpus } from './unreachable-gpus.ts';

export interface SmiOptions {
  readonly clock: Clock;
  /** `[user@]host[:port]` of another machine, reached by ssh; null for this one. */
  readonly remote: string | null;
  /** Milliseconds between ticks. */
  readonly intervalMs?: number;
  /** How long the first answer is waited for. */
  readonly probeMs?: number;
  /** Path or name of the tool on this machine. */
  readonly tool?: string;
}

const PROBE_MS = 30_000;
/** What changes seldom, and processes, are asked for at least so far apart: each answer keeps the driver busy. */
const SLOW_MS = 30_000;
const PROCESSES_MS = 5000;

/** How long the first answer waits for those of the other queries. */
const BESIDE_MS = 1500;

const NOT_COLLECTED = absenceCode('not-collected');

/**
 * Reads NVIDIA GPUs by the tool `nvidia-smi`, for machines on which its library cannot be loaded. The tool is started
 * once per query and goes on by itself. The probe is refused with one of the SMI or SSH errors. Throws BAD_OPTION for a
 * remote that is no target.
 */
export async function openSmi(options: SmiOptions): Promise<Probe> {
  const { clock, remote, tool, probeMs = PROBE_MS } = options;
  const launch = remote === null ? launchHere(tool) : launchBySsh(remote);
  const source = new SmiSource(launch, clock, options.intervalMs ?? 1000);
  const reason = await source.start(probeMs);
  if (reason === null) return { ok: true, source };
  await source.close();
  return { ok: false, reason };
}

class SmiSource implements Source {
  readonly origin: Origin = 'live';
  readonly name: string;
  readonly #launch: Launch;
  readonly #clock: Clock;
  readonly #fast: QueryLoop;
  readonly #slow: QueryLoop;
  readonly #processQuery: QueryLoop;
  readonly #processes: ProcessList;
  readonly #unreachable: UnreachableGpus;
  readonly #known = new Map<string, Device>();
  #slowReadings: ReadonlyMap<string, ReadingSet> = new Map();
  /** What has come since the last tick. */
  #fresh = new Map<string, DeviceSample>();
  #failure: AppError | null = null;
  readonly #first = Promise.withResolvers<AppError | null>();

  constructor(launch: Launch, clock: Clock, intervalMs: number) {
    this.name = launch.host === null ? 'nvidia-smi' : `nvidia-smi:ssh:${launch.host}`;
    this.#launch = launch;
    this.#clock = clock;
    const slowMs = Math.max(SLOW_MS, intervalMs);
    const processMs = Math.max(PROCESSES_MS, intervalMs);
    this.#processes = new ProcessList(clock, processMs);
    this.#unreachable = new UnreachableGpus(clock, () => {
      for (const loop of [this.#fast, this.#slow, this.#processQuery]) loop.restart();
    });
    const shared = {
      launch,
      clock,
      onUnreachable: (busId: string) => this.#unreachable.add(busId, this.#places()),
      places: () => this.#unreachable.others(this.#places()),
    };
    this.#fast = new QueryLoop({
      ...shared,
      query: 'gpu',
      fields: fastFields(),
      intervalMs,
      onSamples: (samples) => this.#take(samples),
      onFailure: (failure) => this.#fail(failure),
    });
    this.#slow = new QueryLoop({
      ...shared,
      query: 'gpu',
      fields: slowFields(),
      intervalMs: slowMs,
      onSamples: (samples) => this.#takeSlow(samples),
      onFailure: () => {},
    });
    this.#processQuery = new QueryLoop({
      ...shared,
      query: 'compute-apps',
      fields: processFields(),
      intervalMs: processMs,
      onSamples: (samples) => this.#processes.take(samples),
      onFailure: () => this.#processes.fail(),
    });
  }

  /** Resolves with null once there is data, or with the reason why there is none. */
  async start(probeMs: number): Promise<AppError | null> {
    const where = this.#launch.host === null ? '' : ` (${this.#launch.host})`;
    const stopWait: Stop = this.#clock.after(probeMs, () =>
      this.#first.resolve(new AppError('SMI_TIMEOUT', { where, seconds: Math.round(probeMs / 1000) })),
    );
    void this.#fast.start();
    const reason = await this.#first.promise;
    stopWait();
    if (reason !== null) return reason;
    // Whoever asks only once should see what the other queries say too, if they are quick.
    const hasSlow = this.#slow.start();
    const hasProcesses = this.#processQuery.start();
    await Promise.race([Promise.all([hasSlow, hasProcesses]), this.#pause(BESIDE_MS)]);
    return null;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(ms, resolve);
    });
  }

  devices(): readonly Device[] {
    return [...this.#known.values()].sort((a, b) => a.index - b.index);
  }

  async sample(at: Millis): Promise<Tick> {
    if (this.#fresh.size === 0 && this.#failure !== null) throw this.#failure;
    const samples = [...this.#fresh.values()].sort((a, b) => a.device.index - b.device.index);
    this.#fresh = new Map();
    return {
      at,
      monotonic: this.#clock.monotonic(),
      devices: samples.map((sample) => this.#completed(sample)),
      events: [],
    };
  }

  notices(): readonly Notice[] {
    return [];
  }

  async close(): Promise<void> {
    this.#unreachable.close();
    await Promise.all([this.#fast.stop(), this.#slow.stop(), this.#processQuery.stop()]);
  }

  #take(samples: readonly DeviceSample[]): void {
    this.#failure = null;
    for (const sample of samples) {
      this.#known.set(sample.device.uuid, sample.device);
      this.#fresh.set(sample.device.uuid, sample);
    }
    for (const device of this.#unreachable.lost(this.devices())) {
      this.#known.set(device.uuid, device);
      const readings = ReadingSet.allAbsent('gpu-lost');
      this.#fresh.set(device.uuid, { device, state: 'lost', readings, processes: absent('gpu-lost') });
    }
    this.#first.resolve(null);
  }

  #takeSlow(samples: readonly DeviceSample[]): void {
    const before = this.#slowReadings;
    // A GPU that did not answer keeps what was known; its state is told by the fast query.
    const now = samples
      .filter(({ state }) => state === 'ok')
      .map(({ device, readings }) => [device.uuid, readings] as const);
    this.#slowReadings = new Map([...before, ...now]);
  }

  #fail(failure: AppError): void {
    this.#failure = failure;
    this.#first.resolve(failure);
  }

  /** With what the other queries know about it. */
  #completed(sample: DeviceSample): DeviceSample {
    if (sample.state !== 'ok') return { ...sample, processes: absent('gpu-lost') };
    const readings = sample.readings.clone();
    const slow = this.#slowReadings.get(sample.device.uuid);
    if (slow !== undefined) {
      for (let slot = 0; slot < readings.codes.length; slot++) {
        if (readings.codes[slot] !== NOT_COLLECTED) continue;
        readings.values[slot] = slow.values[slot]!;
        readings.codes[slot] = slow.codes[slot]!;
      }
    }
    return { ...sample, readings, processes: this.#processes.of(sample.device) };
  }

  /** Where GPUs are known to be. */
  #places(): readonly string[] {
    const listed = this.#launch.host === null ? kernelGpus() : [];
    return [...this.devices().flatMap(({ pciBusId }) => pciBusId ?? []), ...listed];
  }
}
