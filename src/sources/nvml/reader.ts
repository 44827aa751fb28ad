import type { MetricId } from '../../model/catalogue.ts';
import type { AbsenceReason } from '../../model/reading.ts';
import type { NvLink } from '../../model/tick.ts';
import { CODE, type Code } from './abi.ts';
import type { Details } from './details.ts';
import type { Handle, Nvml } from './nvml.ts';
import { codeOf, type Row } from './row.ts';

/** What a reader may use of the GPU it reads. */
export interface Subject {
  readonly handle: Handle;
  /** Number of fans; null where the library cannot tell, NaN where it failed to. */
  fans: number | null;
  /** Its energy came with the fields of this tick. */
  readonly hasEnergy: boolean;
  /** Its NVLink ports, as the reader that looks after them found them last. */
  links: readonly NvLink[];
  readonly details: Details;
  /** For what a reader has learnt about its parts; it is empty whenever the GPU is opened anew. */
  readonly notes: Map<object, Uint8Array>;
}

/**
 * One way to read a reader's metrics: makes the call and, if it gave `ok`, stores every metric of the reader. The code
 * of the call is all it reports; what a code means is decided in one place, for all readers alike.
 */
export type Variant = (nvml: Nvml, gpu: Subject, out: Cells) => Code;

/** One subject that the driver is asked for. */
export interface Reader {
  /** The metrics it fills, all of one cadence. Variants name them by their position here. */
  readonly metrics: readonly MetricId[];
  /** Best first. The next one is tried where the driver does not know or support the one before. */
  readonly variants: readonly Variant[];
  /** The driver says "not supported" for it while MIG is on. */
  readonly notWithMig?: true;
  /** It can be asked of a MIG instance, too. */
  readonly ofInstances?: true;
}

const ERROR = codeOf('error');

/** The cells of one reader in the row of one GPU. */
export class Cells {
  row: Row;
  slots: readonly number[];

  constructor(row: Row) {
    this.row = row;
    this.slots = [];
  }

  /** Stores a number; one outside of `min`…`max` is a sentinel or a fault of the driver and becomes absent, `error`. */
  put(position: number, value: number, min: number, max: number): void {
    const slot = this.slots[position]!;
    const { row } = this;
    // As Row does it, without another call: this is every reading of every tick.
    if (value >= min && value <= max) {
      row.values[slot] = value;
      row.codes[slot] = 0;
    } else row.putAbsent(slot, ERROR);
  }

  putAbsent(position: number, reason: AbsenceReason): void {
    this.row.putAbsent(this.slots[position]!, codeOf(reason));
  }

  putAllAbsent(reason: AbsenceReason): void {
    for (let position = 0; position < this.slots.length; position++) this.putAbsent(position, reason);
  }
}

/** A variant of the commonest kind: one call with the handle and one number, which `store` puts away. */
export function simpleVariant(symbol: number, store: (nvml: Nvml, out: Cells) => void): Variant {
  return (nvml, { handle }, out) => {
    const code = nvml.call(symbol, handle, nvml.out);
    if (code === CODE.ok) store(nvml, out);
    return code;
  };
}

/** A reader in the plan. */
export interface PlannedReader extends Reader {
  /** Position in the memory of a GPU. */
  readonly number: number;
  /** Slot of each of its metrics. */
  readonly slots: readonly number[];
}
