import { hostname } from 'node:os';
import type { AppError } from '../model/errors.ts';
import { noticeText } from '../model/i18n/notice-text.ts';
import type { Lang } from '../model/i18n/text.ts';
import type { Origin } from '../model/ports.ts';
import type { Snapshot } from '../model/reader.ts';
import type { OneShot } from './one-shot.ts';

/** What is known now of some GPUs, and where it comes from. */
export interface Look {
  readonly source: string;
  readonly host: string;
  readonly origin: Origin;
  /** Address of the `serve` that was asked; null where the source itself was read. */
  readonly server: string | null;
  readonly snapshot: Snapshot;
  /** What the reader should know of the data, each a sentence. */
  readonly notices: readonly string[];
  /** Why the devices, though they are known, could not be sampled; null where they could. */
  readonly failure: AppError | null;
}

/** A look at the source itself. */
export function ownLook({ source, origin, snapshot, notices, failure }: OneShot, lang: Lang): Look {
  return {
    ...{ source, origin, snapshot, failure },
    host: hostname(),
    server: null,
    notices: notices.map((notice) => noticeText(notice, lang)),
  };
}
