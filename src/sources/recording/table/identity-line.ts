import { absenceIn } from '../csv/absence-words.ts';
import { listedCard } from '../list/lines.ts';
import { type Identity, normalBusId, UNKNOWN_IDENTITY } from '../log-devices.ts';
import { firstLine, tableCells } from './lines.ts';

/**
 * The card that a line of `nvidia-smi -L` or of the table is about, for logs that name cards by their number only: such
 * lines stand in front of many. Null for any other line.
 */
export function identityLine(line: string): Identity | null {
  const listed = listedCard(line);
  if (listed !== null || !line.includes('|')) return listed;
  const first = firstLine(tableCells(line, true));
  if (first === null) return null;
  const { index, busId, name } = first;
  return {
    ...UNKNOWN_IDENTITY,
    pciBusId: busId === '' ? null : normalBusId(busId),
    index,
    name: absenceIn(name) === null ? name.replaceAll(/\p{Cc}/gu, ' ') : null,
  };
}
