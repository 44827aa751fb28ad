import type { AbsenceReason } from '../../model/reading.ts';
import { CODE, type Code, GPM_METRIC, GPM_METRICS, GPM_SUPPORT } from './abi.ts';
import { absenceOf, noteCode } from './answers.ts';
import { ASK, NEVER, REST } from './asking.ts';
import type { GpmLock } from './gpm-lock.ts';
import { GPM_METRIC_LIST, type GpmMetric } from './gpm-metrics.ts';
import { type GpmMemory, type GpmSample, GpmSamples } from './gpm-samples.ts';
import type { Gpu } from './gpu.ts';
import type { Nvml } from './nvml.ts';
import type { MetricFacts } from './plan.ts';
import { codeOf, type Row } from './row.ts';
import { symbol } from './symbols.ts';

const QUERY_SUPPORT = symbol('nvmlGpmQueryDeviceSupport');
const TAKE = symbol('nvmlGpmSampleGet');
const TAKE_OF_INSTANCE = symbol('nvmlGpmMigSampleGet');
const COMPUTE = symbol('nvmlGpmMetricsGet');

/** Two samples closer together give numbers without meaning. */
const MIN_DISTANCE_MS = 100;
/** How long another thread is waited for; once that was in vain, not at all. */
const LOCK_WAIT_MS = 20;
/** Values older than this are not shown as those of now, where a thread that hangs keeps all others waiting. */
const MAX_AGE_MS = 10_000;

const OK = CODE.ok;
const ENTRY_WORDS = GPM_METRIC.size / 4;
const METRIC_CODE = GPM_METRIC.code / 4;
const METRIC_VALUE = GPM_METRIC.value / 4;
const ENTRIES = GPM_METRICS.entries / 4;

const BYTES_PER_MIB = 2 ** 20;
const MAX_BYTES_PER_SECOND = 2 ** 43;
/** Cycles are counted by two counters that are not read at the same instant. */
const SKEW = 0.01;

const ALL = GPM_METRIC_LIST.map((_, position) => position);
/** 1 for a share in percent, by position. */
const IS_SHARE = Uint8Array.from(GPM_METRIC_LIST, ({ kind }) => (kind === 'percent' ? 1 : 0));
const MIG = codeOf('mig');
const NOT_SUPPORTED = codeOf('not-supported');
const NOT_COLLECTED = codeOf('not-collected');

/** Where the values of a card, or of a MIG instance of it, go. */
export interface GpmTarget {
  readonly row: Row;
  readonly gpm: GpmMemory;
}

/**
 * How much of a GPU works, by the hardware's performance counters: two samples, a tick apart, and what changed between
 * them. Hopper and newer.
 */
export class Gpm {
  readonly #lock: GpmLock;
  readonly #slots: readonly number[];
  readonly #samples = new GpmSamples();
  readonly #words = new Uint32Array(GPM_METRICS.size / 4);
  readonly #float = new Float64Array(this.#words.buffer);
  /** The metrics that were asked for last, and their entries in the request. */
  #listed: readonly number[] = [];
  #entries = new Uint32Array();
  #isLockHeld = false;

  constructor(facts: MetricFacts, lock: GpmLock) {
    this.#lock = lock;
    this.#slots = GPM_METRIC_LIST.map(({ metric }) => facts[metric].slot);
  }

  /** Reads an open GPU as a whole, or one of its MIG instances. */
  read(nvml: Nvml, gpu: Gpu, target: GpmTarget = gpu): void {
    const { gpm } = target;
    if (gpm.asking !== ASK) return;
    if (gpu.mig && gpm.gpuInstance === null) {
      gpm.takenAt = null;
      this.#putAll(gpu, target, MIG);
      return;
    }
    if (!this.#lock.take(this.#isLockHeld ? 0 : LOCK_WAIT_MS)) {
      this.#isLockHeld = true;
      if (performance.now() - gpm.readAt > MAX_AGE_MS) this.#putAll(gpu, target, NOT_COLLECTED);
      return;
    }
    this.#isLockHeld = false;
    try {
      const code = this.#advance(nvml, gpu, target);
      if (code !== CODE.ok) this.#giveReason(gpu, target, code);
    } finally {
      this.#lock.release();
    }
  }

  /** Frees every sample: before the library is shut down, and only by the thread that reads. */
  release(nvml: Nvml): void {
    // These samples are nobody else's: whoever holds the lock for too long does not keep them.
    const isAlone = this.#lock.take(LOCK_WAIT_MS);
    this.#samples.release(nvml);
    if (isAlone) this.#lock.release();
  }

  #advance(nvml: Nvml, gpu: Gpu, target: GpmTarget): Code {
    const { gpm } = target;
    if (!gpm.isSupported) {
      const code = querySupport(nvml, gpu);
      if (code !== CODE.ok) return code;
      gpm.isSupported = true;
    }
    const now = performance.now();
    if (gpm.takenAt !== null && now - gpm.takenAt < MIN_DISTANCE_MS) return CODE.ok;
    const provided = this.#samples.provide(nvml, gpm, now);
    if (provided !== CODE.ok) return provided;
    const { older, newer } = gpm;
    if (older === null || newer === null) return CODE.insufficientSize;
    const taken = takeSample(nvml, gpu, gpm, newer);
    noteCode(gpu, taken);
    if (taken !== CODE.ok) return taken;
    const isFirst = gpm.takenAt === null;
    gpm.swap(now);
    if (isFirst) {
      this.#putAll(gpu, target, NOT_COLLECTED);
      return CODE.ok;
    }
    const code = this.#compute(nvml, gpu, target, older, newer);
    if (code === CODE.ok) gpm.readAt = now;
    return code;
  }

  #compute(nvml: Nvml, gpu: Gpu, target: GpmTarget, older: GpmSample, newer: GpmSample): Code {
    const { gpm } = target;
    const code = this.#ask(nvml, gpm.known ?? ALL, older, newer);
    if (code === CODE.ok) {
      this.#store(gpu, target, gpm.known ?? ALL);
      gpm.known ??= ALL;
      return code;
    }
    const isAboutIds = code === CODE.invalidArgument || absenceOf(code) === 'not-supported';
    if (gpm.known !== null || !isAboutIds) return code;
    // An older library refuses all for the sake of one that it does not know.
    const known = ALL.filter((position) => {
      const isKnown = this.#ask(nvml, [position], older, newer) === CODE.ok;
      if (isKnown) this.#store(gpu, target, [position]);
      else this.#put(gpu, target, position, NOT_SUPPORTED);
      return isKnown;
    });
    if (known.length === 0) return code;
    gpm.known = known;
    return CODE.ok;
  }

  #ask(nvml: Nvml, positions: readonly number[], older: GpmSample, newer: GpmSample): Code {
    const words = this.#words;
    words[0] = GPM_METRICS.word;
    words[GPM_METRICS.count / 4] = positions.length;
    words[GPM_METRICS.older / 4] = older.low;
    words[GPM_METRICS.older / 4 + 1] = older.high;
    words[GPM_METRICS.newer / 4] = newer.low;
    words[GPM_METRICS.newer / 4 + 1] = newer.high;
    if (positions !== this.#listed) this.#list(positions);
    words.set(this.#entries, ENTRIES);
    return nvml.call(COMPUTE, words);
  }

  /** Makes the entries for these metrics as they are before a call: mostly they are the same from call to call. */
  #list(positions: readonly number[]): void {
    const entries = new Uint32Array(positions.length * ENTRY_WORDS);
    for (const [i, position] of positions.entries()) {
      entries[i * ENTRY_WORDS] = GPM_METRIC_LIST[position]!.id;
      entries[i * ENTRY_WORDS + METRIC_CODE] = CODE.unknown;
    }
    this.#listed = positions;
    this.#entries = entries;
  }

  #store(gpu: Gpu, target: GpmTarget, positions: readonly number[]): void {
    const words = this.#words;
    const float = this.#float;
    const slots = this.#slots;
    const { row } = target;
    for (let i = 0, at = ENTRIES; i < positions.length; i++, at += ENTRY_WORDS) {
      const position = positions[i]!;
      const code = words[at + METRIC_CODE]!;
      const value = float[(at + METRIC_VALUE) / 2]!;
      if (code !== OK) this.#put(gpu, target, position, codeOf(reasonOf(code)));
      else if (IS_SHARE[position] === 1) {
        // There is no negative zero among shares.
        const ratio = value / 100 + 0;
        row.put(slots[position]!, ratio > 1 && ratio <= 1 + SKEW ? 1 : ratio, 0, 1);
      } else if (standsIn(gpu, target, GPM_METRIC_LIST[position]!, true)) {
        row.put(slots[position]!, value * BYTES_PER_MIB, 0, MAX_BYTES_PER_SECOND);
      }
    }
  }

  #put(gpu: Gpu, target: GpmTarget, position: number, code: number): void {
    const metric = GPM_METRIC_LIST[position]!;
    if (metric.kind === 'percent' || standsIn(gpu, target, metric, false)) {
      target.row.putAbsent(this.#slots[position]!, code);
    }
  }

  #putAll(gpu: Gpu, target: GpmTarget, code: number): void {
    for (const position of ALL) this.#put(gpu, target, position, code);
  }

  #giveReason(gpu: Gpu, target: GpmTarget, code: Code): void {
    const { gpm } = target;
    const reason = absenceOf(code);
    if (reason === 'no-permission') gpm.asking = REST;
    // A card that has answered before may have been put into MIG mode.
    if (reason === 'not-supported') gpm.asking = gpm.isSupported ? REST : NEVER;
    this.#putAll(gpu, target, codeOf(reason));
  }
}

/** "Not supported" where the card has no such counters. */
function querySupport(nvml: Nvml, gpu: Gpu): Code {
  nvml.out[0] = GPM_SUPPORT.word;
  nvml.out[GPM_SUPPORT.isSupported / 4] = 0;
  const code = nvml.call(QUERY_SUPPORT, gpu.handle, nvml.out);
  noteCode(gpu, code);
  if (code !== CODE.ok) return code;
  return nvml.out[GPM_SUPPORT.isSupported / 4] === 0 ? CODE.notSupported : code;
}

function takeSample(nvml: Nvml, { handle }: Gpu, { gpuInstance }: GpmMemory, sample: GpmSample): Code {
  return gpuInstance === null
    ? nvml.call(TAKE, handle, sample.handle)
    : nvml.call(TAKE_OF_INSTANCE, handle, gpuInstance, sample.handle);
}

/** Whether GPM is what measures this traffic. On a card it is the last resort, and stays it once it has given a value. */
function standsIn(gpu: Gpu, target: GpmTarget, { standsInFor }: GpmMetric, hasValue: boolean): boolean {
  if (target.row !== gpu.row) return true;
  if (standsInFor === 'pcie') {
    if (hasValue && (gpu.traffic === 'throughput' || gpu.traffic === 'none')) gpu.traffic = 'gpm';
    return gpu.traffic === 'gpm';
  }
  if (hasValue && gpu.linkTraffic === 'none' && gpu.links.length > 0) gpu.linkTraffic = 'gpm';
  return gpu.linkTraffic === 'gpm';
}

/** An id that the library has never heard of is an invalid argument to it. */
function reasonOf(code: Code): AbsenceReason {
  return code === CODE.invalidArgument ? 'not-supported' : absenceOf(code);
}
