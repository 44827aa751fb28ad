import { DEVICE_METRICS, MACHINE_METRICS } from '../../../model/catalogue.ts';
import type { Device } from '../../../model/device.ts';
import { isoTime } from '../../../model/format.ts';
import type { Millis } from '../../../model/reading.ts';
import type { ReadingSet } from '../../../model/reading-set.ts';
import type { DeviceSample, HostSample, Tick } from '../../../model/tick.ts';
import { ProcessWriter } from './process-lines.ts';
import { readingPart } from './reading-delta.ts';
import { FORMAT_NAME, FORMAT_VERSION, type HeaderLine, type TickLine, type WireGpu } from './wire.ts';

/** Every so many ticks an entry says everything, so that what a damaged line leaves unknown is soon known again. */
const FULL_EVERY = 60;

const UNITS = 'ratio 0-1, bytes, watts, joules, hertz, degrees Celsius, seconds; epoch_ms is UTC';
const RULE =
  'one line per tick; values that change all the time are in every line, others when they change; a metric that a line does not name is as in the entry of that GPU before, in a full entry it is not collected';

/** What the header of a recording says. */
export interface RecordingFacts {
  readonly version: string;
  readonly host: string;
  readonly source: string;
  readonly origin: string;
  readonly intervalMs: number;
  /** False to leave out command lines, which may hold what is nobody else's business. */
  readonly hasCommands: boolean;
}

interface Written {
  readings: ReadingSet;
  device: Device;
  details: string | undefined;
  allotted: string | undefined;
  readonly processes: ProcessWriter;
  /** Until the next full entry. */
  left: number;
}

/** Turns ticks into the lines of a recording. */
export class RecordingEncoder {
  readonly #facts: RecordingFacts;
  readonly #written = new Map<string, Written>();
  #host: { readings: ReadingSet; left: number } | null = null;

  constructor(facts: RecordingFacts) {
    this.#facts = facts;
  }

  /** The first line of a file; what follows it stands on its own. `continues` after a file that was only full. */
  header(at: Millis, continues: boolean): string {
    this.restart();
    const { version, host, source, origin, intervalMs } = this.#facts;
    const line: HeaderLine = {
      format: FORMAT_NAME,
      version: FORMAT_VERSION,
      gpulse: version,
      host,
      source,
      origin,
      started: isoTime(at),
      interval_ms: intervalMs,
      continues,
      units: UNITS,
      rule: RULE,
    };
    return `${JSON.stringify(line)}\n`;
  }

  tick({ at, monotonic, devices, host, events }: Tick): string {
    const line: TickLine = {
      time: isoTime(at),
      epoch_ms: at,
      monotonic_ms: monotonic,
      gpus: devices.map((sample) => this.#gpu(sample)),
      ...(host === undefined ? {} : { host: this.#machine(host) }),
      ...(events.length === 0 ? {} : { events }),
    };
    return `${JSON.stringify(line)}\n`;
  }

  /** Lines were lost: the next ones say everything. */
  restart(): void {
    this.#written.clear();
    this.#host = null;
  }

  #gpu(sample: DeviceSample): WireGpu {
    const { device, state, readings, processes, processesPartial, details, allotted } = sample;
    const known = this.#written.get(device.uuid);
    const isFull = known === undefined || known.left === 0;
    const entry = known ?? {
      readings,
      device,
      details: undefined,
      allotted: undefined,
      processes: new ProcessWriter(this.#facts.hasCommands),
      left: 0,
    };
    const [detailText, allottedText] = [textOf(details), textOf(allotted)];
    const isSameDevice = !isFull && (entry.device === device || textOf(entry.device) === textOf(device));
    const line: WireGpu = {
      uuid: device.uuid,
      index: device.index,
      state,
      ...(isFull ? { full: true } : {}),
      ...(isSameDevice ? {} : { device }),
      ...readingPart(readings, isFull ? null : entry.readings, DEVICE_METRICS),
      processes: 'absent' in processes ? processes.absent : entry.processes.write(processes, isFull),
      ...(processesPartial === undefined ? {} : { processes_partial: processesPartial }),
      ...changed('details', details, detailText, isFull ? undefined : entry.details),
      ...changed('allotted', allotted, allottedText, isFull ? undefined : entry.allotted),
    };
    this.#written.set(device.uuid, {
      ...entry,
      readings,
      device,
      details: detailText,
      allotted: allottedText,
      left: isFull ? FULL_EVERY - 1 : entry.left - 1,
    });
    return line;
  }

  #machine({ readings, cpuRatios }: HostSample): NonNullable<TickLine['host']> {
    const before = this.#host;
    const isFull = before === null || before.left === 0;
    this.#host = { readings, left: isFull ? FULL_EVERY - 1 : before.left - 1 };
    return {
      ...(isFull ? { full: true } : {}),
      ...readingPart(readings, isFull ? null : before.readings, MACHINE_METRICS),
      cpus: [...cpuRatios],
    };
  }
}

function changed(name: string, value: unknown, text: string | undefined, before: string | undefined): object {
  if (text === before) return {};
  return { [name]: value ?? null };
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
