import type { ErrorData } from '../model/errors.ts';
import type { ErrorCode } from '../model/i18n/errors.ts';
import type { Params } from '../model/i18n/text.ts';

/** Primary result codes of SQLite. */
const BUSY = 5;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;
/** Locked, no memory, read-only, input/output and cannot open: with those above, what is not the fault of the data. */
const OF_THE_PLACE: ReadonlySet<number | null> = new Set([BUSY, 6, 7, 8, 10, CORRUPT, FULL, 14, NOT_A_DATABASE]);

/** An AppError to be: the worker knows codes and parameters, the main thread has the sentences. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly data: ErrorData;

  constructor(code: ErrorCode, params: Params, cause?: unknown) {
    super(code, { cause });
    this.data = { code, params };
  }

  /** True where the same data may be written later: the fault lies with the disk or the file, not with the data. */
  get mayPass(): boolean {
    return OF_THE_PLACE.has(primaryCode(this.cause));
  }
}

/** Names the cause of a failure on the history in `path`; `fallback` is the code for what has no code of its own. */
export function storeError(error: unknown, path: string, fallback: ErrorCode): StoreError {
  if (error instanceof StoreError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const primary = primaryCode(error);
  if (primary === FULL || isOutOfSpace(error)) return new StoreError('HISTORY_DISK_FULL', { path }, error);
  if (primary === CORRUPT || primary === NOT_A_DATABASE) {
    return new StoreError('HISTORY_UNUSABLE', { path, detail }, error);
  }
  return new StoreError(fallback, { path, detail }, error);
}

/** True for the errors the system itself gives on a full disk, as when a directory cannot be created. */
function isOutOfSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** True where the file itself is damaged, or not a database at all. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error instanceof StoreError ? error.cause : error);
  return code === CORRUPT || code === NOT_A_DATABASE;
}

/** True for the error SQLite gives while somebody else holds a lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** The low byte of SQLite's extended result code, or null where the error is not from SQLite. */
function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}
