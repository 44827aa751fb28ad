import { CODE, type Code, USE_ROW, USE_ROW_V1, USE_ROWS_V1 } from './abi.ts';
import { absenceOf, noteCode } from './answers.ts';
import { ASK, NEVER, REST } from './asking.ts';
import { ffi } from './ffi.ts';
import type { Gpu } from './gpu.ts';
import type { Nvml } from './nvml.ts';
import { RECORD, RECORD_SIZE } from './process-record.ts';
import type { ProcessTable } from './process-table.ts';
import { codeOf } from './row.ts';
import type { SampleCursor } from './sample-cursor.ts';
import { symbol } from './symbols.ts';

const NEWER = symbol('nvmlDeviceGetProcessesUtilizationInfo');
const PLAIN = symbol('nvmlDeviceGetProcessUtilization');

/** SM, memory, encoder, decoder. */
const SHARES = 4;
const FIRST_ROOM = 128;
const MAX_ROOM = 16_384;
const SLACK = 32;
const TRIES = 4;

const ERROR = codeOf('error');
const MIG = codeOf('mig');
const NOT_COLLECTED = codeOf('not-collected');

const { sm: SM } = RECORD;

/** A row by its 32-bit words. */
interface Layout {
  readonly words: number;
  readonly pid: number;
  readonly time: number;
  readonly sm: number;
}

const PLAIN_ROW = layoutOf(USE_ROW);
const NEWER_ROW = layoutOf(USE_ROW_V1);

function layoutOf({ size, pid, time, sm }: typeof USE_ROW | typeof USE_ROW_V1): Layout {
  return { words: size / 4, pid: pid / 4, time: time / 4, sm: sm / 4 };
}

interface Address {
  readonly low: number;
  readonly high: number;
}

function addressOf(rows: Uint32Array): Address {
  const address = ffi().address(rows);
  return { low: Number(address & 0xffffffffn), high: Number(address >> 32n) };
}

/**
 * How much of its GPU each process uses. The driver gives rows of percentages with stamps, none for a process that was
 * idle, and now and then rows that are old, or about nobody who is there, or beyond all measure.
 */
export class ProcessUse {
  #room = FIRST_ROOM;
  #rows = new Uint32Array((FIRST_ROOM * USE_ROW_V1.size) / 4);
  #layout: Layout = PLAIN_ROW;
  readonly #count = new Uint32Array(1);
  readonly #request = new Uint32Array(USE_ROWS_V1.size / 4);
  /** Address of `#rows`, which stays where it is as long as it is held here, as the two words that stand in the request. */
  #address = addressOf(this.#rows);
  /** Rows that count, by their offset in words; sorted by time. */
  #order: number[] = [];
  /** Per record of the GPU: microseconds of its rows so far, and the stamp of the last one. */
  #spans = new Float64Array(64);
  #stamps = new Float64Array(64);

  /** Completes the records of the GPU that was begun last. */
  read(nvml: Nvml, gpu: Gpu, table: ProcessTable): void {
    const { use } = gpu;
    const isSomebodyThere = table.count > table.first;
    if (!isSomebodyThere || gpu.mig) {
      use.cursor.reset();
      if (isSomebodyThere) this.#fill(table, -MIG);
      return;
    }
    if (use.asking !== ASK) {
      this.#fill(table, -use.reason);
      return;
    }
    const code = this.#ask(nvml, gpu);
    noteCode(gpu, code);
    if (code === CODE.ok || code === CODE.notFound) {
      use.hasAnswered = true;
      if (use.cursor.isBlind) this.#fill(table, -NOT_COLLECTED);
      else this.#take(code === CODE.ok ? this.#count[0]! : 0, use.cursor, table);
      return;
    }
    const reason = absenceOf(code);
    use.reason = codeOf(reason);
    if (reason === 'no-permission') use.asking = REST;
    if (reason === 'not-supported') use.asking = use.hasAnswered ? REST : NEVER;
    this.#fill(table, -use.reason);
  }

  /** Fetches the rows that the cursor of the GPU is to see. */
  #ask(nvml: Nvml, gpu: Gpu): Code {
    const { cursor } = gpu.use;
    const now = performance.now();
    // The stamps are those of the machine's own clock, whatever time a tick is given.
    cursor.begin(Date.now() * 1000, now);
    let code = this.#fetch(nvml, gpu, now);
    if (code === CODE.ok && cursor.isTooWide) {
      cursor.narrow();
      code = this.#fetch(nvml, gpu, now);
    }
    return code;
  }

  #fetch(nvml: Nvml, gpu: Gpu, now: number): Code {
    const { use } = gpu;
    let code: Code = CODE.insufficientSize;
    for (let attempt = 0; attempt < TRIES && code === CODE.insufficientSize; attempt++) {
      if (attempt > 0 && !this.#grow(this.#count[0]! + SLACK * attempt)) return code;
      this.#count[0] = this.#room;
      this.#rows.fill(0);
      if (!use.isPlain) {
        code = this.#callNewer(nvml, gpu);
        use.isPlain = !use.hasAnswered && (absenceOf(code) === 'not-supported' || code === CODE.invalidArgument);
      }
      if (use.isPlain) code = this.#callPlain(nvml, gpu);
    }
    if (code !== CODE.ok && code !== CODE.notFound) return code;
    const found = code === CODE.ok ? this.#count[0]! : 0;
    // More than there is room for: nobody knows what was written.
    if (found > this.#room) return CODE.insufficientSize;
    const { words, time } = this.#layout;
    use.cursor.see(this.#rows, found, words, time);
    use.cursor.end(now);
    return code;
  }

  #callPlain(nvml: Nvml, { handle, use }: Gpu): Code {
    this.#layout = PLAIN_ROW;
    return nvml.call(PLAIN, handle, this.#rows, this.#count, use.cursor.since);
  }

  #callNewer(nvml: Nvml, { handle, use }: Gpu): Code {
    this.#layout = NEWER_ROW;
    const request = this.#request;
    const { since } = use.cursor;
    request[0] = USE_ROWS_V1.word;
    request[USE_ROWS_V1.count / 4] = this.#room;
    request[USE_ROWS_V1.since / 4] = since % 2 ** 32;
    request[USE_ROWS_V1.since / 4 + 1] = since / 2 ** 32;
    request[USE_ROWS_V1.rows / 4] = this.#address.low;
    request[USE_ROWS_V1.rows / 4 + 1] = this.#address.high;
    const code = nvml.call(NEWER, handle, request);
    this.#count[0] = request[USE_ROWS_V1.count / 4]!;
    return code;
  }

  #grow(needed: number): boolean {
    if (needed > MAX_ROOM) return false;
    if (needed > this.#room) {
      this.#room = needed;
      this.#rows = new Uint32Array((needed * USE_ROW_V1.size) / 4);
      this.#address = addressOf(this.#rows);
    }
    return true;
  }

  #stampAt(word: number): number {
    return this.#rows[word + 1]! * 2 ** 32 + this.#rows[word]!;
  }

  /** A process without a row was idle: that is a true zero. Several rows of one are averaged over time. */
  #take(found: number, cursor: SampleCursor, table: ProcessTable): void {
    this.#fill(table, 0);
    const people = table.count - table.first;
    if (people > this.#spans.length) {
      this.#spans = new Float64Array(people * 2);
      this.#stamps = new Float64Array(people * 2);
    }
    this.#spans.fill(0, 0, people);
    this.#stamps.fill(cursor.from, 0, people);
    this.#sort(found, cursor);
    for (const at of this.#order) this.#addRow(at, table);
  }

  #sort(found: number, { from, newest }: SampleCursor): void {
    const { words, time } = this.#layout;
    const order = this.#order;
    order.length = 0;
    let before = 0;
    // Most drivers give them in this order.
    let isSorted = true;
    for (let i = 0; i < found; i++) {
      const stamp = this.#stampAt(i * words + time);
      if (stamp <= from || stamp > newest) continue;
      order.push(i * words);
      if (stamp < before) isSorted = false;
      before = stamp;
    }
    if (!isSorted) order.sort((a, b) => this.#stampAt(a + time) - this.#stampAt(b + time));
  }

  #addRow(at: number, table: ProcessTable): void {
    const { pid, time, sm } = this.#layout;
    const record = table.find(this.#rows[at + pid]!);
    if (record < 0) return;
    const { records } = table;
    const shares = record + SM;
    const i = record / RECORD_SIZE - table.first;
    const span = this.#spans[i]!;
    const rows = this.#rows;
    const values = at + sm;
    for (let share = 0; share < SHARES; share++) {
      if (rows[values + share]! <= 100) continue;
      if (span === 0) records.fill(-ERROR, shares, shares + SHARES);
      return;
    }
    const stamp = this.#stampAt(at + time);
    const duration = stamp - this.#stamps[i]!;
    const weight = duration / (span + duration);
    for (let share = 0; share < SHARES; share++) {
      const value = rows[values + share]! / 100;
      const mean = span === 0 ? value : records[shares + share]!;
      records[shares + share] = mean + (value - mean) * weight;
    }
    this.#spans[i] = span + duration;
    this.#stamps[i] = stamp;
  }

  #fill({ records, first, count }: ProcessTable, share: number): void {
    for (let i = first; i < count; i++) {
      const at = i * RECORD_SIZE + SM;
      records.fill(share, at, at + SHARES);
    }
  }
}
