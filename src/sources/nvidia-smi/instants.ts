import { absent } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import type { DeviceSample } from '../../model/tick.ts';
import type { LogDevice, LogDevices } from '../recording/log-devices.ts';
import type { LogRow, RowSink } from '../recording/rows.ts';

const NO_PROCESSES = absent('not-collected');

/** Puts the rows that a query gives in one go together. */
export class Instants implements RowSink {
  readonly #devices: LogDevices;
  readonly #publish: (samples: readonly DeviceSample[]) => void;
  #samples = new Map<LogDevice, DeviceSample>();
  /** Rows of the last instant: once as many are here, nothing more is waited for. */
  #usual = 0;

  constructor(devices: LogDevices, publish: (samples: readonly DeviceSample[]) => void) {
    this.#devices = devices;
    this.#publish = publish;
  }

  section(): void {}

  header(): void {
    this.finish();
  }

  instant(): void {
    this.finish();
  }

  event(): void {}

  row({ device: named, lost, readings, processes, process }: LogRow): void {
    const device = named ?? this.#nextUnseen();
    if (device === null) return;
    const known = this.#samples.get(device);
    if (process !== null && known !== undefined) {
      const before = 'absent' in known.processes ? [] : known.processes;
      this.#samples.set(device, { ...known, processes: [...before, process] });
      return;
    }
    if (known !== undefined) this.finish();
    const listed = process === null ? (processes ?? NO_PROCESSES) : [process];
    this.#samples.set(device, { device: device.device, state: lost ? 'lost' : 'ok', readings, processes: listed });
    if (process === null && this.#samples.size === this.#usual) this.finish();
  }

  lost(device: LogDevice): void {
    const gone = absent('gpu-lost');
    const readings = ReadingSet.allAbsent('gpu-lost');
    this.#samples.set(device, { device: device.device, state: 'lost', readings, processes: gone });
  }

  /** No more rows of this instant come. */
  finish(): void {
    const samples = [...this.#samples.values()];
    this.#samples = new Map();
    if (samples.length === 0) return;
    this.#usual = samples.length;
    this.#publish(samples);
  }

  /** A row whose identity could not be read either is about the next device in order. */
  #nextUnseen(): LogDevice | null {
    return this.#devices.all.find((device) => !this.#samples.has(device)) ?? null;
  }
}
