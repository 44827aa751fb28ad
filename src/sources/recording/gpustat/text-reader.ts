import { type MetricId, metric } from '../../../model/catalogue.ts';
import type { GpuProcess } from '../../../model/process.ts';
import { type Absent, absent, type Reading } from '../../../model/reading.ts';
import { ReadingSet } from '../../../model/reading-set.ts';
import { absenceIn } from '../csv/absence-words.ts';
import { LogHosts } from '../hosts.ts';
import { UNKNOWN_IDENTITY } from '../log-devices.ts';
import { plainLine } from '../plain-line.ts';
import { RowReadings } from '../row-readings.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { type SnapshotDevice, Snapshots } from '../snapshots.ts';
import { type GpustatLine, parseGpustatLine, parseGpustatProcesses } from './text-line.ts';

const MIB = 2 ** 20;
/** What several machines print within so many milliseconds is one moment. */
const TOGETHER_MS = 2000;
const HEADER = /^\s*(\S+)\s{2,}(\S.*?)(?:\s{2,}(\d+(?:\.\d+)+))?\s*$/;
const DETAIL = /^\s*[├└╰`|+]?[─-]*\s*(\d+)\s*\(\s*([\d.]+|\?+)\s*%\s*,\s*([\d.]+)\s*([KMGT]?)i?B\s*\)\s*:\s*(.*)$/;
const SIZES: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: MIB, G: 2 ** 30, T: 2 ** 40 };

/** A process in a line of its own below its GPU, as `-f` prints it. */
interface Detail {
  readonly pid: number;
  readonly cpuRatio: Reading;
  readonly hostMemoryBytes: Reading;
  readonly command: string;
}

interface OpenRow {
  readonly row: GpustatLine;
  readonly line: number;
  readonly isWhole: boolean;
  readonly details: Detail[];
}

export function isNoGpus(line: string): boolean {
  return /^\s*\(No GPUs? (are|is) available\)/i.test(line);
}

export function isGpustatDetail(line: string): boolean {
  return DETAIL.test(line);
}

/** Reads gpustat's table. A header, or an index that is not behind the last one, begins the next tick. */
export class GpustatTextReader implements FormatReader {
  readonly isHolding = false;
  readonly #context: FormatContext;
  readonly #snapshots: Snapshots;
  readonly #readings: RowReadings;
  #rows: OpenRow[] = [];
  #time = Number.NaN;
  #driver: string | null = null;
  #host: string | null = null;
  readonly #hosts = new LogHosts();
  /** What other machines printed at the same moment, which is one tick together. */
  #before: SnapshotDevice[] = [];
  readonly #hostsBefore = new Set<string | null>();
  #timeBefore = Number.NaN;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#snapshots = new Snapshots(context);
    this.#readings = new RowReadings(context.report);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void {
    const line = plainLine(bytes, start, end);
    if (line.trim() === '') return;
    const row = parseGpustatLine(line);
    if (row !== null) {
      const last = this.#rows.at(-1);
      if (last !== undefined && row.index <= last.row.index) this.#flush();
      this.#rows.push({ row, line: number, isWhole: terminated, details: [] });
      return;
    }
    const detail = terminated ? DETAIL.exec(line) : null;
    if (detail !== null && this.#rows.length > 0) {
      this.#rows.at(-1)!.details.push(detailOf(detail));
      return;
    }
    this.#flush();
    if (this.#header(line)) return;
    this.#context.report.skip(isNoGpus(line) ? 'no-devices' : terminated ? 'stray-text' : 'truncated', number);
  }

  settle(): void {
    this.#emit();
  }

  end(): void {
    this.#flush();
    this.#emit();
  }

  #header(line: string): boolean {
    const header = HEADER.exec(line);
    const time = header === null ? Number.NaN : this.#snapshots.dates.read(header[2]!);
    if (header === null || Number.isNaN(time)) return this.#snapshots.takeDate(line);
    this.#time = time;
    this.#host = header[1]!;
    this.#driver = header[3] ?? null;
    this.#endMoment();
    return true;
  }

  #flush(): void {
    if (this.#rows.length === 0) return;
    const devices = this.#rows.map((row) => this.#device(row));
    this.#rows = [];
    this.#endMoment();
    if (this.#before.length === 0) this.#timeBefore = this.#time;
    this.#before.push(...devices);
    this.#hostsBefore.add(this.#host);
    if (Number.isNaN(this.#time)) this.#emit();
    this.#time = Number.NaN;
  }

  /** Gives out what was printed before, unless it belongs together with what another machine prints now. */
  #endMoment(): void {
    const isClose = Math.abs(this.#time - this.#timeBefore) <= TOGETHER_MS;
    if (this.#hostsBefore.has(this.#host) || !isClose) this.#emit();
  }

  #emit(): void {
    const devices = this.#before;
    this.#before = [];
    this.#hostsBefore.clear();
    if (devices.length > 0) this.#snapshots.emit(this.#timeBefore, devices);
  }

  #device({ row, line, isWhole, details }: OpenRow): SnapshotDevice {
    const trouble = /^\(\((.*)\)\)$/.exec(row.name ?? '')?.[1] ?? null;
    const reason = trouble === null ? null : (absenceIn(trouble) ?? 'error');
    return {
      identity: this.#hosts.of(this.#host, {
        ...UNKNOWN_IDENTITY,
        index: row.index,
        name: trouble === null ? row.name : null,
        driverVersion: this.#driver,
      }),
      readings: reason === null ? this.#values(row, line) : ReadingSet.allAbsent(reason),
      processes: reason === null ? this.#processes(row, details, isWhole) : absent(reason),
      lost: reason === 'gpu-lost',
      line,
    };
  }

  #values(row: GpustatLine, line: number): ReadingSet {
    this.#readings.begin(line);
    const put = (id: MetricId, value: string | null, scale: number): void => {
      if (value === null) return;
      // gpustat has no other word for what the driver does not support.
      if (value === '??') this.#readings.absent(metric(id), 'not-supported');
      else this.#readings.text(metric(id), value, scale, id);
    };
    put('temperature_celsius', row.temperature, 1);
    put('fan_speed_ratio', row.fan, 0.01);
    put('utilization_ratio', row.utilisation, 0.01);
    put('encoder_utilization_ratio', row.encoder, 0.01);
    put('decoder_utilization_ratio', row.decoder, 0.01);
    put('power_watts', row.power, 1);
    put('power_limit_watts', row.powerLimit, 1);
    put('memory_used_bytes', row.memoryUsed, MIB);
    put('memory_total_bytes', row.memoryTotal, MIB);
    return this.#readings.take();
  }

  #processes({ processes }: GpustatLine, details: readonly Detail[], isWhole: boolean): readonly GpuProcess[] | Absent {
    if (processes === null || !isWhole) return absent('not-collected');
    if (processes.includes('(Not Supported)')) return absent('not-supported');
    const found = parseGpustatProcesses(processes);
    const isPaired = found.length === details.length;
    const listed = found.map(({ user, command, pid, memory }, position): GpuProcess | null => {
      const detail = pid === null && isPaired ? details[position] : details.find((other) => other.pid === pid);
      const known = pid ?? detail?.pid;
      if (known === undefined) return null;
      return {
        pid: known,
        kind: 'compute',
        memoryBytes: memory === '?' ? absent('not-supported') : Number(memory) * MIB,
        name: command ?? commandName(detail?.command),
        user,
        ...(detail === undefined
          ? {}
          : { cpuRatio: detail.cpuRatio, hostMemoryBytes: detail.hostMemoryBytes, command: detail.command }),
      };
    });
    const known = listed.filter((process) => process !== null);
    // Without pids processes cannot be told apart from one tick to the next.
    return known.length === listed.length ? known : absent('not-collected');
  }
}

function detailOf([, pid = '', cpu = '', memory = '', size = '', command = '']: RegExpExecArray): Detail {
  return {
    pid: Number(pid),
    cpuRatio: cpu.startsWith('?') ? absent('not-found') : Number(cpu) / 100,
    hostMemoryBytes: Math.round(Number(memory) * SIZES[size]!),
    command,
  };
}

function commandName(command: string | undefined): string | null {
  const program = command?.trim().split(/\s+/)[0];
  return program === undefined || program === '' ? null : program.slice(program.lastIndexOf('/') + 1);
}
