import type { ApiEvent, ApiGpus, ApiHealth, ApiSeries } from '../../model/api.ts';
import type { MetricId } from '../../model/catalogue.ts';
import type { Millis } from '../../model/reading.ts';

/** What is known of the source of the data; as the server tells it of its own. */
export type SourceInfo = Pick<
  ApiHealth['source'],
  'name' | 'origin' | 'state' | 'releasedUntil' | 'reason' | 'notices' | 'intervalMs'
>;

/** How data reach this screen. `retryAt` is on the monotonic clock. */
export type Link =
  | { readonly phase: 'open' | 'connecting' }
  | { readonly phase: 'waiting'; readonly retryAt: number; readonly message: string };

/** A cause that the server has found within the last hour, in the language of the screen. */
export interface FindingLine {
  readonly text: string;
  /** False for one that is over. */
  readonly isCurrent: boolean;
  /** How sure it is. */
  readonly stateText: string;
  readonly severity: ApiEvent['severity'];
  /** UUIDs of the GPUs it is about. */
  readonly gpus: readonly string[];
  readonly evidence: readonly string[];
  /** What to change. */
  readonly fix: string;
}

export interface FeedListener {
  onGpus(state: ApiGpus): void;
  /** One sample of one GPU where more come than are shown: a recording is read fast. It may be left out. */
  onSample(uuid: string, at: Millis, read: (id: MetricId) => number | null): void;
  /** Events that are new, or were asked for at the start. */
  onEvents(events: readonly ApiEvent[]): void;
  onSource(source: SourceInfo): void;
  onLink(link: Link): void;
  onFindings(findings: readonly FindingLine[]): void;
}

export interface PastQuery {
  readonly metrics: readonly MetricId[];
  readonly gpus?: readonly string[];
  readonly from: Millis;
  readonly to: Millis;
  readonly points: number;
}

/** Where the view gets its data: a running server, or the driver of this machine. Nothing of it blocks. */
export interface Feed {
  /** Address of the server; null where this process samples itself. */
  readonly server: string | null;
  start(listener: FeedListener): void;
  stop(): Promise<void>;
  /** What happened before the start, or null where nothing is known of it. */
  past(query: PastQuery): Promise<ApiSeries | null>;
}
