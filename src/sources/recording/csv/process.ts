import { metric } from '../../../model/catalogue.ts';
import type { GpuProcess } from '../../../model/process.ts';
import { absent, type Reading } from '../../../model/reading.ts';
import { commandName } from '../command-name.ts';
import { NumberCell } from '../number-cell.ts';
import type { Cells } from './cells.ts';
import { MetricColumn } from './metric.ts';
import type { CsvPlan } from './plan.ts';

/** Reads the records of `--query-compute-apps`: one process on one device each. */
export class ProcessCells {
  readonly #columns: NonNullable<CsvPlan['process']>;
  readonly #number = new NumberCell();
  readonly #memory: MetricColumn;

  constructor(columns: NonNullable<CsvPlan['process']>) {
    this.#columns = columns;
    this.#memory = new MetricColumn({
      position: columns.memory,
      title: '',
      metric: metric('memory_used_bytes'),
      scale: 2 ** 20,
    });
  }

  /** The process of a record, or null if it has no process id. */
  read(bytes: Uint8Array, cells: Cells): GpuProcess | null {
    const { pid: position, name, memory } = this.#columns;
    const end = cells.ends[position]!;
    const pid = this.#number.read(bytes, cells.starts[position]!, end);
    if (!Number.isSafeInteger(pid) || pid < 0 || this.#number.end !== end) return null;
    return {
      pid,
      kind: 'compute',
      memoryBytes: memory === -1 ? absent('not-collected') : this.#readMemory(bytes, cells),
      name: name === -1 ? null : commandName(cells.text(bytes, name)),
      user: null,
    };
  }

  #readMemory(bytes: Uint8Array, cells: Cells): Reading {
    const { memory } = this.#columns;
    const value = this.#memory.read(bytes, cells.starts[memory]!, cells.ends[memory]!);
    return Number.isNaN(value) ? absent(this.#memory.absence) : value;
  }
}
