import type { Millis } from '../model/reading.ts';

/** What is known of a run beside its readings. Null for what is not known. */
export interface RunFacts {
  readonly id: string;
  readonly command: readonly string[];
  readonly folder: string;
  readonly host: string;
  readonly user: string;
  readonly startedAt: Millis;
  readonly endedAt: Millis | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly steps: number | null;
  readonly stepSeconds: number | null;
}

/** A line that a program has printed, with the time at which it did. */
export interface OutputLine {
  readonly at: Millis;
  readonly text: string;
}
