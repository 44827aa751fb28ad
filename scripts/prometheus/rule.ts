import { namesOf } from '../../src/exporters/profiles/dcgm-fields.ts';
import type { Text } from '../../src/model/i18n/text.ts';

/** Whose names a rule is written in. */
export const NAMINGS = ['gpulse', 'dcgm'] as const;

export type Naming = (typeof NAMINGS)[number];

/** critical: the GPU or its data is at risk now. warning: act within a day. info: for the owner of the job. */
type RuleSeverity = 'critical' | 'warning' | 'info';

/**
 * Series that prove a rule, in promtool's notation: values of a device that must fire, and of its neighbour that must not.
 * `null` leaves the neighbour without the series.
 */
export interface Proof {
  readonly series: readonly (readonly [series: string, fires: string, quiet: string | null])[];
  /** It does not fire at `before` and `after`, and fires at `at`; `after` is missing where only a repair ends it. */
  readonly before: string;
  readonly at: string;
  readonly after?: string;
  /** Labels of the alert beside those of the device. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Labels of the device that the alert does not have because they were aggregated away. */
  readonly without?: readonly string[];
  /** The series are about a machine; the neighbour is another one. */
  readonly isOfHost?: true;
  /** What stands where the text names the value. */
  readonly shown?: string;
}

/** One alert in one naming. */
interface Condition {
  readonly expression: string;
  readonly proofs: readonly [Proof, ...Proof[]];
}

/** One alert in every naming that has the series for it. */
export interface AlertRule {
  readonly alert: string;
  readonly severity: RuleSeverity;
  /** How long the condition must hold; missing where it fires at once. */
  readonly holdFor?: string;
  /**
   * `{gpu}`, `{host}`, `{xid}` and `{sink}` are labels; `{value}`, `{duration}` and `{percent}` are the value of the
   * expression.
   */
  readonly summary: Text;
  /** What to do. */
  readonly action: Text;
  /** Why the expression is as it is, for those who change it. */
  readonly remark?: string;
  readonly gpulse?: Condition;
  readonly dcgm?: Condition;
}

/** A series that is worth keeping. */
export interface RecordingRule {
  readonly record: string;
  readonly expression: string;
  readonly help: Text;
  readonly proof: { readonly series: readonly string[]; readonly labels: string; readonly value: number };
}

/** A series of a device in the names of dcgm-exporter, old or new. */
export function dcgm(field: string): string {
  const names = namesOf(`DCGM_FI_DEV_${field}`, 'both');
  return names.length === 1 ? names.join() : `(${names.join(' or ')})`;
}

/** A function over a range of such a series. */
export function dcgmOver(call: string, field: string, range: string): string {
  const calls = namesOf(`DCGM_FI_DEV_${field}`, 'both').map((name) => `${call}(${name}[${range}])`);
  return calls.length === 1 ? calls.join() : `(${calls.join(' or ')})`;
}

/** PromQL has no operator for bits: the quotient of the bit's value is odd where the bit is set. */
export function dcgmReason(bit: number): string {
  const reasons = '(DCGM_FI_DEV_CLOCKS_EVENT_REASONS or DCGM_FI_DEV_CLOCK_THROTTLE_REASONS)';
  return `floor(${reasons} / ${bit}) % 2 == 1`;
}

/** Where gpulse's series of one device meet, whatever other labels they have. */
export const SAME_DEVICE = 'on (instance, gpu, uuid)';

/** A proof whose condition begins after two minutes and ends after ten. */
export function turn(
  series: readonly (readonly [series: string, good: string, bad: string])[],
  rest: Partial<Proof> = {},
): Proof {
  return {
    series: series.map(([name, good, bad]) => [name, `${good}x7 ${bad}x32 ${good}x80`, `${good}x120`]),
    before: '1m',
    at: '9m',
    after: '20m',
    ...rest,
  };
}

/** One file of rules with the file of its tests. */
export interface RuleFile {
  /** Of the rules and of the tests, without their endings. */
  readonly name: string;
  readonly naming: Naming;
  readonly group: string;
  /** What stands at its head. */
  readonly head: readonly string[];
  readonly recordings: readonly RecordingRule[];
  readonly alerts: readonly AlertRule[];
  /** Time between two values in its proofs. */
  readonly step: '15s' | '1m';
}
