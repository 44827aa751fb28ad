import type { Text } from './text.ts';

/** One kind of failure: how it leaves the process, and what a person reads. */
export interface ErrorEntry {
  /** HTTP status when the API answers with it. */
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 429 | 431 | 500 | 503;
  /** Exit code of a command that fails with it: 2 usage, 3 no device or driver, 4 permission, 5 data, 1 anything else; 124, 126, 127 as a shell. */
  readonly exit: 1 | 2 | 3 | 4 | 5 | 124 | 126 | 127;
  /** What happened and where. */
  readonly message: Text;
  /** What to do about it. */
  readonly hint: Text;
}
