import * as z from 'zod';
import { AppError } from '../../model/errors.ts';
import { HTTP_WORDS } from '../../model/i18n/errors-http.ts';
import { fill, LANGUAGES, type Lang, type Text } from '../../model/i18n/text.ts';
import { shown } from '../failure.ts';
import { WordedError } from '../worded-error.ts';

/** Values a parameter takes, for people to read. */
type Notation = string | Text;

/** The notation of every parameter, since an issue of zod has room for a string only. */
const notations = z.registry<{ expected: Notation }>();

/** What a parameter is, for people and for `/api/openapi.json`. */
interface Described<T> {
  /** The values it takes; a notation without words, such as `1…11000` or `en | zh`, needs no translation. */
  readonly expected: Notation;
  readonly description: string;
  /** JSON Schema of one value, beside `type: string`. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** The value of a text; undefined where the parameter does not take it. */
  readonly parse: (text: string) => T | undefined;
}

/** A parameter that may be given once. */
export function single<T>(described: Described<T>) {
  return once(described).optional().meta(metaOf(described)).register(notations, described);
}

function once<T>({ parse }: Described<T>) {
  return z.string().transform((text, context): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', input: text });
    return z.NEVER;
  });
}

function metaOf<T>({ description, expected, schema }: Described<T>) {
  return { description: `${description} (${english(expected)})`, ...schema };
}

/** A parameter that takes several values, separated by commas or by being given again. Empty parts are dropped. */
export function list({ expected, description, item }: { expected: Notation; description: string; item: object }) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [...new Set([given].flat().flatMap((text) => text.split(',')))].filter((part) => part !== ''))
    .optional()
    .meta({ description: `${description} (${english(expected)})`, anyOf: undefined, type: 'array', items: item })
    .register(notations, { expected });
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
  return once(described).default(fallback).meta(metaOf(described)).register(notations, described);
}

/** Every route takes the language of its answer. */
export const langParameter = single<Lang>({
  expected: LANGUAGES.join(' | '),
  description: 'language of messages; otherwise that of Accept-Language',
  schema: { enum: LANGUAGES },
  parse: (text) => LANGUAGES.find((lang) => lang === text),
});

/** BAD_QUERY for one parameter: what was given, and what it takes. */
export function badQuery(parameter: string, given: string, expected: Notation): AppError {
  const params = { parameter: shown(parameter), given: shown(given) };
  const { en, zh } = HTTP_WORDS['query.not-taken'];
  const fault = { en: fill(en, params), zh: fill(zh, params) };
  return new WordedError('BAD_QUERY', params, { fault, expected: inBoth(expected) });
}

/** BAD_QUERY for a range that is empty, with both ends as they were given. */
export function emptySpan(from: string, to: string): AppError {
  const params = { from: shown(from), to: shown(to) };
  const { en, zh } = HTTP_WORDS['query.not-before'];
  const fault = { en: fill(en, params), zh: fill(zh, params) };
  return new WordedError('BAD_QUERY', params, { fault, expected: HTTP_WORDS['query.span'] });
}

/** MISSING_PARAMETER for one that the query cannot do without. */
export function missingParameter(parameter: string, expected: Notation): AppError {
  return new WordedError('MISSING_PARAMETER', { parameter }, { expected: inBoth(expected) });
}

function inBoth(notation: Notation): Text {
  return typeof notation === 'string' ? { en: notation, zh: notation } : notation;
}

function english(notation: Notation): string {
  return inBoth(notation).en;
}

/** The query as the schema wants it; throws BAD_QUERY or UNKNOWN_PARAMETER for the first that does not fit. */
export function parseQuery<Schema extends z.ZodObject>(schema: Schema, query: unknown): z.output<Schema> {
  const result = schema.safeParse(query);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const given = query as Readonly<Record<string, unknown>>;
  if (issue?.code === 'unrecognized_keys') {
    const known = Object.keys(schema.shape).join(', ');
    throw new AppError('UNKNOWN_PARAMETER', { parameter: shown(issue.keys[0] ?? ''), known });
  }
  const name = String(issue?.path[0] ?? '');
  const parameter: z.core.$ZodType | undefined = schema.shape[name];
  const notation = parameter === undefined ? undefined : notations.get(parameter);
  throw badQuery(name, textOf(given[name]), notation?.expected ?? '');
}

/** A raw parameter as the client wrote it, as far as that can be told. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join('&') : String(value ?? '');
}
