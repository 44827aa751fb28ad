import { readFile } from 'node:fs/promises';
import { AppError, detailOf } from '../../model/errors.ts';
import type { Millis } from '../../model/reading.ts';
import { answerWords } from '../../wire/answer-words.ts';
import { retryAfterMs } from '../../wire/retry.ts';

/** How gpulse shows who it is. Secrets are only ever put into the header of a request. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: Secret }
  | { readonly kind: 'basic'; readonly username: string; readonly password: Secret };

/** A secret itself, or the file that holds it, which is read again now and then because it may be renewed. */
export type Secret = { readonly text: string } | { readonly file: string };

export interface EngineOptions {
  /** Whole address of the remote write endpoint, without a password. */
  readonly writeUrl: string;
  /** Address that the paths `/api/v1/query` and `/api/v1/query_range` are added to, without a password. */
  readonly queryUrl: string;
  readonly credentials: Credentials;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** One series of an answer. */
export interface Result {
  readonly labels: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [at: Millis, value: number])[];
}

/** What became of a request to write. */
export type Written =
  | { readonly kind: 'taken' }
  /** It will never be right: it is given up, or sent in smaller parts. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'retry';
      readonly reason: string;
      readonly retryAfterMs: number | null;
      /** The engine may have taken it all the same. */
      readonly isUncertain: boolean;
      /** The engine does not seem to run, so that it may have lost what it had in memory. */
      readonly isAway: boolean;
    };

const SECRET_KEPT_MS = 30_000;
const ANSWER_BYTES = 2000;
/** A request too large, or one that the engine understands and does not want. What is wrong with the address or the login may be put right. */
const REFUSALS: readonly number[] = [400, 413, 422];
/** After so many failures of the connection in a row questions are answered with the failure at once, for a while. */
const PAUSE_MS = 5000;

/** Talks to an engine that takes Prometheus remote write and answers PromQL. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #closing = new AbortController();
  #authorization: { readonly header: string; readonly until: number } | null = null;
  #silent: { readonly until: number; readonly error: AppError } | null = null;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Where it is, for people. */
  get url(): string {
    return this.#options.queryUrl;
  }

  /** Breaks off what is under way. */
  close(): void {
    this.#closing.abort();
  }

  /** Never rejects. `now` is the time by which a date in `Retry-After` is meant. */
  async write(body: Uint8Array, now: Millis): Promise<Written> {
    const headers = {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '0.1.0',
    };
    try {
      const response = await this.#send(this.#options.writeUrl, headers, body);
      const text = (await response.text()).slice(0, ANSWER_BYTES);
      // It is there again, so that questions may be asked.
      this.#silent = null;
      if (response.ok) return { kind: 'taken' };
      const reason = statusReason(response.status, text);
      if (REFUSALS.includes(response.status)) return { kind: 'refused', reason };
      const wait = retryAfterMs(response.headers.get('retry-after'), now);
      const isAway = response.status >= 500;
      return { kind: 'retry', reason, retryAfterMs: wait, isUncertain: isAway, isAway };
    } catch (error) {
      const reason = networkReason(error);
      const isUncertain = reason !== 'ECONNREFUSED';
      return { kind: 'retry', reason, retryAfterMs: null, isUncertain, isAway: true };
    }
  }

  /** Values at one time; of a selector with a range all samples. Rejects with HISTORY_ENGINE_UNANSWERED, _REFUSED or _FOREIGN. */
  query(expression: string, at: Millis): Promise<readonly Result[]> {
    return this.#vector('query', { query: expression, time: seconds(at) });
  }

  /** Values from `start` to `end`, both inclusive, at every `step`; rejects like {@link query}. */
  queryRange(expression: string, start: Millis, end: Millis, stepMs: number): Promise<readonly Result[]> {
    const range = { start: seconds(start), end: seconds(end), step: seconds(stepMs) };
    return this.#vector('query_range', { query: expression, ...range });
  }

  /** Values that a label has in the series of a selector, at least between two times; rejects like {@link query}. */
  async labelValues(label: string, match: string, from: Millis, to: Millis): Promise<readonly string[]> {
    const parameters = { 'match[]': match, start: seconds(from), end: seconds(to) };
    const { data } = await this.#ask<{ readonly data: readonly string[] }>(`label/${label}/values`, parameters, 'GET');
    return data;
  }

  async #vector(path: string, parameters: Readonly<Record<string, string>>): Promise<readonly Result[]> {
    const { data } = await this.#ask<Answer>(path, parameters, 'POST');
    return data.result.map(({ metric, value, values = value === undefined ? [] : [value] }) => ({
      labels: metric,
      values: values.map(([at, number]) => [Math.round(at * 1000), Number(number)] as const),
    }));
  }

  async #ask<T>(path: string, parameters: Readonly<Record<string, string>>, method: 'GET' | 'POST'): Promise<T> {
    const silent = this.#silent;
    if (silent !== null && performance.now() < silent.until) throw silent.error;
    const { queryUrl, timeoutMs } = this.#options;
    // Without it VictoriaMetrics moves the times of a query to where they suit its cache.
    const asked = new URLSearchParams({ ...parameters, nocache: '1', timeout: `${Math.ceil(timeoutMs / 1000)}s` });
    const url = `${queryUrl}/api/v1/${path}`;
    let response: Response;
    let text: string;
    try {
      response = await (method === 'GET' ? this.#send(`${url}?${asked}`, {}, null) : this.#send(url, {}, asked));
      text = await response.text();
    } catch (error) {
      const failure = new AppError('HISTORY_ENGINE_UNANSWERED', { url: queryUrl, detail: networkReason(error) });
      this.#silent = { until: performance.now() + PAUSE_MS, error: failure };
      throw failure;
    }
    this.#silent = null;
    if (response.ok) return parsed<T>(text, queryUrl, response.status);
    const detail = statusReason(response.status, errorIn(text));
    const code = response.status >= 500 ? 'HISTORY_ENGINE_UNANSWERED' : 'HISTORY_ENGINE_REFUSED';
    throw new AppError(code, { url: queryUrl, detail });
  }

  async #send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array | URLSearchParams | null,
  ): Promise<Response> {
    const authorization = await this.#login();
    const response = await fetch(url, {
      method: body === null ? 'GET' : 'POST',
      headers: { ...this.#options.headers, ...authorization, ...headers },
      body: body as Uint8Array<ArrayBuffer> | URLSearchParams | null,
      signal: AbortSignal.any([AbortSignal.timeout(this.#options.timeoutMs), this.#closing.signal]),
      redirect: 'manual',
    });
    // A secret that has been renewed is read before the next attempt.
    if (response.status === 401 || response.status === 403) this.#authorization = null;
    return response;
  }

  async #login(): Promise<Readonly<Record<string, string>>> {
    const { credentials } = this.#options;
    if (credentials.kind === 'none') return {};
    if (this.#authorization === null || performance.now() > this.#authorization.until) {
      const secret = credentials.kind === 'bearer' ? credentials.token : credentials.password;
      const text = await revealed(secret);
      const header =
        credentials.kind === 'bearer'
          ? `Bearer ${text}`
          : `Basic ${Buffer.from(`${credentials.username}:${text}`).toString('base64')}`;
      this.#authorization = { header, until: performance.now() + SECRET_KEPT_MS };
    }
    return { authorization: this.#authorization.header };
  }
}

/** The file with a password or token cannot be read. */
class SecretUnreadable extends Error {}

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value?: readonly [number, string];
      readonly values?: readonly (readonly [number, string])[];
    }[];
  };
}

/** The JSON of an answer that is a success. */
function parsed<T>(text: string, url: string, status: number): T {
  try {
    const answer = JSON.parse(text);
    if (answer?.status === 'success' && isAnswer(answer.data)) return answer;
  } catch {
    // A page of something else.
  }
  throw new AppError('HISTORY_ENGINE_FOREIGN', { url, detail: statusReason(status, text) });
}

/** The series of a query, or the values of a label. */
function isAnswer(data: unknown): boolean {
  return Array.isArray(data) || Array.isArray((data as Partial<Answer['data']> | null | undefined)?.result);
}

async function revealed(secret: Secret): Promise<string> {
  if ('text' in secret) return secret.text;
  try {
    return (await readFile(secret.file, 'utf8')).trim();
  } catch (error) {
    throw new SecretUnreadable(detailOf(error));
  }
}

/** Seconds with all their milliseconds. */
function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function statusReason(status: number, text: string): string {
  const words = answerWords(text);
  return words === '' ? `HTTP ${status}` : `HTTP ${status}: ${words}`;
}

/** The sentence in an answer that is a failure. */
function errorIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error : text;
  } catch {
    return text;
  }
}

/** The address is left out: it may hold what is nobody's business. */
function networkReason(error: unknown): string {
  if (error instanceof SecretUnreadable) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time';
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return 'the connection failed';
}
