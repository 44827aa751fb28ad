import type { Text } from '../../model/i18n/text.ts';
import type { Load } from './demand.ts';
import type { Lifetime } from './lifetime.ts';
import type { MemoryPlan } from './memory-plan.ts';
import type { Placement } from './placement.ts';

/** Processes that belong together: one on every GPU of its placement. */
export interface Job {
  readonly user: string;
  /** Short name of its processes. */
  readonly process: string;
  readonly gpus: Placement;
  readonly load: Load;
  readonly memory: MemoryPlan;
  readonly life: Lifetime;
  /** Whether every step ends only when the slowest rank is done. */
  readonly synchronised?: true;
}

/** What is wrong with a GPU. */
export interface Fault {
  readonly gpus: Placement;
  /** What is wrong with its cooler; a healthy one where left out. */
  readonly cooling?: Cooling;
  /** It falls off the bus at the incident. */
  readonly lost?: true;
  /** An uncorrected memory error happens at the incident. */
  readonly uncorrected?: true;
  /** Corrected memory errors per hour at a time in ms from the first sample. */
  readonly correctedPerHour?: (timeMs: number, incidentMs: number) => number;
  /** Driver errors reported at the incident, in this order. */
  readonly xids?: readonly XidReport[];
}

/** Factors multiply the thermal resistance of a healthy cooler. */
interface Cooling {
  readonly factor: number;
  /** Every so often the air stands still for a while. */
  readonly stalls?: { readonly everyMs: number; readonly forMs: number; readonly factor: number };
}

interface XidReport {
  readonly code: number;
  readonly severity: 'info' | 'warning' | 'critical';
}

/** A small world: who runs what where, and what goes wrong. */
export interface Scenario {
  readonly name: string;
  /** One line for `--help` and the docs. */
  readonly summary: Text;
  readonly jobs: readonly Job[];
  readonly faults?: readonly Fault[];
  /**
   * When its incident happens unless `at` says otherwise, in ms from the first sample, by the length of the history
   * that is filled first. A scenario without an incident takes no `at`.
   */
  readonly incident?: (historyMs: number) => number;
}

/** What to simulate: the part behind `simulate:`, parsed and with its defaults filled in. */
export interface SimulationSpec {
  readonly scenario: Scenario;
  /** 1–256. */
  readonly gpus: number;
  /** 0–4294967295. */
  readonly seed: number;
  /** How much history to fill before the live start, by sampling times in the past. */
  readonly historyMs: number;
  /** When the incident happens, from the first sample; infinite for a scenario without one. */
  readonly incidentMs: number;
}
