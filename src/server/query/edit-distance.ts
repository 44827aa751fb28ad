/** Names longer than this are compared by their beginning, so that a hostile one costs no time. */
const MOST_COMPARED = 64;

/**
 * The candidate that contains `name`, else the one that takes the fewest single-character edits; the first of several.
 * Null where even that takes more than one edit for three characters: a guess like that helps nobody.
 */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const containing = candidates.find((candidate) => name.length > 2 && candidate.includes(name));
  if (containing !== undefined) return containing;
  let best: string | null = null;
  let least = Math.floor(Math.min(name.length, MOST_COMPARED) / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.slice(0, MOST_COMPARED), candidate.slice(0, MOST_COMPARED));
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Insertions, deletions and replacements that turn one text into the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
