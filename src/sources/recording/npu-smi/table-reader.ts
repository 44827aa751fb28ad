import { type MetricId, metric } from '../../../model/catalogue.ts';
import type { GpuProcess } from '../../../model/process.ts';
import { type Absent, absent } from '../../../model/reading.ts';
import type { ReadingSet } from '../../../model/reading-set.ts';
import { type Identity, normalBusId, UNKNOWN_IDENTITY } from '../log-devices.ts';
import { plainLine } from '../plain-line.ts';
import { RowReadings } from '../row-readings.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { MOST_DEVICES, type SnapshotDevice, Snapshots } from '../snapshots.ts';
import {
  type ChipHead,
  type ChipProcess,
  type ChipRest,
  cellsOf,
  chipHead,
  chipProcess,
  chipRest,
} from './table-lines.ts';

const MIB = 2 ** 20;
/** A longer list is no list of processes. */
const MOST_PROCESSES = 65_536;
const BANNER = /npu-smi\s+\S+(?:.*\bVersion:\s*(\S+))?/;
const RULE = /^\s*\+[-=+]+\+?\s*$/;
const PROCESS_HEADER = /process\s+id/i;

interface Chip {
  readonly head: ChipHead;
  /** Null where the table ends in the middle of it. */
  rest: ChipRest | null;
  readonly line: number;
}

export function isNpuTableLine(line: string): boolean {
  return RULE.test(line) || cellsOf(line) !== null;
}

/** Reads the table, in which a chip has two lines and the second chip of a card repeats the number of the card. */
export class NpuTableReader implements FormatReader {
  readonly isHolding = false;
  readonly #context: FormatContext;
  readonly #snapshots: Snapshots;
  readonly #readings: RowReadings;
  #driver: string | null = null;
  #chips: Chip[] = [];
  /** Null while the table has not come to its list of processes. */
  #processes: ChipProcess[] | null = null;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#snapshots = new Snapshots(context);
    this.#readings = new RowReadings(context.report);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void {
    const line = plainLine(bytes, start, end);
    if (line.trim() === '' || RULE.test(line)) return;
    const cells = cellsOf(line);
    if (cells === null) {
      this.#other(line, number, terminated);
      return;
    }
    const banner = cells.length === 1 ? BANNER.exec(cells[0]!) : null;
    if (banner !== null) {
      this.#flush();
      this.#driver = banner[1] ?? null;
      return;
    }
    this.#cells(cells, number);
  }

  settle(): void {}

  end(): void {
    this.#flush();
  }

  #cells(cells: readonly string[], number: number): void {
    if (PROCESS_HEADER.test(cells[1] ?? '')) {
      this.#processes = [];
      return;
    }
    const process = this.#processes === null ? null : chipProcess(cells);
    if (process !== null) {
      if (this.#processes !== null && this.#processes.length < MOST_PROCESSES) this.#processes.push(process);
      return;
    }
    const rest = chipRest(cells);
    const last = this.#chips.at(-1);
    if (rest !== null && last !== undefined && last.rest === null) {
      last.rest = rest;
      return;
    }
    const head = chipHead(cells);
    if (head === null) return;
    // A table without its banner follows another one.
    const isNext = this.#processes !== null || (last !== undefined && head.npu < last.head.npu);
    if (isNext || this.#chips.length >= MOST_DEVICES) this.#flush();
    this.#chips.push({ head, rest: null, line: number });
  }

  #other(line: string, number: number, terminated: boolean): void {
    this.#flush();
    if (!this.#snapshots.takeDate(line)) this.#context.report.skip(terminated ? 'stray-text' : 'truncated', number);
  }

  #flush(): void {
    const chips = this.#chips;
    if (chips.length > 0) {
      this.#snapshots.emit(
        Number.NaN,
        chips.map((chip, place) => this.#device(chip, placeOnCard(chips, place))),
      );
    }
    this.#chips = [];
    this.#processes = null;
  }

  #device(chip: Chip, placeOnCard: number): SnapshotDevice {
    return {
      identity: this.#identity(chip, placeOnCard),
      readings: this.#values(chip),
      processes: this.#processesOf(chip),
      lost: false,
      line: chip.line,
    };
  }

  #identity({ head, rest }: Chip, placeOnCard: number): Identity {
    const known: Identity = { ...UNKNOWN_IDENTITY, vendor: 'huawei', name: head.name, driverVersion: this.#driver };
    if (rest === null) return { ...known, uuid: `log-npu-${head.npu}-${placeOnCard}`, isDerived: true };
    const index = rest.physical ?? (rest.chip === 0 ? head.npu : null);
    return { ...known, pciBusId: normalBusId(rest.busId), index };
  }

  #values({ head, rest, line }: Chip): ReadingSet {
    this.#readings.begin(line);
    const put = (id: MetricId, written: string, scale: number, title: string): void => {
      if (written === 'NA') this.#readings.absent(metric(id), 'not-supported');
      else this.#readings.text(metric(id), written, scale, title);
    };
    put('power_watts', head.power, 1, 'Power(W)');
    put('temperature_celsius', head.temperature, 1, 'Temp(C)');
    if (rest !== null) {
      put('utilization_ratio', rest.load, 0.01, 'AICore(%)');
      put('memory_used_bytes', rest.memoryUsed, MIB, 'Memory-Usage(MB)');
      put('memory_total_bytes', rest.memoryTotal, MIB, 'Memory-Usage(MB)');
    }
    return this.#readings.take();
  }

  #processesOf({ head, rest }: Chip): readonly GpuProcess[] | Absent {
    if (this.#processes === null || rest === null) return absent('not-collected');
    return this.#processes
      .filter(({ npu, chip }) => npu === head.npu && chip === rest.chip)
      .map(({ pid, name, memory }) => ({
        pid,
        kind: 'compute',
        memoryBytes: /^\d+$/.test(memory) ? Number(memory) * MIB : absent('not-collected'),
        name: name === '' ? null : name,
        user: null,
      }));
  }
}

/** How many chips of the same card stand in front of it. */
function placeOnCard(chips: readonly Chip[], place: number): number {
  const { npu } = chips[place]!.head;
  return chips.slice(0, place).filter(({ head }) => head.npu === npu).length;
}
