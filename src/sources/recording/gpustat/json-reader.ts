import { type MetricId, metric } from '../../../model/catalogue.ts';
import type { GpuProcess } from '../../../model/process.ts';
import { type Absent, absent, type Reading } from '../../../model/reading.ts';
import { ReadingSet } from '../../../model/reading-set.ts';
import { absenceIn } from '../csv/absence-words.ts';
import { JsonLineReader } from '../json-line-reader.ts';
import { UNKNOWN_IDENTITY } from '../log-devices.ts';
import { isObject, parseLoosely } from '../loose-json.ts';
import { RowReadings } from '../row-readings.ts';
import type { FormatContext } from '../rows.ts';
import { MOST_DEVICES, type SnapshotDevice, Snapshots } from '../snapshots.ts';

const MIB = 2 ** 20;

/** Members of a GPU in the document of gpustat, and what one of its unit is in the base unit. */
const MEMBERS: Readonly<Record<string, readonly [MetricId, number]>> = {
  'temperature.gpu': ['temperature_celsius', 1],
  'fan.speed': ['fan_speed_ratio', 0.01],
  'utilization.gpu': ['utilization_ratio', 0.01],
  'utilization.enc': ['encoder_utilization_ratio', 0.01],
  'utilization.dec': ['decoder_utilization_ratio', 0.01],
  'power.draw': ['power_watts', 1],
  'enforced.power.limit': ['power_limit_watts', 1],
  'memory.used': ['memory_used_bytes', MIB],
  'memory.total': ['memory_total_bytes', MIB],
};

/** Reads the documents of `gpustat --json`, each of which is a tick. */
export class GpustatJsonReader extends JsonLineReader {
  readonly #snapshots: Snapshots;
  readonly #readings: RowReadings;

  constructor(context: FormatContext) {
    super(context);
    this.#snapshots = new Snapshots(context);
    this.#readings = new RowReadings(context.report);
  }

  /** Several documents may stand in one array. */
  element(text: string, line: number): void {
    this.#read(parseLoosely(text), line);
  }

  document(rest: string, line: number): void {
    const document = parseLoosely(rest);
    if (!Array.isArray(document)) this.#read(document, line);
  }

  protected isDate(line: string): boolean {
    return this.#snapshots.takeDate(line);
  }

  #read(document: unknown, line: number): void {
    const gpus = isObject(document) ? document['gpus'] : undefined;
    if (!isObject(document) || !Array.isArray(gpus)) {
      this.context.report.skip('stray-text', line);
      return;
    }
    const driver = document['driver_version'];
    const time = document['query_time'];
    const devices = gpus
      .slice(0, MOST_DEVICES)
      .filter(isObject)
      .map((gpu) => this.#device(gpu, typeof driver === 'string' ? driver : null, line))
      .filter((device) => device !== null);
    this.#snapshots.emit(typeof time === 'string' ? this.#snapshots.dates.read(time) : Number.NaN, devices);
  }

  #device(gpu: Readonly<Record<string, unknown>>, driver: string | null, line: number): SnapshotDevice | null {
    const { index, uuid, name } = gpu;
    if (typeof index !== 'number' || !Number.isSafeInteger(index)) {
      this.context.report.skip('unknown-device', line);
      return null;
    }
    const trouble = typeof name === 'string' ? (/^\(\((.*)\)\)$/.exec(name)?.[1] ?? null) : null;
    const reason = trouble === null ? null : (absenceIn(trouble) ?? 'error');
    const known = typeof uuid === 'string' && uuid !== '' ? uuid : null;
    return {
      identity: {
        ...UNKNOWN_IDENTITY,
        uuid: known ?? (reason === null ? null : this.#uuidAt(index)),
        index,
        name: typeof name === 'string' && trouble === null ? name : null,
        driverVersion: driver,
      },
      readings: reason === null ? this.#values(gpu, line) : ReadingSet.allAbsent(reason),
      processes: reason === null ? processesOf(gpu['processes']) : absent(reason),
      lost: reason === 'gpu-lost',
      line,
    };
  }

  /** A GPU that cannot be asked has only its index: it is the one that had it before. */
  #uuidAt(index: number): string | null {
    return this.context.devices.all.findLast(({ device }) => device.index === index)?.device.uuid ?? null;
  }

  #values(gpu: Readonly<Record<string, unknown>>, line: number): ReadingSet {
    this.#readings.begin(line);
    for (const [member, [id, scale]] of Object.entries(MEMBERS)) {
      const value = gpu[member];
      if (value === undefined) continue;
      if (value === null) this.#readings.absent(metric(id), 'not-supported');
      else if (typeof value === 'number') this.#readings.number(metric(id), value, scale, member);
      else this.#readings.text(metric(id), String(value), scale, member);
    }
    return this.#readings.take();
  }
}

function processesOf(listed: unknown): readonly GpuProcess[] | Absent {
  if (listed === undefined) return absent('not-collected');
  if (!Array.isArray(listed)) return absent('not-supported');
  return listed.filter(isObject).flatMap((process): GpuProcess[] => {
    const { pid, username, command, full_command: words } = process;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 0) return [];
    return [
      {
        pid,
        kind: 'compute',
        memoryBytes: scaled(process['gpu_memory_usage'], MIB),
        name: typeof command === 'string' && command !== '' ? command : null,
        user: typeof username === 'string' && username !== '' ? username : null,
        ...('cpu_percent' in process ? { cpuRatio: scaled(process['cpu_percent'], 0.01) } : {}),
        ...('cpu_memory_usage' in process ? { hostMemoryBytes: scaled(process['cpu_memory_usage'], 1) } : {}),
        ...(Array.isArray(words) && words.length > 0 ? { command: words.join(' ') } : {}),
      },
    ];
  });
}

function scaled(value: unknown, scale: number): Reading {
  if (typeof value !== 'number' || !(value >= 0)) return absent('not-supported');
  return scale < 1 ? value / Math.round(1 / scale) : value * scale;
}
