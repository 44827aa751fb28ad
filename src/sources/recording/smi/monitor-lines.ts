import { isUnitLine, type MonitorColumns, monitorCells, monitorHeader } from './monitor-columns.ts';

/** Names that only these two have for their columns; others head the CSV of many scripts. */
const OWN_NAMES: ReadonlySet<string> = new Set(
  'pwr gtemp mtemp jpg ofa mclk pclk pviol tviol bar1 ccpm sbecc dbecc rxpci txpci gract smocc'.split(' '),
);
/** Without a line of units a header of CSV must have so many of them. */
const LEAST_OWN_NAMES = 3;

/** How many lines are headers and rows of `nvidia-smi dmon` or `pmon`. */
export function countMonitorLines(lines: readonly string[], kind: MonitorColumns['kind']): number {
  const hasUnits = lines.some(isUnitLine);
  let columns: MonitorColumns | null = null;
  let count = 0;
  for (const line of lines) {
    const header = monitorHeader(line);
    if (header !== null) columns = header.kind === kind && (hasUnits || isCertain(header)) ? header : null;
    if (columns === null) continue;
    const cells = header === null ? monitorCells(line, columns, kind === 'pmon') : null;
    const isRow = cells !== null && /^\d{1,3}$/.test(cells[columns.names.indexOf('gpu')] ?? '');
    if (header !== null || isRow) count++;
  }
  return count;
}

/** Where the times of a program around the tool go: before its rows, unless they have times. */
export function monitorStamps(lines: readonly string[]): ((line: string) => 'row' | null) | null {
  const hasTimes = lines.some((line) => monitorHeader(line)?.names.includes('time') === true);
  return hasTimes ? null : (line) => (/^\s*\d/.test(line) ? 'row' : null);
}

function isCertain({ kind, names, isCsv }: MonitorColumns): boolean {
  if (kind === 'pmon') return names.includes('type') && names.includes('command');
  return names.filter((name) => OWN_NAMES.has(name)).length >= (isCsv ? LEAST_OWN_NAMES : 1);
}
