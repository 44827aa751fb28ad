import { AppError, detailOf } from '../model/errors.ts';
import { errnoText } from '../model/i18n/errno-words.ts';
import type { Lang } from '../model/i18n/text.ts';

/** The address of a server as people give it: `http://host:9400`, with or without a path. Throws BAD_OPTION. */
export function parseServer(option: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new AppError('BAD_OPTION', { option, value, expected: 'http://HOST:PORT (http://127.0.0.1:9400)' });
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  url.search = '';
  url.hash = '';
  return url;
}

/** An answer larger than this does not come from gpulse. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * What a server answers to `GET /api/v1/<path>`. Throws SERVER_UNREACHABLE, SERVER_ANSWER, or SERVER_SAYS with what the
 * server itself says is wrong. Node's own client loads ten times faster than `fetch`, which a one-shot command feels.
 */
export async function getJson<T>(base: URL, path: string, lang: Lang, limitMs: number): Promise<T> {
  const url = new URL(`api/v1/${path}`, base);
  const { status, body } = await get(url, lang, limitMs);
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    throw new AppError('SERVER_ANSWER', { detail: `${base.href}: HTTP ${status}` });
  }
  if (status === 200) return answer as T;
  const error = (answer as { error?: { message?: unknown; hint?: unknown } } | null)?.error;
  if (typeof error?.message !== 'string')
    throw new AppError('SERVER_ANSWER', { detail: `${base.href}: HTTP ${status}` });
  throw new AppError('SERVER_SAYS', { message: error.message, hint: typeof error.hint === 'string' ? error.hint : '' });
}

/** The failure of a connection: the address that was tried, and the cause in words. */
export function unreachable(base: URL, error: unknown, lang: Lang): AppError {
  return new AppError('SERVER_UNREACHABLE', {
    detail: `${base.href}${lang === 'zh' ? '：' : ': '}${causeOf(error, lang)}`,
  });
}

/** `fetch` hides the cause in a chain, and a name with several addresses has one for each. */
function causeOf(error: unknown, lang: Lang): string {
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string') return errnoText(code, lang) ?? detailOf(error);
  const next = cause ?? errors?.[0];
  return next === undefined ? detailOf(error) : causeOf(next, lang);
}

async function get(url: URL, lang: Lang, limitMs: number): Promise<{ status: number; body: string }> {
  // Not imported: an import looks at every export of `node:http`, and one of them brings in all of `fetch`.
  const { request: send } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const base = new URL('/', url);
  return new Promise((resolve, reject) => {
    const headers = { accept: 'application/json', 'accept-language': lang };
    const sent = send(url, { agent: false, headers }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > MOST_BYTES) sent.destroy(new Error('too large'));
        else parts.push(part);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') }),
      );
      response.on('error', fail);
    });
    const late = setTimeout(() => sent.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })), limitMs);
    function fail(error: unknown): void {
      reject(unreachable(base, error, lang));
    }
    sent.on('error', fail).on('close', () => clearTimeout(late));
    sent.end();
  });
}
