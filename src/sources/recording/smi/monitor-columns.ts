/** The columns of `nvidia-smi dmon` or `pmon`, as their header names them. */
export interface MonitorColumns {
  readonly kind: 'dmon' | 'pmon';
  /** In lower case. */
  readonly names: readonly string[];
  readonly isCsv: boolean;
}

/** In the text of an issue the mark may be escaped. */
const MARK = /^\s*\\?#\s*/;

/** Reads `# gpu   pwr gtemp …` or `#Date       Time        gpu …`; null for any other line. */
export function monitorHeader(line: string): MonitorColumns | null {
  if (!MARK.test(line)) return null;
  const bare = line.replace(MARK, '').trim();
  const isCsv = bare.includes(',');
  const names = (isCsv ? bare.split(',') : bare.split(/\s+/)).map((name) =>
    name.trim().replace(/^#/, '').toLowerCase(),
  );
  if (!names.includes('gpu') || names.length < 2 || names.some((name) => name === '')) return null;
  return { kind: names.includes('pid') ? 'pmon' : 'dmon', names, isCsv };
}

/** The line of units below the names. */
export function isUnitLine(line: string): boolean {
  return MARK.test(line) && /\bIdx\b/i.test(line);
}

/**
 * The cells of a row, or null if there are not as many as columns. With `hasText` the last one is a text, which may hold
 * blanks and commas.
 */
export function monitorCells(line: string, { names, isCsv }: MonitorColumns, hasText: boolean): string[] | null {
  const trimmed = line.trim();
  const cells = isCsv ? trimmed.split(',').map((cell) => cell.trim()) : trimmed.split(/\s+/);
  const surplus = cells.length - names.length;
  if (surplus < 0 || (surplus > 0 && !hasText)) return null;
  if (surplus === 0) return cells;
  const last = isCsv ? cells.slice(names.length - 1).join(', ') : textBehind(trimmed, names.length - 1);
  return [...cells.slice(0, names.length - 1), last];
}

/** What follows so many words. */
function textBehind(line: string, words: number): string {
  const gap = /\s+/g;
  for (let word = 0; word < words; word++) gap.exec(line);
  return line.slice(gap.lastIndex);
}
