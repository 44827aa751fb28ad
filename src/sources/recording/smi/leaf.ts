/**
 * One value of `nvidia-smi -q`: what it is, and where the text form and the XML form have it, as the keys that lead to it
 * in lower case. Alternatives, for drivers of other years, are separated by ` | `. Empty where a form does not have it.
 */
export type Leaf = readonly [what: string, text: string, xml: string];

/** Leaves of a group, given as the keys below it. */
export function inGroup(text: string, xml: string, leaves: readonly Leaf[]): Leaf[] {
  return leaves.map(([what, textKey, xmlKey]) => [what, below(text, textKey), below(xml, xmlKey)]);
}

/** Every alternative of the group with every alternative of the key. */
function below(groups: string, keys: string): string {
  if (keys === '') return '';
  return groups
    .split(' | ')
    .flatMap((group) => keys.split(' | ').map((key) => `${group}/${key}`))
    .join(' | ');
}
