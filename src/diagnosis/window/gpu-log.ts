import { CATALOGUE, DEVICE_METRICS, slotOf } from '../../model/catalogue.ts';
import type { Device, DeviceState } from '../../model/device.ts';
import { absenceCode, type ReadingSet } from '../../model/reading-set.ts';
import type { DeviceSample } from '../../model/tick.ts';
import { Column, type Merge } from './column.ts';
import { ProcessLog } from './process-log.ts';

/** Codes of a device's state, cell by cell; 0 where there is no sample of it. */
export const STATE = { none: 0, ok: 1, lost: 2, stale: 3, asleep: 4, mute: 5 } as const;

const CODE: Readonly<Record<DeviceState, number>> = {
  ok: STATE.ok,
  lost: STATE.lost,
  stale: STATE.stale,
  asleep: STATE.asleep,
};

const MERGES: readonly Merge[] = CATALOGUE.map(({ kind, unit }) =>
  unit === 'bits' ? 'bits' : kind === 'counter' ? 'last' : kind === 'state' ? 'max' : 'mean',
);

/** Eight slots in a row that nobody has asked for, seen as one number. */
const NOTHING = new DataView(new Uint8Array(8).fill(absenceCode('not-collected')).buffer).getFloat64(0);

/** The codes of many reading sets lie in one buffer, so its view is kept. */
let lastView: DataView<ArrayBufferLike> = new DataView(new ArrayBuffer(0));

function viewOf({ buffer }: Uint8Array): DataView<ArrayBufferLike> {
  if (lastView.buffer !== buffer) lastView = new DataView(buffer);
  return lastView;
}

/** The columns of a reading set, by slot; one exists from its first value on. */
export class Columns {
  readonly bySlot: (Column | undefined)[] = [];

  /** Only these slots, for who knows what will be asked for. */
  addThese(cell: number, nth: number, { values, codes }: ReadingSet, slots: readonly number[]): void {
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at]!;
      if (codes[slot] === 0) (this.bySlot[slot] ?? this.#open(slot)).set(cell, values[slot]!, nth);
    }
  }

  /**
   * Slots from `from`, inclusive, to `to`, exclusive. Most of them are empty, so they are looked at in eights: this is
   * where a long recording spends its time.
   */
  add(cell: number, nth: number, { values, codes }: ReadingSet, from: number, to: number): void {
    const view = viewOf(codes);
    let slot = from;
    for (; slot + 8 <= to; slot += 8) {
      if (view.getFloat64(codes.byteOffset + slot) !== NOTHING) this.#addSome(cell, nth, values, codes, slot, slot + 8);
    }
    this.#addSome(cell, nth, values, codes, slot, to);
  }

  get room(): number {
    let room = 0;
    for (const column of this.bySlot) room += column?.room ?? 0;
    return room;
  }

  coarsen(): void {
    for (const column of this.bySlot) column?.coarsen();
  }

  /** Drops the first cells, and with them columns that have nothing left. */
  forget(cells: number): void {
    for (const [slot, column] of this.bySlot.entries()) {
      column?.forget(cells);
      if (column?.isEmpty) this.bySlot[slot] = undefined;
    }
  }

  tail(from: number): Columns {
    const part = new Columns();
    for (const [slot, column] of this.bySlot.entries()) {
      const rest = column?.tail(from);
      if (rest !== undefined && !rest.isEmpty) part.bySlot[slot] = rest;
    }
    return part;
  }

  #addSome(cell: number, nth: number, values: Float64Array, codes: Uint8Array, from: number, to: number): void {
    for (let slot = from; slot < to; slot++) {
      if (codes[slot] === 0) (this.bySlot[slot] ?? this.#open(slot)).set(cell, values[slot]!, nth);
    }
  }

  #open(slot: number): Column {
    const column = new Column(MERGES[slot]!, CATALOGUE[slot]!.kind === 'counter');
    this.bySlot[slot] = column;
    return column;
  }
}

/** What is collected of one GPU. */
export class GpuLog {
  device: Device;
  readonly columns: Columns;
  readonly states: Column;
  readonly processes: ProcessLog;
  samples = 0;

  constructor(
    device: Device,
    columns = new Columns(),
    states = new Column('max', false),
    processes: ProcessLog = new ProcessLog(),
  ) {
    this.device = device;
    this.columns = columns;
    this.states = states;
    this.processes = processes;
  }

  get room(): number {
    return this.columns.room + this.states.room;
  }

  /** See {@link Column.set} for `nth`; `slots` where only some readings are wanted. */
  add(cell: number, nth: number, sample: DeviceSample, slots: readonly number[] | null): void {
    const { state, readings, processes } = sample;
    this.device = sample.device;
    this.samples++;
    const isMute = state === 'ok' && isMuted(readings);
    this.states.set(cell, isMute ? STATE.mute : CODE[state], nth);
    const wanted = slots ?? readings.slots;
    if (wanted === null) this.columns.add(cell, nth, readings, 0, DEVICE_METRICS.length);
    else this.columns.addThese(cell, nth, readings, wanted);
    if (!('absent' in processes)) this.processes.add(cell, processes);
  }

  coarsen(): void {
    this.columns.coarsen();
    this.states.coarsen();
    this.processes.coarsen();
  }

  forget(cells: number): void {
    this.columns.forget(cells);
    this.states.forget(cells);
    this.processes.forget(cells);
  }

  tail(from: number): GpuLog {
    const part = new GpuLog(this.device, this.columns.tail(from), this.states.tail(from), this.processes.tail(from));
    part.samples = part.states.spread().count;
    return part;
  }
}

const ERROR_CODE = absenceCode('error');

/** What every device that works tells at least in part. */
const CORE = (['utilization_ratio', 'memory_used_bytes', 'temperature_celsius', 'power_watts'] as const).map(slotOf);

/** True where the driver answers, but with errors only. */
function isMuted(readings: ReadingSet): boolean {
  for (const slot of CORE) if (readings.codes[slot] === 0) return false;
  return readings.codes.includes(ERROR_CODE) && !readings.isReadable();
}
