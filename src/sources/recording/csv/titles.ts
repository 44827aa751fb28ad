import type { Meaning } from './meaning.ts';
import { ownMeaning, withUnit } from './own-names.ts';
import { smiMeaning } from './smi-fields.ts';

/** What the title of a column means, such as `memory.used [MiB]`, `memory_used_mb` or `Temp (C)`. */
export function meaningOf(title: string): Meaning {
  const { name, unit } = partsOf(title);
  const smi = smiMeaning(name.toLowerCase());
  if (smi === null) return ownMeaning(name, unit);
  return smi.kind === 'metric' ? withUnit(smi, unit) : smi;
}

/** True if this is how nvidia-smi itself would head a column of use: enough to know a header of one column. */
export function isSmiTitle(title: string): boolean {
  if (!/[.[]/.test(title)) return false;
  const meaning = smiMeaning(partsOf(title).name.toLowerCase());
  return meaning !== null && meaning.kind !== 'unused';
}

function partsOf(title: string): { name: string; unit: string } {
  const bracketed = /^(.*?)\s*[[(]([^\])]*)[\])]$/s.exec(title);
  return { name: (bracketed?.[1] ?? title).trim(), unit: bracketed?.[2]?.trim() ?? '' };
}
