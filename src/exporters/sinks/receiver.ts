import type { Page } from '../page.ts';
import type { Sample } from './sample-list.ts';

/** What is sent in one request. */
export interface Batch {
  readonly body: Uint8Array;
  readonly samples: number;
}

/** What becomes of a batch after an answer: it was taken, it is sent again later, or it is given up. */
export type Verdict =
  | { readonly kind: 'taken' /** Samples of it that the receiver did not take after all. */; readonly refused?: number }
  | { readonly kind: 'retry' | 'refused'; readonly reason: string };

/** One kind of receiver: where batches go and in what form. It sends nothing by itself. */
export interface Receiver {
  readonly name: string;
  readonly method: 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** True where only the newest batch means something: an older one that waits is replaced by it, and nothing is lost. */
  readonly isLatestOnly: boolean;
  /** The samples of one page in as many requests as it takes. */
  encode(page: Page, samples: readonly Sample[]): Promise<readonly Batch[]>;
  /** `text` is the beginning of the answer. */
  verdict(status: number, text: string): Verdict;
  /** Request that takes everything back, sent once when gpulse stops. */
  readonly farewell?: { readonly method: 'DELETE'; readonly url: string };
}

const RETRIABLE: readonly number[] = [408, 429];

/** What most receivers mean by a status: success, trouble that passes, or a request that will never be right. */
export function plainVerdict(status: number, text: string): Verdict {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  const reason = `HTTP ${status}${text === '' ? '' : `: ${text.slice(0, 200).replaceAll(/\s+/g, ' ').trim()}`}`;
  return { kind: status >= 500 || RETRIABLE.includes(status) ? 'retry' : 'refused', reason };
}
