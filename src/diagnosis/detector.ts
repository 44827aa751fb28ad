import type { MetricId } from '../model/catalogue.ts';
import type { Severity } from '../model/event.ts';
import type { Evidence, Finding, FindingState, RuleId } from '../model/finding.ts';
import { FIX_MESSAGES } from '../model/i18n/messages-fixes.ts';
import type { Text } from '../model/i18n/text.ts';
import type { CaseFile } from './case/case-file.ts';
import { type SentenceKey, type SentenceParams, say } from './wording.ts';

/**
 * Looks for one cause. Pure: the same case gives the same findings, and nothing else is touched.
 */
export interface Detector {
  readonly id: RuleId;
  readonly layer: Finding['layer'];
  /** Metrics without which it cannot say anything; one GPU that has them is enough for it to be asked. */
  readonly needs: readonly MetricId[];
  /** Seconds of work below which it could not see anything; missing where work does not matter. */
  readonly leastSeconds?: number;
  /**
   * A finding for each place where the cause is seen, or one that says why not. Nothing at all means that the data would
   * show it and does not.
   */
  detect(file: CaseFile): readonly Finding[];
}

/** What a detector says of a cause; the rest of the finding follows from the rule. */
export interface Claim {
  readonly state: FindingState;
  readonly severity: Severity;
  readonly gpus: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly lostSeconds?: number;
  readonly evidence: readonly (Evidence | null)[];
  readonly missing?: readonly MetricId[];
  readonly fix?: Text;
}

/** Makes the finding of a detector out of its claim; evidence that is null was not to be had. */
export function claim({ id, layer }: Pick<Detector, 'id' | 'layer'>, made: Claim): Finding {
  const { lostSeconds = 0, missing = [], evidence, fix = FIX_MESSAGES[`fix.${id}`] } = made;
  return {
    rule: id,
    state: made.state,
    severity: made.severity,
    layer,
    gpus: made.gpus,
    from: made.from,
    to: made.to,
    lostSeconds: Math.round(lostSeconds * 10) / 10,
    evidence: evidence.filter((part) => part !== null),
    missing,
    fix,
  };
}

/** One observation: its sentence, the metric it is about, and its numbers in base units. */
export function observe<Key extends SentenceKey>(
  key: Key,
  params: SentenceParams<Key>,
  metric: MetricId | null = null,
  values: Readonly<Record<string, number>> = {},
): Evidence {
  return { text: say(key, params), metric, values };
}

type Reason =
  | 'evidence.not-busy'
  | 'evidence.too-short-for-idle'
  | 'evidence.two-gpus'
  | 'evidence.cpu-unknown-here'
  | 'evidence.few-samples'
  | 'evidence.limit-unknown'
  | 'evidence.no-process-list'
  | 'evidence.too-short-for-leak'
  | 'evidence.no-program-log'
  | 'evidence.nothing-found'
  | 'evidence.missing'
  | 'evidence.single-sample'
  | 'evidence.one-gpu'
  | 'evidence.mig'
  | 'evidence.no-work'
  | 'evidence.serves'
  | 'evidence.xid-unseen'
  | 'evidence.irregular';

/** A finding that names no cause, with the reason why. */
export function noClaim(
  detector: Pick<Detector, 'id' | 'layer'>,
  file: CaseFile,
  state: 'ruled-out' | 'not-evaluable',
  why: Evidence | Reason,
  missing: readonly MetricId[] = [],
): Finding {
  const { from, to } = file.window;
  const reason = typeof why === 'string' ? observe(why, {}) : why;
  // What every GPU has, or the host, is not what is missing.
  const lacking = missing.filter(
    (id) => !file.window.host.has(id) && (file.gpus.length === 0 || file.gpus.some(({ gpu }) => !gpu.has(id))),
  );
  return claim(detector, { state, severity: 'info', gpus: [], from, to, evidence: [reason], missing: lacking });
}
