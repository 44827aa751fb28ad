import { listedCard } from '../list/lines.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { SmiDocuments } from '../smi/documents.ts';
import { listedProcess } from '../smi/process-list.ts';
import { SmiReadings } from '../smi/readings.ts';
import { skipLine } from '../stray-line.ts';
import { type TableDevice, type TableProcesses, tableDevice } from './device.ts';
import {
  firstLine,
  instanceBar1,
  instanceLine,
  migMode,
  notListed,
  processLine,
  secondLine,
  type TableCells,
  tableCells,
} from './lines.ts';

const VERSION = /NVIDIA-SMI\s+\S+(?:.*?\b(?:Driver|KMD) Version:\s*(\d[\d.]*))?/;
const CUDA = /\bCUDA(?: UMD)? Version:\s*(\d[\d.]*)/;
const BORDER = /[+|][-=+]{8,}[+|]?\s*$/;
const OUTER_BORDER = /\+-{8,}/;
const PROCESSES = /\b(?:Compute )?[Pp]rocesses:/;
const NONE = /No running (?:compute )?processes found/;
const INSTANCES = /\bMIG devices:/;
/** Titles of columns, which are of no interest. */
const TITLES =
  /Persistence-M|Driver-Model|TCC\/WDDM|Pwr:\s?Usage\/Cap|MIG M\.|Shared Memory-Usage|Shared BAR1-Usage|GPU Memory \||Usage\s+\||\bSM\s+Unc|No MIG devices found|^\W*ECC\W*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals are told about colours is left out
const ESCAPES = /\u001b\[[\d;?]*[A-Za-z]/g;

/** A date with so many other lines behind it is not that of the table. */
const MOST_LINES_BEHIND_DATE = 5;
/** So many other lines end a table: it may be the only one. */
const MOST_STRAY_LINES = 200;
/** More processes than any machine has on its GPUs. */
const MOST_PROCESSES = 16_384;

/** More instances than any card has. */
const MOST_INSTANCES = 64;

/** Which box of the table the lines are in. */
type Box = 'gpus' | 'instances' | 'processes';

/** Reads the table of plain `nvidia-smi`, one after the other, and skips what stands between them. */
export class SmiTableReader implements FormatReader {
  readonly #context: FormatContext;
  readonly #documents: SmiDocuments;
  readonly #readings: SmiReadings;
  #devices = new Map<number, TableDevice>();
  /** The GPU whose first line was the last line of interest. */
  #current: TableDevice | null = null;
  #box: Box = 'gpus';
  #hasBorders = false;
  #processes: TableProcesses | null = null;
  #processesLine = 0;
  /** Other lines since the last one of a table, or since a date. */
  #strayLines = 0;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#documents = new SmiDocuments(context);
    this.#readings = new SmiReadings(context.report);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    const raw = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
    const text = raw.includes('\u001b') ? raw.replaceAll(ESCAPES, '') : raw;
    if (text.trim() === '') return;
    if (this.#readTable(text, number, isWhole)) {
      this.#strayLines = 0;
      return;
    }
    if (this.#readDate(text, isWhole) || this.#readList(text, isWhole)) return;
    this.#strayLines++;
    if (this.#strayLines > MOST_LINES_BEHIND_DATE && this.#devices.size === 0) this.#documents.setTime(Number.NaN);
    if (this.#strayLines === MOST_STRAY_LINES) this.#finish();
    skipLine(text, 'stray-text', { number, isWhole }, this.#context, true);
  }

  get isHolding(): boolean {
    return this.#documents.isHolding;
  }

  settle(): void {
    this.#documents.release();
  }

  end(): void {
    if (!this.#hasBorders && this.#processes !== null) this.#processes.isWhole = true;
    this.#finish();
    this.#documents.release();
  }

  /** False for a line that is not part of a table. */
  #readTable(text: string, number: number, isWhole: boolean): boolean {
    if (text.includes('NVIDIA-SMI') && this.#readVersion(text)) return true;
    if (!text.includes('|') && !text.includes('+')) return this.#box === 'processes' && NONE.test(text);
    if (BORDER.test(text)) {
      this.#border(text);
      return true;
    }
    if (PROCESSES.test(text)) {
      this.#box = 'processes';
      this.#processes = { listed: [], absences: new Map(), isWhole: false, isEmpty: false };
      this.#processesLine = number;
      return true;
    }
    if (INSTANCES.test(text)) {
      this.#box = 'instances';
      return true;
    }
    const cells = tableCells(text, isWhole);
    return this.#readRow(cells, number) || TITLES.test(text) || cells.cells.every((cell) => cell === '');
  }

  #readRow(cells: TableCells, number: number): boolean {
    const first = firstLine(cells);
    if (first !== null) {
      // A table whose header is missing.
      if (this.#devices.has(first.index) || this.#processes !== null) this.#finish();
      this.#current = { index: first.index, first, second: null, migMode: '', instances: [], line: number };
      this.#devices.set(first.index, this.#current);
      return true;
    }
    if (this.#box === 'processes') return this.#readProcess(cells);
    if (this.#box === 'instances') return this.#readInstance(cells, number);
    return this.#current !== null && this.#readFurther(cells, this.#current);
  }

  #readFurther(cells: TableCells, device: TableDevice): boolean {
    const second = device.second === null ? secondLine(cells) : null;
    if (second !== null) {
      device.second = second;
      return true;
    }
    const mode = migMode(cells);
    if (mode !== null) device.migMode = mode;
    return mode !== null;
  }

  #readInstance(cells: TableCells, number: number): boolean {
    const row = instanceLine(cells);
    if (row !== null) {
      this.#current = this.#devices.get(row.index) ?? null;
      const instances = this.#current?.instances ?? [];
      if (instances.length < MOST_INSTANCES) instances.push({ row, bar1: null, line: number });
      return true;
    }
    const bar1 = instanceBar1(cells);
    const instance = this.#current?.instances.at(-1);
    if (bar1 !== null && instance !== undefined) instance.bar1 = bar1;
    return bar1 !== null;
  }

  #readProcess(cells: TableCells): boolean {
    const found = processLine(cells);
    const box = this.#processes;
    if (box === null) return false;
    if (found !== null) {
      const listed = listedProcess(found);
      if (listed !== null && box.listed.length < MOST_PROCESSES) box.listed.push({ ...listed, index: found.index });
      return listed !== null;
    }
    const missing = notListed(cells);
    if (missing !== null) box.absences.set(missing.index, missing.why);
    else if (cells.cells.some((cell) => NONE.test(cell))) box.isEmpty = true;
    else return false;
    return true;
  }

  #readVersion(text: string): boolean {
    const found = VERSION.exec(text);
    if (found === null || /failed|couldn't/i.test(text)) return false;
    this.#finish();
    if (found[1] !== undefined) this.#documents.driverVersion(found[1]);
    const cuda = CUDA.exec(text)?.[1];
    if (cuda !== undefined) this.#documents.cudaVersion(cuda);
    return true;
  }

  #readDate(text: string, isWhole: boolean): boolean {
    const time = isWhole ? this.#documents.dateOf(text) : Number.NaN;
    if (Number.isNaN(time)) return false;
    this.#finish();
    this.#documents.setTime(time);
    this.#strayLines = 0;
    return true;
  }

  /** The output of `nvidia-smi -L` in front of the tables tells their UUIDs. */
  #readList(text: string, isWhole: boolean): boolean {
    const identity = isWhole ? listedCard(text) : null;
    if (identity !== null) this.#context.devices.resolve(identity);
    return identity !== null;
  }

  #border(text: string): void {
    // `|====|` is between titles and rows.
    if (!OUTER_BORDER.test(text)) return;
    this.#hasBorders = true;
    if (this.#box === 'processes' && this.#processes !== null) this.#processes.isWhole = true;
  }

  /** The table has ended, or was cut off. */
  #finish(): void {
    const processes = this.#processes;
    const devices = this.#devices;
    this.#devices = new Map();
    this.#current = null;
    this.#processes = null;
    this.#box = 'gpus';
    if (processes !== null) addUnlisted(devices, processes, this.#processesLine);
    for (const device of devices.values()) {
      this.#documents.add(tableDevice(device, this.#documents, processes, this.#readings));
    }
    if (devices.size > 0) this.#documents.end();
  }
}

/** GPUs that only their processes tell of: the upper part of the table is missing. */
function addUnlisted(devices: Map<number, TableDevice>, { listed, absences }: TableProcesses, line: number): void {
  for (const index of [...listed.map((entry) => entry.index), ...absences.keys()].sort((a, b) => a - b)) {
    if (!devices.has(index)) devices.set(index, { index, first: null, second: null, migMode: '', instances: [], line });
  }
}
