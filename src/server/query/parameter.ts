import * as z from 'zod';
import { AppError } from '../../model/errors.ts';
import { LANGUAGES, type Lang } from '../../model/i18n/text.ts';
import { shown } from '../failure.ts';

/** What a parameter is, for people and for `/api/openapi.json`. */
interface Described<T> {
  /** The values it takes, in a notation that needs no translation: `1…11000`, `en | zh`. */
  readonly expected: string;
  readonly description: string;
  /** JSON Schema of one value, beside `type: string`. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** The value of a text; undefined where the parameter does not take it. */
  readonly parse: (text: string) => T | undefined;
}

/** A parameter that may be given once. */
export function single<T>(described: Described<T>) {
  return once(described).optional().meta(metaOf(described));
}

function once<T>({ expected, parse }: Described<T>) {
  return z.string({ error: expected }).transform((text, context): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', message: expected, input: text });
    return z.NEVER;
  });
}

function metaOf<T>({ description, expected, schema }: Described<T>) {
  return { description: `${description} (${expected})`, ...schema };
}

/** A parameter that takes several values, separated by commas or by being given again. Empty parts are dropped. */
export function list({ expected, description, item }: { expected: string; description: string; item: object }) {
  return z
    .union([z.string(), z.array(z.string())], { error: expected })
    .transform((given) => [...new Set([given].flat().flatMap((text) => text.split(',')))].filter((part) => part !== ''))
    .optional()
    .meta({ description: `${description} (${expected})`, anyOf: undefined, type: 'array', items: item });
}

/** A whole number within bounds, both included; `fallback` where it is missing. */
export function integer(description: string, least: number, most: number, fallback: number) {
  const described: Described<number> = {
    expected: `${least}…${most}`,
    description,
    schema: { type: 'integer', minimum: least, maximum: most },
    parse: (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
  return once(described).default(fallback).meta(metaOf(described));
}

/** Every route takes the language of its answer. */
export const langParameter = single<Lang>({
  expected: LANGUAGES.join(' | '),
  description: 'language of messages; otherwise that of Accept-Language',
  schema: { enum: LANGUAGES },
  parse: (text) => LANGUAGES.find((lang) => lang === text),
});

/** BAD_QUERY for one parameter: what was given, and what it takes. */
export function badQuery(parameter: string, given: string, expected: string): AppError {
  return new AppError('BAD_QUERY', { parameter: shown(parameter), given: shown(given), expected });
}

/** The query as the schema wants it; throws BAD_QUERY for the first parameter that does not fit. */
export function parseQuery<Schema extends z.ZodObject>(schema: Schema, query: unknown): z.output<Schema> {
  const result = schema.safeParse(query);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const given = query as Readonly<Record<string, unknown>>;
  if (issue?.code === 'unrecognized_keys') {
    const name = issue.keys[0] ?? '';
    throw badQuery(name, `${name}=${textOf(given[name])}`, Object.keys(schema.shape).join(' | '));
  }
  const name = String(issue?.path[0] ?? '');
  throw badQuery(name, textOf(given[name]), issue?.message ?? '');
}

/** A raw parameter as the client wrote it, as far as that can be told. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join('&') : String(value ?? '');
}
