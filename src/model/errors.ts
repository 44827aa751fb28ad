import { wordedDetail } from './i18n/errno-words.ts';
import type { ErrorEntry } from './i18n/error-entry.ts';
import { ERRORS, type ErrorCode } from './i18n/errors.ts';
import { fill, type Lang, type Params } from './i18n/text.ts';

/** A failure gpulse expects and can explain: a code from the error table with its parameters. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly params: Params;

  constructor(code: ErrorCode, params: Params = {}, options: { cause?: unknown } = {}) {
    super(fill(ERRORS[code].message.en, params), options);
    this.code = code;
    this.params = params;
  }

  get entry(): ErrorEntry {
    return ERRORS[this.code];
  }

  /** What happened, for a reader of `lang`. */
  text(lang: Lang): string {
    return fill(this.entry.message[lang], this.#worded(lang));
  }

  /** What to do about it, for a reader of `lang`. */
  hint(lang: Lang): string {
    return fill(this.entry.hint[lang], this.#worded(lang));
  }

  /** The parameters, with what the system said in the language of the reader. */
  #worded(lang: Lang): Params {
    const { detail } = this.params;
    return typeof detail === 'string' ? { ...this.params, detail: wordedDetail(detail, lang) } : this.params;
  }
}

/** Wraps what is not an AppError as INTERNAL, so that every failure reaches people in one form. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('INTERNAL', { detail: detailOf(error) }, { cause: error });
}

/** The message of anything that was thrown. */
export function detailOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Plain-data form of an AppError, to cross a thread or the wire. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly params: Params;
}

/** Ends with a report of what was expected: a broken invariant is a bug, not an operational failure. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`BUG: ${message}`);
}
