import type { Device } from '../../model/device.ts';
import { FIELD } from './abi.ts';
import type { Handle } from './nvml.ts';
import { ByteMeter } from './pcie-traffic.ts';
import { Cells, type Subject } from './reader.ts';
import { Row } from './row.ts';

/** Fields that are read every tick, in one call. */
const TICK_FIELDS: readonly number[] = [FIELD.memoryTemperature, FIELD.pcieTxBytes, FIELD.pcieRxBytes];

/** Compute, graphics, MPS. */
const PROCESS_LISTS = 3;

/** Whether a question is still put to the driver. */
export const ASK = 0;
/** Not before the next turn on the rota: the answer may change, as permissions do. */
export const REST = 1;
/** Never again until the library is opened anew. */
export const NEVER = 2;

/** One GPU as the worker knows it: identity, readings, and what it has learnt about what can be asked. */
export class Gpu implements Subject {
  device: Device;
  /** 0 where it was never opened. */
  handle: Handle = 0;
  /** Code of the reason why nothing is asked of it: lost, or it could not be opened. 0 while it is open. */
  closed = 0;
  /** When it is looked at again while closed, on the clock of the requests. */
  nextProbe = 0;
  fans: number | null = null;
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
  fields: readonly number[] = TICK_FIELDS;
  readonly meters = { tx: new ByteMeter(), rx: new ByteMeter() };
  /** Where PCIe traffic comes from. */
  traffic: 'counters' | 'throughput' | 'none' = 'counters';

  /** Any call of this tick that the driver answered, be it with "not supported". */
  answered = false;
  /** Last code of this tick that says the driver itself is gone; 0 for none. */
  driverFailure = 0;

  constructor(device: Device, sizes: { row: number; readers: number }) {
    this.device = device;
    this.row = new Row(sizes.row);
    this.cells = new Cells(this.row);
    this.asking = new Uint8Array(sizes.readers);
    this.variant = new Uint8Array(sizes.readers);
    this.proven = new Uint8Array(sizes.readers);
  }

  /** Stops asking it anything until `nextProbe`. */
  close(reason: number, nextProbe: number): void {
    this.closed = reason;
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
    this.fields = TICK_FIELDS;
    this.traffic = 'counters';
    this.meters.tx.reset();
    this.meters.rx.reset();
  }

  /** Lets questions that rest be asked again. */
  wakeQuestions(): void {
    for (const memory of [this.asking, this.askingProcesses]) {
      for (let i = 0; i < memory.length; i++) if (memory[i] === REST) memory[i] = ASK;
    }
  }
}
