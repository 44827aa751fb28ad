/** Between two columns. */
const GAP = 2;

/** One line of a table; without cells it is a heading. */
export interface TableLine {
  readonly head: string;
  readonly cells: readonly string[];
}

/**
 * Aligned columns in at most `width` characters: where all columns do not fit they follow below each other in several
 * tables, each with the heads of the lines. Widths are those on a terminal, where Chinese characters take two places.
 */
export function textTables(columns: readonly string[], lines: readonly TableLine[], width: number): readonly string[] {
  const headWidth = Math.max(...lines.map(({ head }) => displayWidth(head)));
  const widths = columns.map((title, i) =>
    Math.max(displayWidth(title), ...lines.map(({ cells }) => displayWidth(cells[i] ?? ''))),
  );
  return groupsOf(widths, width - headWidth).map(([from, to]) => {
    const row = (head: string, cells: readonly string[]): string =>
      [padded(head, headWidth), ...cells.slice(from, to).map((cell, i) => padded(cell, widths[from + i] ?? 0))]
        .join(' '.repeat(GAP))
        .trimEnd();
    return [row('', columns), ...lines.map(({ head, cells }) => row(head, cells))].join('\n');
  });
}

/** Ranges of columns that fit beside each other; each has at least one. */
function groupsOf(widths: readonly number[], room: number): readonly [from: number, to: number][] {
  const groups: [number, number][] = [];
  let taken = Number.POSITIVE_INFINITY;
  for (const [i, width] of widths.entries()) {
    const last = groups.at(-1);
    taken += width + GAP;
    if (last === undefined || taken > room) {
      groups.push([i, i + 1]);
      taken = width + GAP;
    } else {
      last[1] = i + 1;
    }
  }
  return groups;
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** East Asian wide and fullwidth characters, as far as the message tables use them. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/gu;

/** Places a text takes on a terminal. */
export function displayWidth(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0);
}
