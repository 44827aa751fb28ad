import type { Viewer } from './ports.ts';

/** What a scraper asks for: its request headers as they came. */
export interface ExpositionRequest {
  readonly viewer: Viewer;
  /** `Accept`; undefined where it is missing. */
  readonly accept: string | undefined;
  /** `Accept-Encoding`; undefined where it is missing. */
  readonly acceptEncoding: string | undefined;
}

export interface ExpositionPage {
  readonly contentType: string;
  /** Coding of `body`; null for none. */
  readonly encoding: 'gzip' | null;
  /** Shared with other scrapers: nobody may change it. */
  readonly body: Buffer;
}

/** The readings as a page for Prometheus and its kin, made from memory: it never waits for disk, network or driver. */
export interface Exposition {
  page(request: ExpositionRequest): Promise<ExpositionPage>;
}

/** How one receiver of pushed readings is doing. Counts are since the start. */
export interface SinkStatus {
  /** `influx`, `remote-write`; unique among the sinks of a process. */
  readonly name: string;
  /** Batches waiting, and how many may wait. */
  readonly queued: number;
  readonly capacity: number;
  readonly sentSamples: number;
  /** Samples given up: the queue was full, or the receiver refused them for good. */
  readonly lostSamples: number;
  /** Attempts that failed, retried ones included. */
  readonly failures: number;
  /** Of the newest attempt, in English; null when it went well. */
  readonly lastFailure: string | null;
}
