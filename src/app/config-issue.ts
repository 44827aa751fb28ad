import { YAMLParseError } from 'yaml';
import type * as z from 'zod';
import { type AppError, detailOf } from '../model/errors.ts';
import { CONFIG_WORDS, YAML_FAULTS } from '../model/i18n/config-words.ts';
import type { Text } from '../model/i18n/text.ts';
import { nearest } from '../server/query/edit-distance.ts';
import { type ConfigWord, filled } from './bad-option.ts';

type Issue = z.core.$ZodIssue;

/** Types by the names that zod gives them. */
const TYPES: Readonly<Record<string, ConfigWord>> = {
  string: 'type.text',
  number: 'type.number',
  int: 'type.integer',
  boolean: 'type.boolean',
  array: 'type.list',
  object: 'type.section',
  record: 'type.section',
};

/** Keys whose values nobody should see on a screen. */
const SECRET = /token$|password$/i;

/** What is wrong in `document`, with the place of it; for a key that is not known the nearest of those that `keysAt` has. */
export function issueText(
  issue: Issue,
  document: unknown,
  keysAt: (path: readonly PropertyKey[]) => readonly string[],
): Text {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') return unknownKey(path, issue.keys[0] ?? '', keysAt(path));
  const key = path.length === 0 ? CONFIG_WORDS['config.file'] : path.join('.');
  const value = path.reduce<unknown>(
    (inner, step) => (inner as Readonly<Record<PropertyKey, unknown>>)?.[step],
    document,
  );
  const given = SECRET.test(String(path.at(-1))) ? plain('…') : givenText(value);
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, value, { key, given });
    case 'invalid_value':
      if (value === undefined) return filled(CONFIG_WORDS['config.missing'], { key });
      return filled(CONFIG_WORDS['config.one-of'], { key, given, options: issue.values.map(String).join(' | ') });
    case 'too_small':
      if (issue.origin !== 'number') return filled(CONFIG_WORDS['config.empty'], { key });
      return filled(CONFIG_WORDS['config.least'], { key, limit: String(issue.minimum) });
    case 'too_big':
      return filled(CONFIG_WORDS['config.most'], { key, limit: String(issue.maximum) });
    default:
      return filled(CONFIG_WORDS[wordOf(issue)], { key });
  }
}

function unknownKey(path: readonly PropertyKey[], name: string, known: readonly string[]): Text {
  const near = nearest(name, known);
  const key = [...path, name].join('.');
  if (near === null) return filled(CONFIG_WORDS['config.unknown-key'], { key });
  return filled(CONFIG_WORDS['config.unknown-key-near'], { key, near });
}

function wrongType(expected: string, value: unknown, about: { key: string | Text; given: Text }): Text {
  if (value === undefined) return filled(CONFIG_WORDS['config.missing'], about);
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  if (expected === 'string' && isPlain)
    return filled(CONFIG_WORDS['config.quote'], { ...about, value: about.given.en });
  const type = TYPES[expected];
  if (type === undefined) return filled(CONFIG_WORDS['config.wrong'], about);
  return filled(CONFIG_WORDS['config.takes'], { ...about, expected: CONFIG_WORDS[type] });
}

/** The words of a check of our own, which for the name of a member is inside of the issue. */
function wordOf(issue: Issue): ConfigWord {
  if (issue.code === 'invalid_key') return issue.issues[0] === undefined ? 'config.wrong' : wordOf(issue.issues[0]);
  const word: unknown = issue.code === 'custom' ? issue.params?.['word'] : undefined;
  return typeof word === 'string' && word in CONFIG_WORDS ? (word as ConfigWord) : 'config.wrong';
}

function givenText(value: unknown): Text {
  if (typeof value === 'string') return filled(CONFIG_WORDS['given.text'], { value });
  if (Array.isArray(value)) return CONFIG_WORDS['given.list'];
  return typeof value === 'object' && value !== null ? CONFIG_WORDS['given.section'] : plain(String(value));
}

function plain(value: string): Text {
  return filled(CONFIG_WORDS['given.plain'], { value });
}

/** What the check of a single value says, with what it takes. */
export function refusalText(error: AppError): Text {
  const text = { en: error.text('en'), zh: error.text('zh') };
  return filled(CONFIG_WORDS['config.refused'], { text, hint: { en: error.hint('en'), zh: error.hint('zh') } });
}

/** Why a text is no YAML: where, and what. */
export function yamlFault(error: unknown): Text {
  const [first = ''] = detailOf(error).split('\n', 1);
  const place = error instanceof YAMLParseError ? error.linePos?.[0] : undefined;
  // An alias that cannot be resolved is found after the parsing, without a place.
  if (error instanceof ReferenceError) return { en: first, zh: YAML_FAULTS['BAD_ALIAS'] ?? first };
  if (!(error instanceof YAMLParseError) || place === undefined) return { en: first, zh: first };
  if (error.code === 'MULTIPLE_DOCS') return filled(CONFIG_WORDS['yaml.documents'], { line: place.line });
  const en = first.replace(/ at line \d+, column \d+:?$/, '');
  const fault = { en, zh: YAML_FAULTS[error.code] ?? en };
  return filled(CONFIG_WORDS['yaml.at'], { line: place.line, column: place.col, fault });
}
