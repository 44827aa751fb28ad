import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../model/api.ts';
import { AppError } from '../model/errors.ts';
import type { Lang } from '../model/i18n/text.ts';
import { badRequestFor } from './bad-request.ts';
import type { FaultLog } from './fault-log.ts';
import { acceptedLanguage, requestLanguage } from './language.ts';
import { MAX_HEADER_BYTES } from './limits.ts';

/** Longest part of what a client sent that is repeated in an answer. */
const MOST_SHOWN = 100;

/** Text a client sent, short enough to be repeated in a message. */
export function shown(text: string): string {
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`;
}

/** A failure as the API words it. */
export function errorBody(error: AppError, lang: Lang): ApiError {
  return { code: error.code, message: error.text(lang), hint: error.hint(lang) };
}

/** Answers with whatever was thrown. What was not foreseen is logged, and the client learns only its id. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply, faults: FaultLog): void {
  if (reply.raw.destroyed) return;
  const failure = foreseen(error, request) ?? masked(error, request, faults);
  const { status } = failure.entry;
  if (status === 503) reply.header('retry-after', '1');
  // The body of a request that is refused is not read, so the connection cannot be used again.
  if (status === 405) reply.headers({ allow: 'GET, HEAD', connection: 'close' });
  reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(JSON.stringify({ error: errorBody(failure, requestLanguage(request)) }));
}

/** Failures that have words of their own, and those of Fastify and its file sender that are the client's doing. */
function foreseen(error: unknown, request: FastifyRequest): AppError | null {
  if (error instanceof AppError) return error.code === 'INTERNAL' ? null : error;
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null;
  if (status === 403 || status === 404) return notFound(request);
  if (typeof status !== 'number' || status < 400 || status > 499) return null;
  return badRequestFor(error);
}

/** NOT_FOUND for what a client asked for. */
export function notFound(request: FastifyRequest): AppError {
  return new AppError('NOT_FOUND', { path: shown(pathOf(request)) });
}

function pathOf({ originalUrl }: FastifyRequest): string {
  return originalUrl.split('?', 1)[0] ?? '';
}

function masked(error: unknown, request: FastifyRequest, faults: FaultLog): AppError {
  return new AppError('INTERNAL', { detail: faults.report(error, `${request.method} ${shown(pathOf(request))}`) });
}

/** Answers on a connection whose bytes are not HTTP, so that there is no request yet, and ends it. */
export function answerClientError(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new AppError('REQUEST_TOO_LARGE', { limit: MAX_HEADER_BYTES })
      : badRequestFor(error);
  const body = JSON.stringify({ error: errorBody(failure, languageOfBytes(error.rawPacket)) });
  const { status } = failure.entry;
  // Not imported: an import looks at every export of `node:http`, and one of them brings in all of `fetch`.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Of a request that could not be read as a whole, as far as it came. */
function languageOfBytes(bytes: unknown): Lang {
  const text = Buffer.isBuffer(bytes) ? bytes.toString('latin1', 0, MAX_HEADER_BYTES) : '';
  return acceptedLanguage(/^accept-language:([^\r\n]*)/im.exec(text)?.[1]);
}
