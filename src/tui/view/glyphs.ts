import type { Condition } from '../../client/condition.ts';
import type { Severity } from '../../model/event.ts';
import { asciiChart, brailleChart, type ChartColumn } from '../draw/braille.ts';
import type { Tone } from '../text/span.ts';

/** Characters that stand for something, in one look. */
export interface Glyphs {
  /** One place wide each, so that colour is never the only sign of a state. */
  readonly condition: Readonly<Record<Condition, string>>;
  readonly severity: Readonly<Record<Severity, string>>;
  /** Where something was cut off. */
  readonly mark: string;
  /** A value that is not there. */
  readonly dash: string;
  readonly degrees: string;
  /** Between two facts on a line. */
  readonly dot: string;
  readonly into: string;
  readonly outOf: string;
  readonly ascending: string;
  readonly descending: string;
  readonly branch: string;
  readonly lastBranch: string;
  readonly chosen: string;
  readonly checked: string;
  readonly unchecked: string;
  readonly cursor: string;
  readonly chart: (columns: readonly (ChartColumn | null)[], lines: number) => readonly string[];
}

export const UNICODE: Glyphs = {
  condition: {
    ...{ lost: '✗', errors: '!', throttled: '▼', stale: '◔', full: '▤', asleep: '☾' },
    ...{ held: '‖', light: '┄', unknown: '?', busy: '►', free: '○' },
  },
  severity: { critical: '✗', warning: '▲', info: '·' },
  ...{ mark: '…', dash: '–', degrees: '°C', dot: ' · ', into: '↓', outOf: '↑', ascending: '▲', descending: '▼' },
  ...{ branch: '├ ', lastBranch: '└ ', chosen: '›', checked: '■', unchecked: '□', cursor: '▏' },
  chart: brailleChart,
};

export const ASCII: Glyphs = {
  condition: {
    ...{ lost: 'X', errors: '!', throttled: 'v', stale: '@', full: '#', asleep: 'z' },
    ...{ held: '=', light: '~', unknown: '?', busy: '>', free: 'o' },
  },
  severity: { critical: 'X', warning: '!', info: '.' },
  ...{ mark: '~', dash: '-', degrees: 'C', dot: ' | ', into: '<', outOf: '>', ascending: '^', descending: 'v' },
  ...{ branch: '|-', lastBranch: '`-', chosen: '>', checked: 'x', unchecked: '-', cursor: '_' },
  chart: asciiChart,
};

/** The colour of a condition, as the page has it. */
export const CONDITION_TONES: Readonly<Record<Condition, Tone>> = {
  ...{ lost: 'critical', errors: 'critical', throttled: 'warning', stale: 'warning', full: 'warning' },
  ...{ held: 'waste', light: 'waste', asleep: 'quiet', unknown: 'quiet', free: 'quiet', busy: 'text' },
};

export const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = {
  critical: 'critical',
  warning: 'warning',
  info: 'quiet',
};
