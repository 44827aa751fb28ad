import type { Text } from '../../model/i18n/text.ts';
import type { Millis } from '../../model/reading.ts';

/** A point in time as a client names it, before it is known what "now" is. */
export type Moment =
  | { readonly kind: 'at'; readonly at: Millis }
  /** So many milliseconds before now; 0 is now. */
  | { readonly kind: 'ago'; readonly ms: number }
  /** The end of what is stored. */
  | { readonly kind: 'all' };

/** Continued by what needs no translation. */
const EXAMPLES = '2026-01-31T12:00:00Z | now | -15m | -1h30m | all';

export const MOMENT_NOTATION: Text = {
  en: `epoch milliseconds | ${EXAMPLES}`,
  zh: `毫秒时间戳 | ${EXAMPLES}`,
};

/** The last moment with a year of four digits; what is larger was meant as micro- or nanoseconds. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Longest time back from now, a hundred years: the sum stays exact. */
const MOST_AGO_MS = 100 * 366 * 86_400_000;

const DATE = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:[Zz]|[+ -]\d{2}:?\d{2}))?$/;

/** Reads a point in time; undefined where the text is none, or one that cannot be meant. */
export function parseMoment(text: string): Moment | undefined {
  if (text === 'all') return { kind: 'all' };
  if (text === 'now') return { kind: 'ago', ms: 0 };
  if (/^\d{1,15}$/.test(text)) return atTime(Number(text));
  if (DATE.test(text)) return atTime(dateTime(text));
  const ago = duration(/^(?:now)?-(.+)$/.exec(text)?.[1] ?? '');
  return ago === undefined ? undefined : { kind: 'ago', ms: ago };
}

/** Times soon after the epoch are real ones: a host without a clock boots in 1970, and its logs say so. */
function atTime(at: number): Moment | undefined {
  return at >= 0 && at <= LATEST ? { kind: 'at', at } : undefined;
}

/** NaN for a date that does not exist. The plus of an offset arrives as a space where it was not percent-encoded. */
function dateTime(text: string): number {
  const [, date = '', time = ''] = /^(.{10})[Tt ]?(.*)$/.exec(text) ?? [];
  const day = Date.parse(date);
  // Date.parse takes 30 February for 2 March.
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return Number.NaN;
  if (time === '') return day;
  return Date.parse(`${date}T${time.toUpperCase().replace(' ', '+').replace(',', '.')}`);
}

/** Milliseconds of `1h30m`; undefined for anything else. */
function duration(text: string): number | undefined {
  if (!/^(?:\d{1,15}(?:ms|[smhdw]))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|[smhdw])/g))
    sum += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  return sum <= MOST_AGO_MS ? sum : undefined;
}
