import { checkBlock } from '../engine/block.ts';
import { MAGIC } from '../engine/block-format.ts';
import type { NewBlock } from '../engine/block-table.ts';
import type { PageFile } from './pages.ts';
import { type Cell, type Row, rowsOf } from './rows.ts';

/** What a damaged file still holds. Blocks are only pointed at: they are read again, one at a time. */
export interface Finds {
  readonly origin: string | null;
  readonly metrics: ReadonlyMap<number, string>;
  /** By id, the other columns of the row. */
  readonly devices: ReadonlyMap<number, readonly Cell[]>;
  readonly events: readonly (readonly Cell[])[];
  /** Rows that were not sealed, by id. */
  readonly hot: ReadonlyMap<number, Uint8Array>;
  readonly blocks: number;
}

/** Columns of the tables, by which rows are told apart once nothing says where a table begins. */
const COLUMNS = { blocks: 10, devices: 11, events: 7, pair: 2 } as const;

/** Looks through the whole file. */
export function findAll(file: PageFile): Finds {
  const metrics = new Map<number, string>();
  const devices = new Map<number, readonly Cell[]>();
  const hot = new Map<number, Uint8Array>();
  const events: (readonly Cell[])[] = [];
  let blocks = 0;
  for (const row of rowsOf(file)) {
    if (row === null) continue;
    const { id, cells } = row;
    if (blockIn(row) !== null) blocks++;
    else if (cells.length === COLUMNS.devices && typeof cells[1] === 'string') devices.set(id, cells.slice(1));
    else if (cells.length === COLUMNS.events && typeof cells[2] === 'string') events.push(cells.slice(1));
    else if (cells.length === COLUMNS.pair && cells[0] === null) {
      if (typeof cells[1] === 'string') metrics.set(id, cells[1]);
      else if (cells[1] instanceof Uint8Array) hot.set(id, cells[1]);
    }
  }
  return { origin: originIn(file), metrics, devices, events, hot, blocks };
}

/** Every block that is whole, with a null now and then. */
export function* blocksIn(file: PageFile): Generator<{ readonly block: NewBlock; readonly body: Uint8Array } | null> {
  for (const row of rowsOf(file)) yield row === null ? null : blockIn(row);
}

function blockIn({ cells }: Row): { readonly block: NewBlock; readonly body: Uint8Array } | null {
  const body = cells[COLUMNS.blocks - 1];
  if (cells.length !== COLUMNS.blocks || !(body instanceof Uint8Array) || !isBlock(body)) return null;
  const numbers = cells.slice(1, -1).map(Number);
  if (numbers.some((number) => !Number.isSafeInteger(number))) return null;
  const [level, group, from, to, firstSequence, lastSequence, rows, intervalMs] = numbers as [
    ...[number, number, number, number],
    ...[number, number, number, number],
  ];
  return { block: { level, group, from, to, firstSequence, lastSequence, rows, intervalMs }, body };
}

function isBlock(body: Uint8Array): boolean {
  if (body.length < 4 || new DataView(body.buffer, body.byteOffset).getUint32(0, true) !== MAGIC) return false;
  try {
    checkBlock(body);
    return true;
  } catch {
    return false;
  }
}

/** The kind of data, which lies in a table of another form: looked for as text near its key. */
function originIn(file: PageFile): string | null {
  for (let page = 1; page <= Math.min(file.pages, 64); page++) {
    const match = /origin(live|simulated|recorded)/.exec(file.read(page).toString('latin1'));
    if (match !== null) return match[1]!;
  }
  return null;
}
