import { slotOf } from '../../model/catalogue.ts';
import type { AbsenceReason } from '../../model/reading.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import { type ByteFile, word } from './byte-file.ts';
import { setMeasured } from './measured.ts';

const BUSY = slotOf('host_cpu_ratio');
const IOWAIT = slotOf('host_iowait_ratio');
const SWITCHES = slotOf('host_context_switches_per_second');
const BLOCKED = slotOf('host_processes_blocked');

const CPU = word('cpu');
const CONTEXT_SWITCHES = word('ctxt ');
const PROCESSES_BLOCKED = word('procs_blocked ');

/** Times per CPU that are kept, in clock ticks: busy, waiting for disks, and all together. */
const WIDTH = 3;
/** No machine has more. */
const MOST_CPUS = 8192;
const NO_CPUS = new Float64Array(0);

/** `/proc/stat`: how busy the CPUs were between two reads. */
export class CpuStat {
  /** Entry 0 is all CPUs together. */
  #now = new Float64Array(WIDTH * 65);
  #before = new Float64Array(WIDTH * 65);
  /** Numbers of the CPUs in the order of the lines, to see when one is switched off or on. */
  #ids = new Int32Array(65);
  #count = 0;
  #switches = Number.NaN;
  #hasBefore = false;

  /** Takes the file in. Gives the busy share per CPU; empty where it is not known yet. */
  read(file: ByteFile, seconds: number, out: ReadingSet): Float64Array {
    const before = this.#now;
    this.#now = this.#before;
    this.#before = before;
    const countBefore = this.#count;
    const isSameSet = this.#readTimes(file) && this.#count === countBefore && this.#hasBefore;
    this.#hasBefore = this.#count > 0;
    this.#readRest(file, seconds, out);
    if (this.#count === 0) {
      markAbsent(out, 'error');
      return NO_CPUS;
    }
    setMeasured(out, BUSY, countBefore > 0 ? this.#share(0, 0) : Number.NaN, 'not-collected');
    setMeasured(out, IOWAIT, countBefore > 0 ? this.#share(0, 1) : Number.NaN, 'not-collected');
    return isSameSet ? this.#ratios() : NO_CPUS;
  }

  /** Nothing could be read: what was read before is no base for the next read. */
  lose(out: ReadingSet, reason: AbsenceReason): void {
    this.#count = 0;
    this.#hasBefore = false;
    this.#switches = Number.NaN;
    markAbsent(out, reason);
    out.setAbsent(SWITCHES, reason);
    out.setAbsent(BLOCKED, reason);
  }

  #ratios(): Float64Array {
    const ratios = new Float64Array(this.#count - 1);
    // A CPU without any time in between stood still.
    for (let cpu = 1; cpu < this.#count; cpu++) ratios[cpu - 1] = this.#share(cpu, 0) || 0;
    return ratios;
  }

  /** Share of one kind of time between the two reads; NaN where no time passed. Counters may fall back a little. */
  #share(cpu: number, part: number): number {
    const at = cpu * WIDTH;
    const total = this.#now[at + 2]! - this.#before[at + 2]!;
    if (!(total > 0)) return Number.NaN;
    return Math.min(Math.max((this.#now[at + part]! - this.#before[at + part]!) / total, 0), 1);
  }

  /** Reads the lines of the CPUs, which come first. True if they are the CPUs of the read before. */
  #readTimes(file: ByteFile): boolean {
    let count = 0;
    let isSame = true;
    while (!file.isAtEnd && count < MOST_CPUS && file.skip(CPU)) {
      const id = count === 0 ? -1 : file.number();
      this.#reserve(count);
      if (this.#ids[count] !== id) isSame = false;
      this.#ids[count] = id;
      this.#readLine(file, count * WIDTH);
      file.skipLine();
      count++;
    }
    this.#count = count;
    return isSame;
  }

  /** `user nice system idle iowait irq softirq steal`; the time of guests is in `user` already. */
  #readLine(file: ByteFile, at: number): void {
    let busy = 0;
    let idle = 0;
    let waiting = 0;
    for (let column = 0; column < 8; column++) {
      const value = file.number();
      if (Number.isNaN(value)) break;
      if (column === 3) idle = value;
      else if (column === 4) waiting = value;
      else busy += value;
    }
    this.#now[at] = busy;
    this.#now[at + 1] = waiting;
    this.#now[at + 2] = busy + idle + waiting;
  }

  #readRest(file: ByteFile, seconds: number, out: ReadingSet): void {
    let switches = Number.NaN;
    out.setAbsent(BLOCKED, 'not-supported');
    while (!file.isAtEnd) {
      if (file.skip(CONTEXT_SWITCHES)) switches = file.number();
      else if (file.skip(PROCESSES_BLOCKED)) setMeasured(out, BLOCKED, file.number());
      file.skipLine();
    }
    const more = switches - this.#switches;
    this.#switches = switches;
    if (Number.isNaN(switches)) out.setAbsent(SWITCHES, 'not-supported');
    else if (more >= 0 && seconds > 0) out.setValue(SWITCHES, more / seconds);
    else out.setAbsent(SWITCHES, 'not-collected');
  }

  #reserve(count: number): void {
    if (count < this.#ids.length) return;
    const size = this.#ids.length * 4;
    const [now, before, ids] = [new Float64Array(size * WIDTH), new Float64Array(size * WIDTH), new Int32Array(size)];
    now.set(this.#now);
    before.set(this.#before);
    ids.set(this.#ids);
    this.#now = now;
    this.#before = before;
    this.#ids = ids;
  }
}

function markAbsent(out: ReadingSet, reason: AbsenceReason): void {
  out.setAbsent(BUSY, reason);
  out.setAbsent(IOWAIT, reason);
}
