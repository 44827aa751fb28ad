import type { Device } from '../../model/device.ts';
import type { NvLink } from '../../model/tick.ts';
import { CODE, type Code } from './abi.ts';
import { ASK, REST } from './asking.ts';
import { ByteMeters } from './byte-meter.ts';
import { Details } from './details.ts';
import { GpmMemory } from './gpm-samples.ts';
import type { Handle } from './nvml.ts';
import { UseMemory } from './process-use-memory.ts';
import { Cells, type Subject } from './reader.ts';
import { Row } from './row.ts';
import { BufferMemory } from './sample-buffer-list.ts';
import { TICK_FIELDS, type TickField } from './tick-field-list.ts';

/** Compute, graphics, MPS. */
const PROCESS_LISTS = 3;

/** One GPU as the worker knows it: identity, readings, and what it has learnt about what can be asked. */
export class Gpu implements Subject {
  device: Device;
  /** 0 where it was never opened. */
  handle: Handle = 0;
  /** Code of the reason why nothing is asked of it: lost, or it could not be opened. 0 while it is open. */
  closed = 0;
  /** What the driver said when it was closed. */
  closedCode: Code = CODE.ok;
  /** When it is looked at again while closed, on the clock of the requests. */
  nextProbe = 0;
  fans: number | null = null;
  hasEnergy = false;
  mig = false;
  /** Until the driver says that this device has no MIG mode. */
  canMig = true;
  /** Code of the reason why its processes could not be listed in this tick, or 0. */
  processes = 0;

  readonly row: Row;
  readonly cells: Cells;
  /** ASK, REST or NEVER per reader. */
  readonly asking: Uint8Array;
  readonly variant: Uint8Array;
  /** 1 where the variant in use has given a value: then it is kept. */
  readonly proven: Uint8Array;
  readonly askingProcesses = new Uint8Array(PROCESS_LISTS);
  /** Code of the reason why a process list is not asked for. */
  readonly listReasons = new Uint8Array(PROCESS_LISTS);
  /** 1 for a process list that has been read before: it is asked for again later. */
  readonly provenLists = new Uint8Array(PROCESS_LISTS);
  /** 1 for a process list in which nobody stood the last time. */
  readonly wereEmpty = new Uint8Array(PROCESS_LISTS);
  /** Ticks in which its processes were read. */
  ticks = 0;
  /** What a reader has learnt about its parts; the key is the reader's own. */
  readonly notes = new Map<object, Uint8Array>();
  /** Fields that are read every tick. */
  fields: readonly TickField[] = TICK_FIELDS;
  /** 1 for a field that has given a value, by position: one of these that is refused is asked for again later. */
  readonly provenFields = new Uint8Array(TICK_FIELDS.length);
  #restingFields: readonly TickField[] = [];
  readonly meters = new ByteMeters();
  /** Where PCIe traffic comes from. */
  traffic: 'counters' | 'throughput' | 'gpm' | 'none' = 'counters';
  /** Where NVLink traffic comes from: counters for all ports, or for each, or the performance counters. */
  linkTraffic: 'all' | 'each' | 'gpm' | 'none' = 'all';
  /** Its NVLink ports. */
  links: readonly NvLink[] = [];
  readonly details = new Details();
  readonly use = new UseMemory();
  readonly buffers = new BufferMemory();
  gpm = new GpmMemory();

  /** The card of which this is a MIG instance; null for a card. */
  card: Gpu | null = null;
  /** Its MIG instances are no longer those that are listed. */
  isRecut = false;
  /** Which MIG instances it has could not be told the last time. */
  isUnlisted = false;
  /** Any call of this tick said that the GPU is lost. */
  wasCalledLost = false;
  /** Any call of this tick said that the GPU has to be reset. */
  wantsReset = false;
  /** How many of the questions that are asked at first have been asked. */
  primed = 0;
  /** Read in this tick, or closed, so that there is nothing to read. */
  isFresh = true;
  /** Milliseconds that its last reading took. */
  costMs = 0;
  /** Any call of this tick that the driver answered, be it with "not supported". */
  answered = false;
  /** Last code of this tick that says the driver itself is gone; 0 for none. */
  driverFailure = 0;

  constructor(device: Device, sizes: { row: number; readers: number; blank?: Uint8Array }) {
    this.device = device;
    this.row = new Row(sizes.row, sizes.blank);
    this.cells = new Cells(this.row);
    this.asking = new Uint8Array(sizes.readers);
    this.variant = new Uint8Array(sizes.readers);
    this.proven = new Uint8Array(sizes.readers);
  }

  /** Stops asking it anything until `nextProbe`. */
  close(reason: number, code: Code, nextProbe: number): void {
    this.closed = reason;
    this.closedCode = code;
    this.nextProbe = nextProbe;
  }

  /** Begins anew, after it was lost: what it can do may have changed with its reset. */
  forget(): void {
    this.closed = 0;
    this.canMig = true;
    this.row.clear();
    this.asking.fill(ASK);
    this.variant.fill(0);
    this.proven.fill(0);
    this.askingProcesses.fill(ASK);
    this.provenLists.fill(0);
    this.wereEmpty.fill(0);
    this.notes.clear();
    this.provenFields.fill(0);
    this.#restingFields = [];
    this.fields = TICK_FIELDS;
    this.traffic = 'counters';
    this.linkTraffic = 'all';
    this.links = [];
    this.meters.reset();
    this.details.clear();
    this.use.forget();
    this.buffers.forget();
    this.gpm.forget();
  }

  /** Lets questions that rest be asked again. */
  wakeQuestions(): void {
    if (this.use.asking === REST) this.use.asking = ASK;
    if (this.gpm.asking === REST) this.gpm.asking = ASK;
    for (const memory of [this.asking, this.askingProcesses, this.buffers.asking]) {
      for (let i = 0; i < memory.length; i++) if (memory[i] === REST) memory[i] = ASK;
    }
    if (this.#restingFields.length === 0) return;
    for (const { meter } of this.#restingFields) {
      if (meter === 'pcieTx') this.traffic = 'counters';
      if (meter === 'nvlinkTx') this.linkTraffic = 'all';
    }
    this.fields = [...this.fields, ...this.#restingFields];
    this.#restingFields = [];
  }

  /** Leaves fields out of the ticks: for good, or for a while if they have worked before. */
  dropFields(isDropped: (field: TickField) => boolean): void {
    const dropped = this.fields.filter(isDropped);
    this.fields = this.fields.filter((field) => !isDropped(field));
    this.#restingFields = [
      ...this.#restingFields,
      ...dropped.filter(({ position }) => this.provenFields[position] === 1),
    ];
  }
}
