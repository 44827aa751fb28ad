import { CODE, type Code, SAMPLE, VALUE_TYPE } from './abi.ts';
import { absenceOf, noteCode } from './answers.ts';
import { ASK, NEVER, REST } from './asking.ts';
import type { Gpu } from './gpu.ts';
import type { Nvml } from './nvml.ts';
import type { MetricFacts } from './plan.ts';
import { codeOf, type Row } from './row.ts';
import { type Buffered, EVERY_TICK, IN_TURN } from './sample-buffer-list.ts';
import type { SampleCursor } from './sample-cursor.ts';
import { symbol } from './symbols.ts';

const GET_SAMPLES = symbol('nvmlDeviceGetSamples');

/** Drivers keep about a hundred samples of a kind. */
const FIRST_ROOM = 512;
const MAX_ROOM = 65_536;
const TRIES = 3;
const WORDS = SAMPLE.size / 4;
const STAMP = SAMPLE.time / 4;
const VALUE = SAMPLE.value / 4;
const { u32: U32, ulong: ULONG, u64: U64 } = VALUE_TYPE;

const ERROR = codeOf('error');
const MIG = codeOf('mig');
const NOT_FOUND = codeOf('not-found');
const NOT_COLLECTED = codeOf('not-collected');

interface Planned extends Buffered {
  readonly position: number;
  readonly slots: { readonly peak: number; readonly trough: number; readonly mean: number | null };
}

/**
 * Highest, lowest and mean sample since the look before, from the buffers in which the driver keeps its own samples, some
 * ten to fifty per second. A buffer with nothing new in it gives no number: what was not sampled is not known.
 */
export class SampleBuffers {
  readonly #everyTick: readonly Planned[];
  readonly #inTurn: readonly Planned[];
  #room = FIRST_ROOM;
  #words = new Uint32Array(FIRST_ROOM * WORDS);
  #signed = new Int32Array(this.#words.buffer);
  #float = new Float64Array(this.#words.buffer);
  /** Words that the last call may have written to. */
  #dirty = 0;
  /** What the last buffer says; used again for the next one. */
  readonly #summary = { peak: 0, trough: 0, sum: 0, used: 0, isAnyWrong: false };
  readonly #type = new Uint32Array(1);
  readonly #count = new Uint32Array(1);

  constructor(facts: MetricFacts) {
    const plan = (buffered: Buffered, position: number): Planned => ({
      ...buffered,
      position,
      slots: {
        peak: facts[buffered.peak].slot,
        trough: facts[buffered.trough].slot,
        mean: buffered.mean === undefined ? null : facts[buffered.mean].slot,
      },
    });
    this.#everyTick = EVERY_TICK.map(plan);
    this.#inTurn = IN_TURN.map((buffered, i) => plan(buffered, EVERY_TICK.length + i));
  }

  /** Reads the buffers of one open GPU whose turn it is; `now` in milliseconds on a clock that is never stepped. */
  read(nvml: Nvml, gpu: Gpu, now: number): void {
    const { buffers } = gpu;
    // The stamps are those of the machine's own clock, whatever time a tick is given.
    const wall = Date.now() * 1000;
    for (const buffered of this.#everyTick) this.#readOne(nvml, gpu, buffered, wall, now);
    this.#readOne(nvml, gpu, this.#inTurn[buffers.turn]!, wall, now);
    buffers.turn = (buffers.turn + 1) % this.#inTurn.length;
  }

  #readOne(nvml: Nvml, gpu: Gpu, buffered: Planned, wall: number, now: number): void {
    const { buffers, row } = gpu;
    const { position } = buffered;
    const cursor = buffers.cursors[position]!;
    if (gpu.mig) {
      cursor.reset();
      putAbsent(row, buffered, MIG);
      return;
    }
    if (buffers.asking[position] !== ASK) return;
    cursor.begin(wall, now);
    const code = this.#fetch(nvml, gpu, buffered, cursor);
    noteCode(gpu, code);
    if (code === CODE.ok || code === CODE.notFound) {
      buffers.proven[position] = 1;
      this.#take(row, buffered, code === CODE.ok ? this.#count[0]! : 0, cursor, now);
      return;
    }
    const reason = absenceOf(code);
    putAbsent(row, buffered, codeOf(reason));
    if (reason === 'no-permission') buffers.asking[position] = REST;
    if (reason === 'not-supported') buffers.asking[position] = buffers.proven[position] === 1 ? REST : NEVER;
  }

  #fetch(nvml: Nvml, { handle }: Gpu, { type }: Planned, { since }: SampleCursor): Code {
    let code: Code = CODE.insufficientSize;
    for (let attempt = 0; attempt < TRIES && code === CODE.insufficientSize; attempt++) {
      if (attempt > 0 && !this.#grow(this.#count[0]!)) return code;
      // What an earlier call left behind must not pass for a sample of this one.
      this.#words.fill(0, 0, this.#dirty);
      this.#dirty = this.#words.length;
      this.#count[0] = this.#room;
      code = nvml.call(GET_SAMPLES, handle, type, since, this.#type, this.#count, this.#words);
    }
    if (code !== CODE.ok) return code;
    const found = this.#count[0]!;
    // More than there is room for: nobody knows what was written.
    if (found > this.#room) return CODE.insufficientSize;
    this.#dirty = found * WORDS;
    return code;
  }

  #grow(needed: number): boolean {
    if (needed > MAX_ROOM) return false;
    if (needed > this.#room) {
      this.#room = needed;
      this.#words = new Uint32Array(needed * WORDS);
      this.#signed = new Int32Array(this.#words.buffer);
      this.#float = new Float64Array(this.#words.buffer);
    }
    return true;
  }

  #take(row: Row, buffered: Planned, found: number, cursor: SampleCursor, now: number): void {
    cursor.see(this.#words, found, WORDS, STAMP);
    cursor.end(now);
    const summary = this.#summary;
    this.#summarise(found, cursor, buffered.max);
    const { used } = summary;
    if (used === 0) {
      putAbsent(row, buffered, summary.isAnyWrong ? ERROR : cursor.isBlind ? NOT_COLLECTED : NOT_FOUND);
      return;
    }
    const { slots, toBase } = buffered;
    const max = toBase(buffered.max);
    const peak = toBase(summary.peak);
    const trough = toBase(summary.trough);
    row.put(slots.peak, peak, 0, max);
    row.put(slots.trough, trough, 0, max);
    // The sum of many equal samples may be a hair above what it should be.
    if (slots.mean !== null) row.put(slots.mean, Math.min(Math.max(toBase(summary.sum / used), trough), peak), 0, max);
  }

  /** Goes through the samples that count, in the driver's unit: some hundreds in a tick, so that nothing is called for each. */
  #summarise(found: number, { from, newest }: SampleCursor, max: number): void {
    const words = this.#words;
    const type = this.#type[0]!;
    const isWide = type === ULONG || type === U64;
    const isPlain = isWide || type === U32;
    let peak = Number.NEGATIVE_INFINITY;
    let trough = Number.POSITIVE_INFINITY;
    let sum = 0;
    let used = 0;
    let isAnyWrong = false;
    for (let i = 0, at = 0; i < found; i++, at += WORDS) {
      const stamp = words[at + STAMP + 1]! * 2 ** 32 + words[at + STAMP]!;
      if (stamp <= from || stamp > newest) continue;
      let value: number = words[at + VALUE]!;
      if (isWide) value += words[at + VALUE + 1]! * 2 ** 32;
      else if (!isPlain) value = this.#valueAt(at + VALUE, type);
      if (value >= 0 && value <= max) {
        if (value > peak) peak = value;
        if (value < trough) trough = value;
        sum += value;
        used++;
      } else {
        isAnyWrong = true;
      }
    }
    const summary = this.#summary;
    summary.peak = peak;
    summary.trough = trough;
    summary.sum = sum;
    summary.used = used;
    summary.isAnyWrong = isAnyWrong;
  }

  /** A value of one of the types that are seldom; NaN for one that the header does not name. */
  #valueAt(word: number, type: number): number {
    switch (type) {
      case VALUE_TYPE.double:
        return this.#float[word / 2]! + 0;
      case VALUE_TYPE.i64:
        return this.#signed[word + 1]! * 2 ** 32 + this.#words[word]!;
      case VALUE_TYPE.i32:
        return this.#signed[word]!;
      case VALUE_TYPE.u16:
        return this.#words[word]! & 0xffff;
      default:
        return Number.NaN;
    }
  }
}

function putAbsent(row: Row, { slots }: Planned, code: number): void {
  row.putAbsent(slots.peak, code);
  row.putAbsent(slots.trough, code);
  if (slots.mean !== null) row.putAbsent(slots.mean, code);
}
