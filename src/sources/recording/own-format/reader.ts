import { DEVICE_METRICS, MACHINE_METRICS } from '../../../model/catalogue.ts';
import type { Device, DeviceState, MigSlice, Vendor } from '../../../model/device.ts';
import { EVENT_KINDS, type GpuEvent, type Severity } from '../../../model/event.ts';
import { absent } from '../../../model/reading.ts';
import { ReadingSet } from '../../../model/reading-set.ts';
import type { DeviceSample, HostSample, Tick } from '../../../model/tick.ts';
import { isObject } from '../loose-json.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { ProcessReader } from './process-lines.ts';
import { isReason, ReadingNames } from './reading-delta.ts';
import { FORMAT_NAME, FORMAT_VERSION } from './wire.ts';

type Line = Readonly<Record<string, unknown>>;

/** A line that is longer is not kept: no machine has so many GPUs. */
const LONGEST_LINE = 16 * 2 ** 20;

const STATES: readonly DeviceState[] = ['ok', 'lost', 'asleep', 'stale'];
const VENDORS: readonly Vendor[] = ['nvidia', 'amd', 'intel', 'huawei', 'unknown'];
const SEVERITIES: readonly Severity[] = ['info', 'warning', 'critical'];

/** What the lines so far have said of a device. */
interface Known {
  device: Device;
  readings: ReadingSet;
  details: DeviceSample['details'];
  allotted: DeviceSample['allotted'];
  readonly processes: ProcessReader;
}

/** Reads a recording of gpulse. Every line is a tick, with everything that was in it when it was sampled. */
export class OwnReader implements FormatReader {
  readonly isHolding = false;
  readonly #context: FormatContext;
  readonly #known = new Map<string, Known>();
  #host: ReadingSet | null = null;
  readonly #deviceNames = new ReadingNames(DEVICE_METRICS);
  readonly #hostNames = new ReadingNames(MACHINE_METRICS);
  /** Pieces of a long line. */
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  #pieceLine = 0;
  #ticks = 0;
  #isRestarted = false;
  #seesXids = false;

  constructor(context: FormatContext) {
    this.#context = context;
  }

  /** NVML reports Xids itself; what else was sampled may not have been allowed to read the kernel log. */
  get seesXids(): boolean {
    return this.#seesXids;
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    this.#endPieces(true);
    if (start < end) this.#read(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start), number, isWhole);
  }

  part(bytes: Uint8Array, start: number, end: number, number: number, isFirst: boolean): void {
    if (isFirst) this.#endPieces(true);
    this.#pieceLine = number;
    this.#pieceBytes += end - start;
    if (this.#pieceBytes <= LONGEST_LINE) this.#pieces.push(bytes.slice(start, end));
    else this.#pieces = [];
  }

  settle(): void {}

  end(): void {
    this.#endPieces(false);
    const unknown = [...this.#deviceNames.unknown, ...this.#hostNames.unknown];
    if (unknown.length === 0) return;
    this.#context.report.remark('notice.columns-without-metric', { columns: unknown.join(', ') });
  }

  #endPieces(isWhole: boolean): void {
    if (this.#pieceBytes === 0) return;
    const [bytes, isKept] = [Buffer.concat(this.#pieces), this.#pieces.length > 0];
    this.#pieces = [];
    this.#pieceBytes = 0;
    if (isKept) this.#read(bytes, this.#pieceLine, isWhole);
    else this.#broken('too-large', this.#pieceLine);
  }

  #read(bytes: Buffer, number: number, isWhole: boolean): void {
    let line: unknown;
    try {
      line = JSON.parse(bytes.toString());
    } catch {
      this.#broken(isWhole ? 'broken-document' : 'truncated', number);
      return;
    }
    if (!isObject(line)) this.#broken('broken-document', number);
    else if (line['format'] === FORMAT_NAME) this.#header(line, number);
    else this.#tick(line, number);
  }

  /** What was left as it was before is not known any more. */
  #broken(reason: 'broken-document' | 'truncated' | 'too-large', number: number): void {
    this.#context.report.skip(reason, number);
    for (const known of this.#known.values()) known.readings = new ReadingSet();
    this.#host = null;
  }

  #header({ version, origin, continues, source }: Line, number: number): void {
    this.#seesXids = origin === 'simulated' || String(source).includes('nvml');
    if (origin === 'simulated') this.#context.report.remark('notice.recording-simulated');
    if (typeof version === 'number' && version > FORMAT_VERSION) {
      this.#context.report.remark('notice.recording-newer', { version, line: number });
    }
    this.#known.clear();
    this.#host = null;
    this.#isRestarted = this.#ticks > 0 && continues !== true;
  }

  #tick(line: Line, number: number): void {
    const { epoch_ms: at, monotonic_ms: monotonic, gpus, host, events } = line;
    if (typeof at !== 'number' || !Number.isFinite(new Date(at).getTime()) || !Array.isArray(gpus)) {
      this.#broken('broken-document', number);
      return;
    }
    const devices = gpus.flatMap((entry: unknown) => this.#sample(entry, number) ?? []);
    const restart: GpuEvent[] = this.#isRestarted
      ? [{ at, kind: 'recording-restarted', severity: 'info', uuid: null, params: {} }]
      : [];
    this.#isRestarted = false;
    this.#ticks++;
    const tick: Tick = {
      at,
      monotonic: typeof monotonic === 'number' ? monotonic : at,
      devices,
      ...(isObject(host) ? { host: this.#machine(host) } : {}),
      events: [...restart, ...(Array.isArray(events) ? events.flatMap(eventIn) : [])],
      isFinished: true,
    };
    this.#context.sink.tick?.(tick);
  }

  #sample(entry: unknown, number: number): DeviceSample | null {
    const known = isObject(entry) && typeof entry['uuid'] === 'string' ? this.#knownOf(entry, entry['uuid']) : null;
    if (known === null || !isObject(entry)) {
      this.#context.report.skip('unknown-device', number);
      return null;
    }
    const { state, full, readings: values, absent: reasons, processes, processes_partial: partial } = entry;
    const readings = full === true ? new ReadingSet() : known.readings.clone();
    this.#deviceNames.apply(readings, asObject(values), asObject(reasons));
    known.readings = readings;
    if (full === true || 'details' in entry) known.details = asDetails(entry['details']);
    if (full === true || 'allotted' in entry) known.allotted = asAllotted(entry['allotted']);
    return {
      device: known.device,
      state: STATES.find((word) => word === state) ?? 'stale',
      readings,
      processes: Array.isArray(processes)
        ? known.processes.read(processes)
        : absent(isReason(processes) ? processes : 'not-collected'),
      ...(isReason(partial) ? { processesPartial: partial } : {}),
      ...(known.details === undefined ? {} : { details: known.details }),
      ...(known.allotted === undefined ? {} : { allotted: known.allotted }),
    };
  }

  /** Null for a device that no line has introduced. */
  #knownOf(entry: Line, uuid: string): Known | null {
    const known = this.#known.get(uuid);
    const { device: given } = entry;
    if (!isObject(given)) return known ?? null;
    const device = deviceIn(given, uuid);
    this.#context.devices.resolve({ ...device, isDerived: device.uuidIsDerived === true });
    if (known !== undefined) {
      known.device = device;
      return known;
    }
    const added: Known = {
      device,
      readings: new ReadingSet(),
      details: undefined,
      allotted: undefined,
      processes: new ProcessReader(),
    };
    this.#known.set(uuid, added);
    return added;
  }

  #machine({ full, readings: values, absent: reasons, cpus }: Line): HostSample {
    const readings = full === true || this.#host === null ? new ReadingSet() : this.#host.clone();
    this.#hostNames.apply(readings, asObject(values), asObject(reasons));
    this.#host = readings;
    const ratios = Array.isArray(cpus) ? cpus.filter((ratio): ratio is number => typeof ratio === 'number') : [];
    return { readings, cpuRatios: Float64Array.from(ratios) };
  }
}

function deviceIn(given: Line, uuid: string): Device {
  const { vendor, name, index, pciBusId, minor, serial, driverVersion, mig, facts, uuidIsDerived } = given;
  return {
    uuid,
    ...(uuidIsDerived === true ? { uuidIsDerived } : {}),
    vendor: VENDORS.find((word) => word === vendor) ?? 'unknown',
    name: textOf(name) ?? 'GPU',
    index: numberOf(index) ?? 0,
    pciBusId: textOf(pciBusId),
    minor: numberOf(minor),
    serial: textOf(serial),
    driverVersion: textOf(driverVersion),
    ...(isObject(mig) ? { mig: sliceIn(mig) } : {}),
    ...(isObject(facts) ? { facts: facts as NonNullable<Device['facts']> } : {}),
  };
}

function sliceIn({ parent, gpuInstance, computeInstance, profile }: Line): MigSlice {
  return {
    parent: textOf(parent) ?? '',
    gpuInstance: numberOf(gpuInstance),
    computeInstance: numberOf(computeInstance),
    profile: textOf(profile),
  };
}

/** Nothing for what is no event of this version. */
function eventIn(given: unknown): GpuEvent[] {
  if (!isObject(given)) return [];
  const { at, uuid, params, key } = given;
  const kind = EVENT_KINDS.find((word) => word === given['kind']);
  const severity = SEVERITIES.find((word) => word === given['severity']);
  if (kind === undefined || severity === undefined || typeof at !== 'number') return [];
  const words = Object.entries(asObject(params)).filter(
    (pair): pair is [string, string | number] => typeof pair[1] === 'string' || typeof pair[1] === 'number',
  );
  return [
    {
      at,
      kind,
      severity,
      uuid: textOf(uuid),
      params: Object.fromEntries(words),
      ...(typeof key === 'string' ? { key } : {}),
    },
  ];
}

function asDetails(given: unknown): DeviceSample['details'] {
  return isObject(given) ? (given as NonNullable<DeviceSample['details']>) : undefined;
}

function asAllotted(given: unknown): DeviceSample['allotted'] {
  return Array.isArray(given) ? (given as NonNullable<DeviceSample['allotted']>) : undefined;
}

function asObject(given: unknown): Line {
  return isObject(given) ? given : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
