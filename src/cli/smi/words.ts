import { missingValue, strayWord, unknownOption } from './failure.ts';

/** An option by the names it has in nvidia-smi. */
export interface OptionSpec {
  readonly names: readonly string[];
  /** `optional` takes a number that follows, if one does. */
  readonly value: 'none' | 'required' | 'optional';
}

/** Options as they were given, by the key of their specification; empty without a value. */
export type Given<Key extends string> = Partial<Record<Key, string>>;

/**
 * Sorts words into options as nvidia-smi does: `-i 0`, `-i=0`, `--id=0` and `--id 0` are the same, and `-lms` is one
 * option. A later value wins. Throws a SmiFailure for what it does not know.
 */
export function sortWords<Key extends string>(
  words: readonly string[],
  specs: Readonly<Record<Key, OptionSpec>>,
): Given<Key> {
  const byName = new Map<string, Key>();
  for (const key of Object.keys(specs) as Key[]) for (const name of specs[key].names) byName.set(name, key);
  const given: Given<Key> = {};
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith('-')) throw strayWord(word);
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    const key = byName.get(name);
    if (key === undefined) throw unknownOption(word);
    const { value } = specs[key];
    const next = words[at + 1];
    if (equals >= 0) {
      if (value === 'none') throw unknownOption(word);
      given[key] = word.slice(equals + 1);
    } else if (value === 'none') {
      given[key] = '';
    } else if (value === 'optional') {
      const isNumber = next !== undefined && /^\d+(?:\.\d+)?$/.test(next);
      given[key] = isNumber ? next : '';
      if (isNumber) at++;
    } else {
      if (next === undefined) throw missingValue(name);
      given[key] = next;
      at++;
    }
    if (value === 'required' && given[key] === '') throw missingValue(name);
  }
  return given;
}
