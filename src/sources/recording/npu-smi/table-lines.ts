/** First line of a chip: its card, health and the values of the board. */
export interface ChipHead {
  readonly npu: number;
  readonly name: string;
  readonly power: string;
  readonly temperature: string;
}

/** Second line of a chip. */
export interface ChipRest {
  readonly chip: number;
  /** Number of the chip on the machine, null in tables that do not have it. */
  readonly physical: number | null;
  readonly busId: string;
  readonly load: string;
  readonly memoryUsed: string;
  readonly memoryTotal: string;
}

/** A line of the list of processes. */
export interface ChipProcess {
  readonly npu: number;
  readonly chip: number;
  readonly pid: number;
  readonly name: string;
  readonly memory: string;
}

const BUS_ID = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$/i;
const BOARD = /^(\S+)\s+(\S+)(?:\s+(?:\d+|-|NA)\s*\/\s*(?:\d+|-|NA))?$/;
const LOADS = /^(\S+)\s+(\d+|-|NA)\s*\/\s*(\d+|-|NA)(?:\s+(\d+|-|NA)\s*\/\s*(\d+|-|NA))?$/;

/** The cells between the bars of a line, or null for a line without bars. */
export function cellsOf(line: string): readonly string[] | null {
  const text = line.trim();
  if (!text.startsWith('|') || !text.endsWith('|') || text.length < 2) return null;
  return text
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

export function chipHead(cells: readonly string[]): ChipHead | null {
  if (cells.length !== 3) return null;
  const card = /^(\d{1,4})\s+(\S.*)$/.exec(cells[0]!);
  const board = BOARD.exec(cells[2]!);
  if (card === null || board === null || BUS_ID.test(cells[1]!) || !/^[A-Za-z]/.test(cells[1]!)) return null;
  return { npu: Number(card[1]), name: card[2]!, power: board[1]!, temperature: board[2]! };
}

export function chipRest(cells: readonly string[]): ChipRest | null {
  if (cells.length !== 3 || !BUS_ID.test(cells[1]!)) return null;
  const place = /^(\d{1,4})(?:\s+(\d{1,4}))?$/.exec(cells[0]!);
  const loads = LOADS.exec(cells[2]!);
  if (place === null || loads === null) return null;
  const [, load = '', used = '', total = '', hbmUsed, hbmTotal] = loads;
  // Chips with memory of their own on the package have none beside it.
  const isOnPackage = hbmUsed !== undefined && hbmTotal !== undefined && Number(hbmTotal) > 0;
  return {
    chip: Number(place[1]),
    physical: place[2] === undefined ? null : Number(place[2]),
    busId: cells[1]!,
    load,
    memoryUsed: isOnPackage ? hbmUsed : used,
    memoryTotal: isOnPackage ? hbmTotal : total,
  };
}

export function chipProcess(cells: readonly string[]): ChipProcess | null {
  if (cells.length !== 4) return null;
  const place = /^(\d{1,4})\s+(\d{1,4})$/.exec(cells[0]!);
  if (place === null || !/^\d+$/.test(cells[1]!)) return null;
  return {
    npu: Number(place[1]),
    chip: Number(place[2]),
    pid: Number(cells[1]),
    name: cells[2]!,
    memory: cells[3]!,
  };
}
