import { DEVICE_METRICS, type Metric, type MetricId, metric } from '../../../model/catalogue.ts';
import type { AbsenceReason } from '../../../model/reading.ts';
import { currentName } from './names.ts';

const MIB = 2 ** 20;

/** A field of DCGM as a metric. */
export interface DcgmField {
  readonly metric: Metric;
  /** Turns a value as DCGM has it into the base unit. */
  readonly scale: number;
}

/** Holds the last Xid and is no reading: where it changes, an Xid has happened. */
export const XID_FIELD = 'DCGM_FI_DEV_XID_ERRORS';

/** Fields that mean a metric which has another field as its name. */
const OTHER_FIELDS: Readonly<Record<string, MetricId>> = {
  DCGM_FI_DEV_PCIE_TX_THROUGHPUT: 'pcie_tx_bytes_per_second',
  DCGM_FI_DEV_PCIE_RX_THROUGHPUT: 'pcie_rx_bytes_per_second',
};

const FIELDS: ReadonlyMap<string, DcgmField> = new Map([
  ...DEVICE_METRICS.flatMap((entry) =>
    entry.dcgm === undefined ? [] : [[entry.dcgm, { metric: entry, scale: scaleOf(entry, entry.dcgm) }] as const],
  ),
  ...Object.entries(OTHER_FIELDS).map(
    ([name, id]) => [name, { metric: metric(id), scale: scaleOf(metric(id), name) }] as const,
  ),
]);

/** The metric of a field, by any name the field has had; undefined where the catalogue has none. */
export function dcgmField(name: string): DcgmField | undefined {
  return FIELDS.get(name) ?? FIELDS.get(currentName(name));
}

/** In which unit DCGM has a field follows from the unit of the metric and the family of the field. */
function scaleOf({ unit }: Metric, field: string): number {
  const isProfiling = field.startsWith('DCGM_FI_PROF_');
  switch (unit) {
    case 'ratio':
      return isProfiling || field.endsWith('_PERCENT') ? 1 : 0.01;
    case 'bytes':
      return MIB;
    case 'bytes-per-second':
      return isProfiling ? 1 : 1000;
    case 'joules':
      return 0.001;
    case 'hertz':
      return 1e6;
    case 'seconds':
      // The times of violations are in nanoseconds.
      return 1e-9;
    default:
      return 1;
  }
}

const BLANK_REASONS: readonly AbsenceReason[] = ['not-collected', 'not-found', 'not-supported', 'no-permission'];
const BLANK_BASES = [2_147_483_632n, 9_223_372_036_854_775_792n, 140_737_488_355_328n];

/** Nearly all values are shorter than any of these. */
const SHORTEST_BLANK = 10;

/** Whole numbers of 64 bits that went through a floating point number lose their last digits. */
const BLANK_FLOAT = 9.223372036854e18;

const BLANK_WORDS: Readonly<Record<string, AbsenceReason>> = {
  '<<<NULL>>>': 'not-collected',
  '<<<NOT_FOUND>>>': 'not-found',
  '<<<NOT_SUPPORTED>>>': 'not-supported',
  '<<<NOT_PERM>>>': 'no-permission',
};

/** Why there is no value behind what DCGM writes for one; null for a value. */
export function blankReason(written: string): AbsenceReason | null {
  if (written.length < SHORTEST_BLANK) return null;
  const word = BLANK_WORDS[written];
  if (word !== undefined) return word;
  if (!/^\d[\d.eE+]*$/.test(written)) return null;
  const whole = /^\d+(?=\.0*$|$)/.exec(written)?.[0];
  if (whole !== undefined && whole.length <= 19) {
    for (const base of BLANK_BASES) {
      const offset = Number(BigInt(whole) - base);
      if (offset >= 0 && offset < BLANK_REASONS.length) return BLANK_REASONS[offset]!;
    }
  }
  return Number(written) >= BLANK_FLOAT ? 'not-collected' : null;
}
