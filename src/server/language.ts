import type { IncomingHttpHeaders } from 'node:http';
import { LANGUAGES, type Lang } from '../model/i18n/text.ts';

/** Language preferences beyond this many are ignored. */
const MOST_PREFERENCES = 20;

/** Language of an answer: the `lang` parameter, else the one the browser prefers among ours, else English. */
export function requestLanguage(request: { readonly query: unknown; readonly headers: IncomingHttpHeaders }): Lang {
  const query = request.query as Readonly<Record<string, unknown>> | null | undefined;
  const asked = LANGUAGES.find((lang) => lang === query?.['lang']);
  return asked ?? acceptedLanguage(request.headers['accept-language']);
}

/** First of our languages in an Accept-Language header, by weight and then by order. */
export function acceptedLanguage(header: string | undefined): Lang {
  const preferences = (header ?? '')
    .split(',', MOST_PREFERENCES)
    .map(preference)
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { tag } of preferences) {
    const lang = LANGUAGES.find((candidate) => tag === candidate || tag.startsWith(`${candidate}-`));
    if (lang !== undefined) return lang;
  }
  return 'en';
}

function preference(text: string): { tag: string; weight: number } {
  const [tag = '', ...parameters] = text
    .trim()
    .toLowerCase()
    .split(/\s*;\s*/);
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { tag, weight: Number.isFinite(weight) ? weight : 0 };
}
