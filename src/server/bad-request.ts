import type { AppError } from '../model/errors.ts';
import { HTTP_WORDS } from '../model/i18n/errors-http.ts';
import { WordedError } from './worded-error.ts';

type Fault = Extract<keyof typeof HTTP_WORDS, `request.${string}`>;

/** What the codes of Node, its HTTP parser and Fastify mean; the rest is unreadable. */
const FAULTS: Readonly<Record<string, Fault>> = {
  FST_ERR_BAD_URL: 'request.address',
  HPE_INVALID_URL: 'request.address',
  HPE_INVALID_METHOD: 'request.method',
  HPE_INVALID_VERSION: 'request.version',
  HPE_INVALID_CONSTANT: 'request.version',
  HPE_INVALID_HEADER_TOKEN: 'request.headers',
  HPE_INVALID_CONTENT_LENGTH: 'request.length',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'request.length',
  HPE_INVALID_TRANSFER_ENCODING: 'request.length',
  HPE_INVALID_CHUNK_SIZE: 'request.length',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.late',
};

/** BAD_REQUEST in plain words. */
export function badRequest(fault: Fault): AppError {
  return new WordedError('BAD_REQUEST', {}, { detail: HTTP_WORDS[fault] });
}

/** BAD_REQUEST for what was thrown before there was a request to handle. */
export function badRequestFor(error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return badRequest(Object.hasOwn(FAULTS, code) ? FAULTS[code]! : 'request.unreadable');
}
