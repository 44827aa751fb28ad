import type { AbsenceReason } from '../../../model/reading.ts';
import { metricField, type SmiField, smiField } from '../smi/fields.ts';
import { isViolation } from './violations.ts';

const MEGA = 1e6;

/** A number in one of these says that a row is about a MIG instance. */
export const INSTANCE_COLUMNS = ['mig', 'gi', 'ci'] as const;

/** By the name of the column in lower case. Columns that are not here have no metric. */
const FIELDS: ReadonlyMap<string, SmiField | null> = new Map([
  ['pwr', smiField('power.draw', 'pwr')],
  ['temp', smiField('temperature.gpu', 'temp')],
  ['gtemp', smiField('temperature.gpu', 'gtemp')],
  ['mtemp', smiField('temperature.memory', 'mtemp')],
  ['sm', smiField('utilization.gpu', 'sm')],
  ['mem', smiField('utilization.memory', 'mem')],
  ['enc', smiField('utilization.encoder', 'enc')],
  ['dec', smiField('utilization.decoder', 'dec')],
  ['jpg', smiField('utilization.jpeg', 'jpg')],
  ['ofa', smiField('utilization.ofa', 'ofa')],
  ['mclk', smiField('clocks.current.memory', 'mclk')],
  ['pclk', smiField('clocks.current.sm', 'pclk')],
  ['fb', smiField('memory.used', 'fb')],
  ['bar1', metricField('bar1_used_bytes', 'bar1', 2 ** 20)],
  ['sbecc', smiField('ecc.errors.corrected.aggregate.total', 'sbecc')],
  ['dbecc', smiField('ecc.errors.uncorrected.aggregate.total', 'dbecc')],
  ['pci', metricField('pcie_replay_total', 'pci')],
  ['rxpci', metricField('pcie_rx_bytes_per_second', 'rxpci', MEGA)],
  ['txpci', metricField('pcie_tx_bytes_per_second', 'txpci', MEGA)],
]);

/** Columns of `--gpm-metrics`, which are the difference of two samples: the first one has none. */
const ACTIVITY: ReadonlyMap<string, SmiField> = new Map(
  (
    [
      ['graphics_engine_active_ratio', 'gract'],
      ['sm_active_ratio', 'smutil', 'smact'],
      ['sm_occupancy_ratio', 'smocc'],
      ['integer_active_ratio', 'integer', 'int'],
      ['tensor_active_ratio', 'tensor'],
      ['tensor_dfma_active_ratio', 'dfma'],
      ['tensor_hmma_active_ratio', 'hmma'],
      ['tensor_imma_active_ratio', 'imma'],
      ['dram_active_ratio', 'dram'],
      ['fp64_active_ratio', 'fp64'],
      ['fp32_active_ratio', 'fp32'],
      ['fp16_active_ratio', 'fp16'],
    ] as const
  ).flatMap(([id, ...names]) => names.map((name): [string, SmiField] => [name, metricField(id, name, 0.01)])),
);

/** Columns that tell who and when. */
const OTHERS: ReadonlySet<string> = new Set(['gpu', 'date', 'time', ...INSTANCE_COLUMNS]);

/** What the column of `nvidia-smi dmon` is about; null for one that gpulse has no metric for. */
export function dmonField(name: string): SmiField | null {
  return FIELDS.get(name) ?? ACTIVITY.get(name) ?? null;
}

/** Why a column has `-` in place of a value. */
export function dmonAbsence(name: string): AbsenceReason {
  return ACTIVITY.has(name) ? 'not-collected' : 'not-supported';
}

/** Names of the columns that are left out. */
export function leftOut(names: readonly string[]): string[] {
  return names.filter((name) => !OTHERS.has(name) && !isViolation(name) && dmonField(name) === null);
}
