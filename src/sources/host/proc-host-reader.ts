import { join } from 'node:path';
import { slotOf } from '../../model/catalogue.ts';
import type { HostReader } from '../../model/ports.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import type { HostSample } from '../../model/tick.ts';
import { ByteFile } from './byte-file.ts';
import { type CgroupLimits, readCgroupLimits } from './cgroup-limits.ts';
import { CpuStat } from './cpu.ts';
import { DISK_SLOTS, Disks } from './disks.ts';
import { LOAD_SLOTS, readLoad, readUptime, UPTIME_SLOT } from './load.ts';
import { MEMORY_SLOTS, readMemory } from './memory.ts';
import { NETWORK_SLOTS, Network } from './network.ts';
import { PRESSURE_FILES, readPressure } from './pressure.ts';

const MEMORY_TOTAL = slotOf('host_memory_total_bytes');
const MEMORY_LIMIT = slotOf('host_memory_limit_bytes');
const CPU_LIMIT = slotOf('host_cpu_limit_cores');

/** Limits change rarely, and reading them costs a file for each level of the hierarchy. */
const LIMITS_EVERY_READS = 30;
/** How often what is read in turn is read, in milliseconds: a little less than three seconds, for a tick that comes early. */
const TURN_MS = 2500;
const NO_CPUS = new Float64Array(0);

/** Something that is read every few seconds. */
interface Turn {
  due: number;
  readAt: number | null;
  /** `seconds` since it was read last; 0 the first time. */
  readonly read: (readings: ReadingSet, seconds: number) => void;
}

/** Reads a Linux host from `/proc` and `/sys`; on any other system everything is absent. */
export class ProcHostReader implements HostReader {
  readonly #root: string;
  readonly #proc: string;
  readonly #file: ByteFile;
  readonly #cpu = new CpuStat();
  readonly #disks: Disks;
  readonly #network: Network;
  readonly #pressure: readonly string[];
  #limits: CgroupLimits = { memoryBytes: null, cpuCores: null };
  #reads = 0;
  #readAt: number | null = null;
  readonly #readings = new ReadingSet();
  readonly #turnMs: number;
  readonly #turns: readonly Turn[];

  /** `root` is put before `/proc` and `/sys`. */
  constructor(root = '', turnMs = TURN_MS) {
    this.#root = root;
    this.#turnMs = turnMs;
    // Only the real files are sure to stay the same ones.
    this.#file = new ByteFile(root === '');
    this.#proc = join(root, '/proc');
    this.#disks = new Disks(join(root, '/sys/block'));
    this.#network = new Network(join(root, '/sys/class/net'));
    this.#pressure = PRESSURE_FILES.map(({ name }) => join(this.#proc, 'pressure', name));
    const reads: readonly Turn['read'][] = [
      (readings, seconds) =>
        this.#take('diskstats', DISK_SLOTS, readings, (file, out) => this.#disks.read(file, seconds, out)),
      (readings, seconds) =>
        this.#take('net/dev', NETWORK_SLOTS, readings, (file, out) => this.#network.read(file, seconds, out)),
      (readings) => {
        this.#take('loadavg', LOAD_SLOTS, readings, readLoad);
        this.#take('uptime', [UPTIME_SLOT], readings, readUptime);
        this.#readPressure(readings);
      },
    ];
    this.#turns = reads.map((read) => ({ due: Number.NEGATIVE_INFINITY, readAt: null, read }));
  }

  read(monotonic: number): HostSample {
    const seconds = this.#readAt === null ? 0 : (monotonic - this.#readAt) / 1000;
    this.#readAt = monotonic;
    const readings = this.#readings;
    const cpuRatios = this.#readCpus(seconds, readings);
    this.#take('meminfo', MEMORY_SLOTS, readings, readMemory);
    this.#inTurn(monotonic);
    this.#readLimits(readings);
    return { readings: readings.clone(), cpuRatios };
  }

  /** Files that say little more when they are read every second are read every few; between, their readings stay. */
  #inTurn(monotonic: number): void {
    this.#turns.forEach((turn, i) => {
      if (monotonic < turn.due) return;
      const { readAt } = turn;
      // At first all of them, so that the first sample is whole; from then on not all in one tick.
      const offset = readAt === null ? (this.#turnMs * i) / this.#turns.length : 0;
      turn.due = monotonic + this.#turnMs - offset;
      turn.readAt = monotonic;
      turn.read(this.#readings, readAt === null ? 0 : (monotonic - readAt) / 1000);
    });
  }

  close(): void {
    this.#file.close();
  }

  #readCpus(seconds: number, readings: ReadingSet): Float64Array {
    const file = this.#file;
    if (file.read(`${this.#proc}/stat`)) return this.#cpu.read(file, seconds, readings);
    this.#cpu.lose(readings, file.absence);
    return NO_CPUS;
  }

  #take(
    name: string,
    slots: readonly number[],
    readings: ReadingSet,
    read: (file: ByteFile, out: ReadingSet) => void,
  ): void {
    if (this.#file.read(`${this.#proc}/${name}`, slots === DISK_SLOTS || slots === NETWORK_SLOTS))
      read(this.#file, readings);
    else for (const slot of slots) readings.setAbsent(slot, this.#file.absence);
  }

  #readPressure(readings: ReadingSet): void {
    for (let i = 0; i < PRESSURE_FILES.length; i++) {
      const entry = PRESSURE_FILES[i]!;
      if (this.#file.read(this.#pressure[i]!)) readPressure(this.#file, entry, readings);
      else for (const slot of entry.slots) readings.setAbsent(slot, this.#file.absence);
    }
  }

  #readLimits(readings: ReadingSet): void {
    if (this.#reads++ % LIMITS_EVERY_READS === 0) this.#limits = readCgroupLimits(this.#root);
    const { memoryBytes, cpuCores } = this.#limits;
    const total = readings.number(MEMORY_TOTAL) ?? Number.POSITIVE_INFINITY;
    // A limit above what there is limits nothing.
    if (memoryBytes === null || memoryBytes >= total) readings.setAbsent(MEMORY_LIMIT, 'not-found');
    else readings.setValue(MEMORY_LIMIT, memoryBytes);
    if (cpuCores === null) readings.setAbsent(CPU_LIMIT, 'not-found');
    else readings.setValue(CPU_LIMIT, cpuCores);
  }
}
