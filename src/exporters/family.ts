import type { LabelSet } from './labels.ts';

/**
 * - `counter`: only grows; its name ends in `_total` in OpenMetrics, so that one with another name is `unknown` there
 * - `info`: always 1, says something by its labels; its name ends in `_info`
 */
export type FamilyType = 'gauge' | 'counter' | 'info';

/** All series of one name. */
export interface Family {
  /** As the samples are called. */
  readonly name: string;
  readonly type: FamilyType;
  /** As OpenMetrics has it, and only where the name ends in it; null otherwise. */
  readonly unit: string | null;
  readonly help: string;
}

/** Takes the samples of one page or one batch, family by family. */
export interface SampleSink {
  /** Samples that follow belong to this family. A family that gets none leaves no trace. */
  begin(family: Family): void;
  /** A value that is no finite number is left out: receivers would refuse all that comes with it. */
  add(labels: LabelSet, value: number): void;
}

/** Ends of names that say a unit. */
const UNITS = [
  'bytes_per_second',
  'seconds',
  'bytes',
  'watts',
  'joules',
  'hertz',
  'celsius',
  'ratio',
  'volts',
] as const;

/** A family whose unit, if any, is read off its name. */
export function family(type: FamilyType, name: string, help: string): Family {
  const stem = type === 'counter' ? name.replace(/_total$/, '') : name;
  const unit = UNITS.find((candidate) => stem.endsWith(`_${candidate}`)) ?? null;
  return { name, type, unit, help };
}
