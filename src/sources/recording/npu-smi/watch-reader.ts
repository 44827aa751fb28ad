import { type MetricId, metric } from '../../../model/catalogue.ts';
import { absent } from '../../../model/reading.ts';
import { UNKNOWN_IDENTITY } from '../log-devices.ts';
import { plainLine } from '../plain-line.ts';
import { RowReadings } from '../row-readings.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { MOST_DEVICES, type SnapshotDevice, Snapshots } from '../snapshots.ts';

const TITLE = /[A-Za-z]+(?: [A-Za-z]+)*\([^()]*\)/g;
const HEADER = /^\s*NpuID\(Idx\)\s+ChipId\(Idx\)/i;
const ROW = /^\s*\d+\s+\d+(?:\s+(?:-?[\d.]+|NA|N\/A|-))+\s*$/;

const METRICS: Readonly<Record<string, readonly [MetricId, number]>> = {
  'pwr(w)': ['power_watts', 1],
  'temp(c)': ['temperature_celsius', 1],
  'ai core(%)': ['utilization_ratio', 0.01],
  'memory(%)': ['memory_used_ratio', 0.01],
  'hbm(%)': ['memory_used_ratio', 0.01],
  'memory bw(%)': ['memory_utilization_ratio', 0.01],
  'hbm bw(%)': ['memory_utilization_ratio', 0.01],
};

export function isWatchHeader(line: string): boolean {
  return HEADER.test(line);
}

export function isWatchRow(line: string): boolean {
  return ROW.test(line);
}

/** Reads the rows of `npu-smi info watch`; a chip that comes again begins the next tick. */
export class NpuWatchReader implements FormatReader {
  readonly isHolding = false;
  readonly #context: FormatContext;
  readonly #snapshots: Snapshots;
  readonly #readings: RowReadings;
  #titles: readonly string[] = [];
  #chips = new Map<string, SnapshotDevice>();

  constructor(context: FormatContext) {
    this.#context = context;
    this.#snapshots = new Snapshots(context);
    this.#readings = new RowReadings(context.report);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void {
    const line = plainLine(bytes, start, end);
    if (line.trim() === '') return;
    if (HEADER.test(line)) {
      this.#titles = terminated ? [...line.matchAll(TITLE)].map(([title]) => title.toLowerCase()) : [];
      return;
    }
    const cells = line.trim().split(/\s+/);
    if (ROW.test(line) && cells.length === this.#titles.length && terminated) {
      this.#row(cells, number);
      return;
    }
    this.#flush();
    if (this.#snapshots.takeDate(line)) return;
    const reason = terminated ? (ROW.test(line) ? 'wrong-columns' : 'stray-text') : 'truncated';
    this.#context.report.skip(reason, number);
  }

  settle(): void {}

  end(): void {
    this.#flush();
  }

  #row(cells: readonly string[], number: number): void {
    const [npu, chip] = cells;
    const key = `${npu}-${chip}`;
    if (this.#chips.has(key) || this.#chips.size >= MOST_DEVICES) this.#flush();
    this.#readings.begin(number);
    for (const [position, title] of this.#titles.entries()) {
      const found = METRICS[title];
      const written = cells[position]!;
      if (found === undefined) continue;
      if (written === 'NA') this.#readings.absent(metric(found[0]), 'not-supported');
      else this.#readings.text(metric(found[0]), written, found[1], title);
    }
    this.#chips.set(key, {
      identity: {
        ...UNKNOWN_IDENTITY,
        vendor: 'huawei',
        index: Number(npu),
        ...(chip === '0' ? {} : { uuid: `log-npu-${key}`, isDerived: true }),
      },
      readings: this.#readings.take(),
      processes: absent('not-collected'),
      lost: false,
      line: number,
    });
  }

  #flush(): void {
    if (this.#chips.size === 0) return;
    const chips = [...this.#chips.values()];
    this.#chips = new Map();
    this.#snapshots.emit(Number.NaN, chips);
  }
}
