import { type MetricId, metric } from '../../../model/catalogue.ts';
import type { GpuProcess, ProcessKind } from '../../../model/process.ts';
import { type Absent, absent, type Reading } from '../../../model/reading.ts';
import type { ReadingSet } from '../../../model/reading-set.ts';
import type { JsonFault } from '../json-documents.ts';
import { JsonLineReader } from '../json-line-reader.ts';
import { UNKNOWN_IDENTITY } from '../log-devices.ts';
import { isObject, parseLoosely } from '../loose-json.ts';
import { RowReadings } from '../row-readings.ts';
import type { FormatContext } from '../rows.ts';
import { MOST_DEVICES, type SnapshotDevice, Snapshots } from '../snapshots.ts';
import { vendorOf } from '../vendor-names.ts';

/** Members whose text has its unit with it; bytes have none. `mem_util` is the filled share of the memory. */
const MEMBERS: Readonly<Record<string, MetricId>> = {
  gpu_clock: 'graphics_clock_hertz',
  mem_clock: 'memory_clock_hertz',
  power_draw: 'power_watts',
  gpu_util: 'utilization_ratio',
  encode: 'encoder_utilization_ratio',
  decode: 'decoder_utilization_ratio',
  mem_util: 'memory_used_ratio',
  mem_total: 'memory_total_bytes',
  mem_used: 'memory_used_bytes',
  mem_free: 'memory_free_bytes',
};

const KINDS: Readonly<Record<string, ProcessKind>> = {
  graphic: 'graphics',
  compute: 'compute',
  'graphic & compute': 'compute+graphics',
};

/** Reads nvtop's JSON, with or without the commas that some versions leave out. Every array is a tick. */
export class NvtopReader extends JsonLineReader {
  readonly #snapshots: Snapshots;
  readonly #readings: RowReadings;
  #devices: SnapshotDevice[] = [];

  constructor(context: FormatContext) {
    super(context);
    this.#snapshots = new Snapshots(context);
    this.#readings = new RowReadings(context.report);
  }

  element(text: string, line: number): void {
    const device = parseLoosely(text);
    if (this.#devices.length >= MOST_DEVICES) {
      this.context.report.skip('too-large', line);
    } else if (isObject(device) && typeof device['device_name'] === 'string') {
      this.#devices.push(this.#device(device, device['device_name'], line));
    } else {
      this.context.report.skip('broken-document', line);
    }
  }

  document(): void {
    this.#flush();
  }

  override broken(line: number, reason: JsonFault): void {
    super.broken(line, reason);
    this.#flush();
  }

  protected isDate(line: string): boolean {
    return this.#snapshots.takeDate(line);
  }

  #flush(): void {
    if (this.#devices.length > 0) this.#snapshots.emit(Number.NaN, this.#devices);
    this.#devices = [];
  }

  #device(device: Readonly<Record<string, unknown>>, name: string, line: number): SnapshotDevice {
    return {
      identity: { ...UNKNOWN_IDENTITY, index: this.#devices.length, name, vendor: vendorOf(name) },
      readings: this.#values(device, line),
      processes: processesOf(device['processes']),
      lost: false,
      line,
    };
  }

  #values(device: Readonly<Record<string, unknown>>, line: number): ReadingSet {
    this.#readings.begin(line);
    for (const [member, id] of Object.entries(MEMBERS)) {
      const value = device[member];
      if (typeof value === 'string') this.#readings.text(metric(id), value, 1, member);
    }
    this.#temperature(device['temp']);
    this.#fan(device['fan_speed']);
    return this.#readings.take();
  }

  #temperature(written: unknown): void {
    if (typeof written !== 'string') return;
    const fahrenheit = /^(-?\d+)\s*°?F$/.exec(written)?.[1];
    const celsius = fahrenheit === undefined ? written : `${Math.round((Number(fahrenheit) - 32) / 1.8)}C`;
    this.#readings.text(metric('temperature_celsius'), celsius, 1, 'temp');
  }

  #fan(written: unknown): void {
    if (typeof written !== 'string') return;
    const isShared = /^CPU Fan$/i.test(written);
    if (isShared) this.#readings.absent(metric('fan_speed_ratio'), 'not-supported');
    else
      this.#readings.text(metric(/rpm/i.test(written) ? 'fan_speed_rpm' : 'fan_speed_ratio'), written, 1, 'fan_speed');
  }
}

function processesOf(listed: unknown): readonly GpuProcess[] | Absent {
  if (!Array.isArray(listed)) return absent('not-collected');
  return listed.filter(isObject).flatMap((process): GpuProcess[] => {
    const pid = Number(process['pid']);
    if (typeof process['pid'] !== 'string' || !/^\d+$/.test(process['pid'])) return [];
    const { cmdline, user, kind } = process;
    const command = typeof cmdline === 'string' && cmdline !== '' ? cmdline : null;
    return [
      {
        pid,
        kind: (typeof kind === 'string' ? KINDS[kind] : undefined) ?? 'compute',
        memoryBytes: amount(process['gpu_mem_bytes_alloc'], /^(\d+)$/, 1),
        name: programOf(command),
        user: typeof user === 'string' && user !== '' ? user : null,
        smRatio: amount(process['gpu_usage'], /^(\d+)\s*%$/, 100),
        encoderRatio: amount(process['encode'], /^(\d+)\s*%$/, 100),
        decoderRatio: amount(process['decode'], /^(\d+)\s*%$/, 100),
        ...(command === null ? {} : { command }),
      },
    ];
  });
}

function amount(written: unknown, shape: RegExp, divisor: number): Reading {
  const figure = typeof written === 'string' ? shape.exec(written)?.[1] : undefined;
  return figure === undefined ? absent('not-collected') : Number(figure) / divisor;
}

function programOf(command: string | null): string | null {
  const program = command?.trim().split(/\s+/)[0] ?? '';
  return program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1) || null;
}
