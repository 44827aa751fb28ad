import type { Text } from '../i18n/text.ts';

/** Base units: everything inside gpulse and on its wire is in these. */
export type Unit =
  | 'ratio'
  | 'bytes'
  | 'bytes-per-second'
  | 'watts'
  | 'joules'
  | 'hertz'
  | 'celsius'
  | 'count'
  | 'generation'
  | 'lanes'
  | 'pstate'
  | 'bits';

/** How nvidia-smi prints the value; `''` stands for a plain number, `mask` for `0x…`, `P` for `P0`…`P15`. */
type SmiUnit = '%' | 'MiB' | 'W' | 'MHz' | '' | 'mask' | 'P';

export interface MetricEntry {
  readonly id: string;
  readonly unit: Unit;
  /** gauge: any value at any time; counter: only grows, resets at a driver reload; state: a code or bit set. */
  readonly kind: 'gauge' | 'counter' | 'state';
  /** health must alert; performance hints. */
  readonly layer: 'health' | 'performance';
  /** static: read once per open; fast: every tick; slow: on the rota. */
  readonly cadence: 'static' | 'fast' | 'slow';
  readonly label: Text;
  readonly help: Text;
  /** `nvidia-smi --query-gpu` field with the unit it prints, and other spellings it accepts or once printed. */
  readonly smi?: { readonly field: string; readonly unit: SmiUnit; readonly aliases?: readonly string[] };
  /** Name under dcgm-exporter, where one exists. */
  readonly dcgm?: string;
}
