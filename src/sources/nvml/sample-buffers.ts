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

  /** Reads the buffers of one open GPU whose turn it is. */
  read(nvml: Nvml, gpu: Gpu): void {
    const { buffers } = gpu;
    for (const buffered of this.#everyTick) this.#readOne(nvml, gpu, buffered);
    this.#readOne(nvml, gpu, this.#inTurn[buffers.turn]!);
    buffers.turn = (buffers.turn + 1) % this.#inTurn.length;
  }

  #readOne(nvml: Nvml, gpu: Gpu, buffered: Planned): void {
    const { buffers, row } = gpu;
    const { position } = buffered;
    const cursor = buffers.cursors[position]!;
    if (gpu.mig) {
      cursor.reset();
      putAbsent(row, buffered, MIG);
      return;
    }
    if (buffers.asking[position] !== ASK) return;
    const now = performance.now();
    // The stamps are those of the machine's own clock, whatever time a tick is given.
    cursor.begin(Date.now() * 1000, now);
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
    for (let i = 0; i < found; i++) cursor.see(this.#stampAt(i));
    cursor.end(now);
    const { from, newest } = cursor;
    const { max, slots } = buffered;
    let peak = Number.NEGATIVE_INFINITY;
    let trough = Number.POSITIVE_INFINITY;
    let sum = 0;
    let used = 0;
    let isAnyWrong = false;
    for (let i = 0; i < found; i++) {
      const stamp = this.#stampAt(i);
      if (stamp <= from || stamp > newest) continue;
      const value = buffered.toBase(this.#valueAt(i));
      if (value >= 0 && value <= max) {
        peak = Math.max(peak, value);
        trough = Math.min(trough, value);
        sum += value;
        used++;
      } else {
        isAnyWrong = true;
      }
    }
    if (used === 0) {
      putAbsent(row, buffered, isAnyWrong ? ERROR : cursor.isBlind ? NOT_COLLECTED : NOT_FOUND);
      return;
    }
    row.put(slots.peak, peak, 0, max);
    row.put(slots.trough, trough, 0, max);
    // The sum of many equal samples may be a hair above what it should be.
    if (slots.mean !== null) row.put(slots.mean, Math.min(Math.max(sum / used, trough), peak), 0, max);
  }

  #stampAt(sample: number): number {
    const at = sample * WORDS;
    return this.#words[at + 1]! * 2 ** 32 + this.#words[at]!;
  }

  /** NaN for a type that the header does not name. */
  #valueAt(sample: number): number {
    const at = sample * WORDS + SAMPLE.value / 4;
    const low = this.#words[at]!;
    switch (this.#type[0]) {
      case VALUE_TYPE.double:
        return this.#float[at / 2]! + 0;
      case VALUE_TYPE.u32:
        return low;
      case VALUE_TYPE.ulong:
      case VALUE_TYPE.u64:
        return this.#words[at + 1]! * 2 ** 32 + low;
      case VALUE_TYPE.i64:
        return this.#signed[at + 1]! * 2 ** 32 + low;
      case VALUE_TYPE.i32:
        return this.#signed[at]!;
      case VALUE_TYPE.u16:
        return low & 0xffff;
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
