import { absent } from '../../../model/reading.ts';
import { UNKNOWN_IDENTITY } from '../log-devices.ts';
import { plainLine } from '../plain-line.ts';
import { RowReadings } from '../row-readings.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { MOST_DEVICES, type SnapshotDevice, type SnapshotSlice, Snapshots } from '../snapshots.ts';
import { fieldOfColumn, fieldOfTag } from './names.ts';
import { DcgmValues } from './values.ts';

const HEADER = /^\s*#\s*Entity\s+(\S.*)$/i;
const UNITS = /^\s*#?\s*Id\b(?!.*\d)/i;
const ROW = /^\s*(GPU|GPU[-_]I|GPU[-_]CI|Switch|Link|CPU|Core|VGPU)\s+(\d+(?:[/.:]\d+)*)\s+(\S.*)$/i;

const NO_PROCESSES = absent('not-collected');

export function isDmonHeader(line: string): boolean {
  return HEADER.test(line);
}

export function isDmonRow(line: string): boolean {
  return ROW.test(line);
}

interface Column {
  readonly title: string;
  /** Undefined for a field without a metric. */
  readonly field: string | undefined;
}

/**
 * Reads the rows of `dcgmi dmon`, whose header comes again from time to time. A row that comes again for the same entity
 * begins the next tick.
 */
export class DcgmDmonReader implements FormatReader {
  readonly isHolding = false;
  readonly #context: FormatContext;
  readonly #snapshots: Snapshots;
  readonly #readings: RowReadings;
  readonly #values: DcgmValues;
  #columns: readonly Column[] = [];
  #entities = new Map<string, SnapshotDevice>();
  /** Of the card whose row came last; null before the first of a snapshot. */
  #slices: SnapshotSlice[] | null = null;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#snapshots = new Snapshots(context);
    this.#readings = new RowReadings(context.report);
    this.#values = new DcgmValues(this.#readings);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void {
    const line = plainLine(bytes, start, end);
    if (line.trim() === '') return;
    const header = HEADER.exec(line);
    if (header !== null) {
      this.#columns = terminated ? header[1]!.trim().split(/\s+/).map(columnOf) : [];
      return;
    }
    const row = ROW.exec(line);
    if (row !== null) this.#row(row, number, terminated);
    else if (!UNITS.test(line)) this.#other(line, number);
  }

  settle(): void {}

  end(): void {
    this.#flush();
  }

  #other(line: string, number: number): void {
    this.#flush();
    if (!this.#snapshots.takeDate(line)) this.#context.report.skip('stray-text', number);
  }

  #row([, kind = '', id = '', rest = '']: RegExpExecArray, number: number, terminated: boolean): void {
    const { report } = this.#context;
    const cells = rest.trim().split(/\s+/);
    if (cells.length !== this.#columns.length) {
      report.skip(terminated ? 'wrong-columns' : 'truncated', number);
      return;
    }
    const entity = kind.toUpperCase().replace('_', '-');
    if (!entity.startsWith('GPU')) {
      report.skip('unknown-device', number);
      return;
    }
    // A compute instance has nothing that its GPU instance does not have.
    if (entity === 'GPU-CI' && this.#slices !== null) return;
    const key = `${entity} ${id}`;
    if (this.#entities.has(key) || this.#entities.size >= MOST_DEVICES) this.#flush();
    this.#readings.begin(number);
    this.#values.begin();
    for (const [position, { title, field }] of this.#columns.entries()) {
      const isCut = !terminated && position === cells.length - 1;
      if (isCut) report.fault('cut-cells', number, { column: title, value: cells[position]! });
      else if (field !== undefined) this.#values.add(field, cells[position]!, title);
    }
    const readings = this.#values.take();
    if (entity === 'GPU-I' && this.#slices !== null) {
      const slice = { uuid: null, gpuInstance: Number.parseInt(id, 10), computeInstance: null, profile: null };
      this.#slices.push({ slice, readings, processes: NO_PROCESSES, line: number });
      return;
    }
    const slices: SnapshotSlice[] = [];
    if (entity === 'GPU') this.#slices = slices;
    this.#entities.set(key, {
      identity: { ...UNKNOWN_IDENTITY, ...identityOf(entity, id) },
      readings,
      processes: NO_PROCESSES,
      lost: false,
      line: number,
      slices,
      ...this.#values.xid(),
    });
  }

  #flush(): void {
    if (this.#entities.size === 0) return;
    const devices = [...this.#entities.values()];
    this.#entities = new Map();
    this.#slices = null;
    this.#snapshots.emit(Number.NaN, devices);
  }
}

function columnOf(title: string): Column {
  return { title, field: fieldOfColumn(title) ?? fieldOfTag(title) };
}

/** Instances stand behind their card. Where they are listed alone, nothing tells which it is. */
function identityOf(entity: string, id: string) {
  const number = Number.parseInt(id, 10);
  if (entity === 'GPU') return { index: number };
  return { uuid: `log-${entity.toLowerCase()}-${id}`, isDerived: true, name: `${entity} ${id}` };
}
