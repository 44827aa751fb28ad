/** Names longer than this are compared by their beginning, so that a hostile one costs no time. */
const MOST_COMPARED = 64;

/** The candidate that contains `name`, else the one that takes the fewest single-character edits; the first of several. */
export function nearest(name: string, candidates: readonly string[]): string {
  const containing = candidates.find((candidate) => name.length > 2 && candidate.includes(name));
  if (containing !== undefined) return containing;
  let best = '';
  let least = Number.POSITIVE_INFINITY;
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
