import type { Text } from '../i18n/text.ts';

/** Base units: everything inside gpulse and on its wire is in these. */
export const UNITS = [
  'ratio',
  'bytes',
  'bytes-per-second',
  'watts',
  'joules',
  'hertz',
  'celsius',
  'count',
  'seconds',
  'rpm',
  'volts',
  'per-second',
  'state',
  'generation',
  'lanes',
  'pstate',
  'bits',
] as const;

export type Unit = (typeof UNITS)[number];

/**
 * How nvidia-smi prints the value; `''` stands for a plain number, `mask` for `0x…`, `P` for `P0`…`P15`, `word` for the
 * word that the state has there.
 */
type SmiUnit = '%' | 'MiB' | 'W' | 'MHz' | 'us' | '' | 'mask' | 'P' | 'word';

export interface MetricEntry {
  readonly id: string;
  /** Missing for a metric of a device; `host` for one of the machine, which only a HostSample carries. */
  readonly scope?: 'host';
  readonly unit: Unit;
  /** gauge: any value at any time; counter: only grows, resets at a driver reload; state: a code or bit set. */
  readonly kind: 'gauge' | 'counter' | 'state';
  /** health must alert; performance hints. */
  readonly layer: 'health' | 'performance';
  /** static: read once per open; fast: every tick; slow: on the rota. */
  readonly cadence: 'static' | 'fast' | 'slow';
  readonly label: Text;
  readonly help: Text;
  /** The words for the values of a metric of the unit `state`, and what nvidia-smi prints for them. */
  readonly states?: readonly { readonly value: number; readonly word: Text; readonly smi?: string }[];
  /** `nvidia-smi --query-gpu` field with the unit it prints, and other spellings it accepts or once printed. */
  readonly smi?: { readonly field: string; readonly unit: SmiUnit; readonly aliases?: readonly string[] };
  /** Name under dcgm-exporter, where one exists. */
  readonly dcgm?: string;
}
