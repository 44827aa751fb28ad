import { type Finding, type LiveFinding, NAMED_STATES } from '../../model/finding.ts';
import type { Millis } from '../../model/reading.ts';
import { inOrder } from '../diagnose.ts';

/** What is only possible counts once it has been seen so often in a row, unless it must not wait. */
const LEAST_SIGHTINGS = 2;

/** What was seen no longer ago than this goes on. */
const CURRENT_MS = 75_000;

/** What the newest minutes showed at some time within the last hour. */
interface Raised {
  /** As sure as it ever was, with the time that its evidence is about. */
  readonly finding: Finding;
  readonly since: Millis;
  readonly seenAt: Millis;
}

/**
 * Joins what is seen in the newest minutes with what is seen in all of the last hour, so that a fault is told soon and one
 * that flickers is told once.
 */
export class LastHour {
  /** Sightings of what is not sure yet, by rule and GPUs. */
  #candidates = new Map<string, number>();
  #raised: readonly Raised[] = [];
  #whole: readonly Finding[] = [];
  #names: ReadonlyMap<string, string> = new Map();

  /** GPUs that were known by their place only have told who they are: the UUID under which each was known, and its own. */
  rename(names: ReadonlyMap<string, string>): void {
    this.#names = names;
    this.#whole = this.#whole.map((one) => this.#renamed(one));
    this.#raised = this.#raised.map((one) => ({ ...one, finding: this.#renamed(one.finding) }));
  }

  /** Findings in the newest minutes. */
  takeNewest(findings: readonly Finding[]): void {
    const named = findings.filter(isNamed).map((finding) => this.#renamed(finding));
    const before = this.#candidates;
    this.#candidates = new Map(named.map((finding) => [keyOf(finding), (before.get(keyOf(finding)) ?? 0) + 1]));
    for (const finding of named) {
      const mustNotWait = finding.severity === 'critical' || finding.state !== 'possible';
      if (mustNotWait || this.#candidates.get(keyOf(finding))! >= LEAST_SIGHTINGS) this.#raise(finding);
    }
  }

  /** Findings in all that is held, from `since` on. */
  takeWhole(findings: readonly Finding[], since: Millis): void {
    this.#whole = findings.map((finding) => this.#renamed(finding));
    this.#raised = this.#raised.filter(({ finding, seenAt }) => seenAt >= since && !this.#isExplained(finding));
  }

  /** All of it as of the newest sample. Where both views name a cause the long one is told, unless it is less sure. */
  findings(newest: Millis): readonly LiveFinding[] {
    const told = this.#raised.filter(
      ({ finding }) => !this.#whole.some((one) => isNamed(one) && isSame(one, finding) && !isSurer(finding, one)),
    );
    const isTold = (one: Finding): boolean =>
      told.some(({ finding }) => finding.rule === one.rule && (!isNamed(one) || isSame(finding, one)));
    const long = this.#whole.filter((one) => !isTold(one)).map((one) => live(one, one.from, this.#seenAt(one), newest));
    const short = told.map(({ finding, since, seenAt }) =>
      live(finding, Math.min(since, ...this.#namesOf(finding).map(({ from }) => from)), seenAt, newest),
    );
    return [...long, ...short].sort(inOrder);
  }

  #renamed(finding: Finding): Finding {
    const { gpus } = finding;
    if (!gpus.some((uuid) => this.#names.has(uuid))) return finding;
    return { ...finding, gpus: gpus.map((uuid) => this.#names.get(uuid) ?? uuid) };
  }

  #namesOf(finding: Finding): readonly Finding[] {
    return this.#whole.filter((one) => isNamed(one) && isSame(one, finding));
  }

  #seenAt(finding: Finding): Millis {
    const seen = this.#raised.filter((one) => isSame(one.finding, finding)).map(({ seenAt }) => seenAt);
    return Math.max(finding.to, ...seen);
  }

  /** What another cause explains in the long view is explained in the short one too. */
  #isExplained(finding: Finding): boolean {
    return this.#whole.some((one) => one.consequenceOf !== undefined && isSame(one, finding));
  }

  #raise(finding: Finding): void {
    if (this.#isExplained(finding)) return;
    const known = this.#raised.find((one) => isSame(one.finding, finding));
    if (known === undefined) {
      this.#raised = [...this.#raised, { finding, since: finding.from, seenAt: finding.to }];
      return;
    }
    const next: Raised = {
      finding: isSurer(known.finding, finding) ? known.finding : finding,
      since: Math.min(known.since, finding.from),
      seenAt: Math.max(known.seenAt, finding.to),
    };
    this.#raised = this.#raised.map((one) => (one === known ? next : one));
  }
}

function isNamed({ state }: Finding): boolean {
  return NAMED_STATES.includes(state);
}

function live(finding: Finding, since: Millis, seenAt: Millis, newest: Millis): LiveFinding {
  return { ...finding, since, isCurrent: isNamed(finding) && seenAt >= newest - CURRENT_MS };
}

function keyOf({ rule, gpus }: Finding): string {
  return `${rule} ${gpus.join(' ')}`;
}

/** The same cause of at least one GPU in common. */
function isSame(a: Finding, b: Finding): boolean {
  return (
    a.rule === b.rule && (a.gpus.length === 0 || b.gpus.length === 0 || a.gpus.some((one) => b.gpus.includes(one)))
  );
}

function isSurer(a: Finding, b: Finding): boolean {
  return NAMED_STATES.indexOf(a.state) < NAMED_STATES.indexOf(b.state);
}
