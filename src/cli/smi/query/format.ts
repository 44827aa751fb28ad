import type { Cell } from '../cell.ts';
import { badValue, EXIT, SmiFailure } from '../failure.ts';
import { type Field, titleOf } from './fields.ts';

/** How rows are printed. `json` and `ndjson` are gpulse's own. */
export interface Format {
  readonly kind: 'csv' | 'json' | 'ndjson';
  readonly hasHeader: boolean;
  readonly hasUnits: boolean;
}

/** Reads `--format=`, the options in any order; throws a SmiFailure where it is missing or unknown. */
export function parseFormat(text: string | null): Format {
  if (text === null) {
    throw new SmiFailure(`"--format=" switch is missing. Please run 'gpulse smi -h' for help.`, EXIT.badArgument);
  }
  const words = text.split(',').map((word) => word.trim());
  const kinds = words.filter((word) => word === 'csv' || word === 'json' || word === 'ndjson');
  const [kind] = kinds;
  const others = words.filter((word) => !kinds.includes(word as 'csv'));
  const isKnown = others.every((word) => ['noheader', 'nounits', 'nounit'].includes(word));
  if (kind === undefined || kinds.length > 1 || !isKnown) {
    throw badValue('--format', text, 'csv[,noheader][,nounits], json, ndjson');
  }
  return {
    kind: kind as Format['kind'],
    hasHeader: !others.includes('noheader'),
    hasUnits: !others.includes('nounits') && !others.includes('nounit'),
  };
}

/** The line above the rows; it names the units even where the values come without. */
export function headerLine(fields: readonly Field[]): string {
  return fields.map(titleOf).join(', ');
}

export function csvLine(cells: readonly Cell[], { hasUnits }: Format): string {
  return cells.map((cell) => csvText(cell, hasUnits)).join(', ');
}

/** nvidia-smi quotes nothing, so what would break a row is taken out of it. */
function csvText(cell: Cell, hasUnits: boolean): string {
  if (cell.kind === 'missing') return cell.isBare === true ? cell.word : `[${cell.word}]`;
  if (cell.kind === 'text') return cell.text.replaceAll(/[\r\n]+/g, ' ');
  return hasUnits && cell.unit !== '' ? `${cell.digits} ${cell.unit}` : cell.digits;
}

/** A row by field: numbers in the units of nvidia-smi, and null for what is missing. */
export function jsonRow(fields: readonly Field[], cells: readonly Cell[]): Record<string, string | number | null> {
  return Object.fromEntries(fields.map(({ name }, i) => [name, jsonValue(cells[i]!)]));
}

function jsonValue(cell: Cell): string | number | null {
  if (cell.kind === 'missing') return null;
  return cell.kind === 'text' ? cell.text : Number(cell.digits);
}
