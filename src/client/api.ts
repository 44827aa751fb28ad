import type { ApiEvents, ApiGpus, ApiHealth, ApiHost, ApiRelease, ApiSeries } from '../model/api.ts';
import type { ApiMetrics, ApiTopology } from '../model/api-device.ts';
import type { ApiFindings } from '../model/api-finding.ts';
import type { MetricId } from '../model/catalogue.ts';
import { detailOf } from '../model/errors.ts';
import type { Lang } from '../model/i18n/text.ts';
import type { Millis } from '../model/reading.ts';
import { ApiFailure, failureOf, localFailure } from './failure.ts';

type Method = 'GET' | 'POST';

type Fetch = (
  url: string,
  init: { method?: Method; signal?: AbortSignal; headers: Record<string, string> },
) => Promise<Response>;

export interface ApiOptions {
  /** Where `api/v1/` lies below: `http://127.0.0.1:9400/` or the base of the page. It ends with a slash. */
  readonly base: string;
  /** Language of messages in answers; asked for each request, so that it may change. */
  readonly lang: () => Lang;
  readonly fetch?: Fetch;
}

/** Most events the server answers at once. */
export const MOST_EVENTS = 10_000;

/** A moment, or the end of everything the history holds on that side. */
type Bound = Millis | 'all';

interface SeriesQuery {
  readonly metrics: readonly MetricId[];
  /** UUIDs, and `host` for the machine; every device where left out. */
  readonly gpus?: readonly string[];
  /** Inclusive. */
  readonly from: Bound;
  /** Exclusive. */
  readonly to: Bound;
  /** Most buckets wanted. */
  readonly points: number;
}

interface EventsQuery {
  readonly from: Bound;
  readonly to: Bound;
  readonly gpu?: string;
  /** The newest so many, at most {@link MOST_EVENTS}. */
  readonly limit?: number;
}

/** The HTTP API with types. Every method rejects with an {@link ApiFailure}, or with AbortError where aborted. */
export interface Api {
  health(signal?: AbortSignal): Promise<ApiHealth>;
  gpus(signal?: AbortSignal): Promise<ApiGpus>;
  host(signal?: AbortSignal): Promise<ApiHost>;
  /** How the GPUs are joined. */
  topology(signal?: AbortSignal): Promise<ApiTopology>;
  /** What the metrics are called and mean. */
  metrics(signal?: AbortSignal): Promise<ApiMetrics>;
  series(query: SeriesQuery, signal?: AbortSignal): Promise<ApiSeries>;
  events(query: EventsQuery, signal?: AbortSignal): Promise<ApiEvents>;
  /** What was found in the last hour; with `all` also what was ruled out and what cannot be judged. */
  findings(all: boolean, signal?: AbortSignal): Promise<ApiFindings>;
  /** Lets go of the GPUs for so many seconds. */
  release(seconds: number): Promise<ApiRelease>;
  /** Takes them up again. */
  resume(): Promise<ApiRelease>;
}

export function createApi(options: ApiOptions): Api {
  const get = <T>(path: string, signal: AbortSignal | undefined) => askJson<T>(options, 'GET', path, signal);
  const post = <T>(path: string) => askJson<T>(options, 'POST', path, undefined);
  return {
    health: (signal) => get('health', signal),
    gpus: (signal) => get('gpus', signal),
    host: (signal) => get('host', signal),
    topology: (signal) => get('topology', signal),
    metrics: (signal) => get('metrics', signal),
    series: (query, signal) => get(`series?${seriesParams(query)}`, signal),
    events: (query, signal) => get(`events?${eventsParams(query)}`, signal),
    findings: (all, signal) => get(`findings${all ? '?state=all' : ''}`, signal),
    release: (seconds) => post(`release?seconds=${seconds}`),
    resume: () => post('resume'),
  };
}

/** Address of an API path. */
export function apiUrl(base: string, path: string): string {
  return new URL(`api/v1/${path}`, base).href;
}

async function askJson<T>(
  options: ApiOptions,
  method: Method,
  path: string,
  signal: AbortSignal | undefined,
): Promise<T> {
  const lang = options.lang();
  const send = options.fetch ?? fetch;
  const headers = { accept: 'application/json', 'accept-language': lang };
  let response: Response;
  try {
    const init = { method, headers };
    response = await send(apiUrl(options.base, path), signal === undefined ? init : { ...init, signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw localFailure('SERVER_UNREACHABLE', { detail: detailOf(error) }, lang);
  }
  if (!response.ok) throw await failureOf(response, lang);
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw localFailure('SERVER_ANSWER', { detail: detailOf(error) }, lang, response.status);
  }
}

/** Anything a call may reject with as a failure to show, or null for one that was aborted on purpose. */
export function failureFrom(error: unknown, lang: Lang): ApiFailure | null {
  if (error instanceof ApiFailure) return error;
  if (error instanceof Error && error.name === 'AbortError') return null;
  return localFailure('INTERNAL', { detail: detailOf(error) }, lang);
}

function seriesParams(query: SeriesQuery): URLSearchParams {
  const params = spanParams(query);
  params.set('metric', query.metrics.join(','));
  if (query.gpus !== undefined && query.gpus.length > 0) params.set('gpu', query.gpus.join(','));
  params.set('points', String(query.points));
  return params;
}

function eventsParams(query: EventsQuery): URLSearchParams {
  const params = spanParams(query);
  if (query.gpu !== undefined) params.set('gpu', query.gpu);
  if (query.limit !== undefined) params.set('limit', String(query.limit));
  return params;
}

function spanParams({ from, to }: { from: Bound; to: Bound }): URLSearchParams {
  return new URLSearchParams({
    from: from === 'all' ? from : String(Math.floor(from)),
    to: to === 'all' ? to : String(Math.ceil(to)),
  });
}
