import { CLIENT_ERRORS } from '../model/i18n/errors-client.ts';
import { fill, type Lang, type Params } from '../model/i18n/text.ts';

/** A request that failed: what the server said, or why it could not be asked. Message and hint are for people. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** A code of the error table; a newer server may send one this client does not know. */
  readonly code: string;
  readonly hint: string;
  /** HTTP status, or null where no answer came. */
  readonly status: number | null;

  constructor(body: { code: string; message: string; hint: string }, status: number | null) {
    super(body.message);
    this.code = body.code;
    this.hint = body.hint;
    this.status = status;
  }
}

/** A failure on this side of the wire, worded from the error table. */
export function localFailure(
  code: keyof typeof CLIENT_ERRORS,
  params: Params,
  lang: Lang,
  status: number | null = null,
): ApiFailure {
  const { message, hint } = CLIENT_ERRORS[code];
  return new ApiFailure({ code, message: fill(message[lang], params), hint: fill(hint[lang], params) }, status);
}

/** The failure an answer that is not 2xx describes. A body that is not ours comes from a proxy in between. */
export async function failureOf(response: Response, lang: Lang): Promise<ApiFailure> {
  const body: unknown = await response.json().catch(() => null);
  const error = isRecord(body) ? body['error'] : null;
  if (isRecord(error) && typeof error['code'] === 'string' && typeof error['message'] === 'string') {
    const hint = typeof error['hint'] === 'string' ? error['hint'] : '';
    return new ApiFailure({ code: error['code'], message: error['message'], hint }, response.status);
  }
  return localFailure('SERVER_ANSWER', { detail: `HTTP ${response.status}` }, lang, response.status);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
