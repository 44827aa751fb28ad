/** Address and headers of one request together, in bytes: room for the UUIDs of 64 devices several times over. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** Time a client may take to send its request. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** Time an answer may take to be computed before the client is told to come back. */
export const ANSWER_TIMEOUT_MS = 30_000;

/** Connections beyond this are refused, so that clients cannot use up the file descriptors sampling needs. */
export const MAX_CONNECTIONS = 512;

/** History queries that run at the same time, and how many more may wait. */
export const HISTORY_RUNNING = 2;
export const HISTORY_WAITING = 64;

/** Most buckets in one answer, over all its series: about 10 MB of JSON. */
export const MAX_BUCKETS = 200_000;

/** Limits of the live stream. */
export const STREAM_LIMITS = {
  clients: 200,
  /** A client for which more than this is buffered gets no more deltas until it has read it all. */
  bufferedBytes: 1024 * 1024,
  /** A client that has not caught up for this long is dropped. */
  laggingMs: 60_000,
  /** What may be resumed after a lost connection. */
  ringMessages: 120,
  ringBytes: 4 * 1024 * 1024,
  heartbeatMs: 15_000,
  /** Ticks closer together than this are merged into one message. */
  gapMs: 50,
} as const;

export type StreamLimits = { readonly [Name in keyof typeof STREAM_LIMITS]: number };
