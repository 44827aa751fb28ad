/** `N/A`, `ERR!` and the longer words that nvidia-smi puts in place of a value. */
const WORD = String.raw`N\/A|ERR!|\[[^\]]{1,40}\]|Unknown Error|GPU is lost|Not Supported`;

const BUS_ID = new RegExp(String.raw`^([\da-f]{4,8}:[\da-f]{2}:[\da-f]{2}\.[\da-f])(?:\s+(On|Off|${WORD}))?$`, 'i');
const NO_BUS_ID = new RegExp(String.raw`^(?:${WORD})\s+(?:On|Off|${WORD})$`);
const INDEX_AND_NAME = /^(\d{1,3})\s+(\S.*)$/;
const NAME_AND_MODE = /^(.*?)\s+(On|Off|N\/A|WDDM|TCC|MCDM|ERR!)$/;

const SENSORS = new RegExp(
  String.raw`^(\d{1,3}%|${WORD})\s+(-?\d{1,3}C|${WORD})\s+(P\d{1,2}|${WORD})\s+(\d+(?:\.\d+)?\s*W|${WORD}|[^/]*[^/\s])\s*\/\s*(\S.*)$`,
);
const SIZE = String.raw`\d+\s*[MG]i?B|${WORD}`;
const MEMORY = new RegExp(String.raw`(?:^|\s)(${SIZE})\s*\/\s*(${SIZE})$`);
const ONLY_WORD = new RegExp(`^(?:${WORD})$`);
const LOAD = new RegExp(String.raw`^(\d{1,3}%|${WORD})\s*(.*)$`);
const MIG_MODE = /^(Enabled|Disabled|N\/A)\*?$/;

const INSTANCE = /^(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})$/;
const COUNT_AND_ECC = new RegExp(String.raw`^\d{1,4}\s+(\d+|${WORD})$`);

const PROCESS = new RegExp(
  String.raw`^(\d{1,3})\s+(?:(N\/A|\d{1,3})\s+(N\/A|\d{1,3})\s+)?(\d{1,10})\s+(?:(C\+G|M\+C|C|G|M)\s+)?(\S.*?)\s+(${SIZE})$`,
);
const NOT_LISTED = new RegExp(String.raw`^(\d{1,3})\s+(?:N\/A\s+N\/A\s+)?(${WORD})$`);

/** The columns of a line of the table, and whether the last one is known to be whole. */
export interface TableCells {
  readonly cells: readonly string[];
  readonly wholeCount: number;
}

/**
 * Splits a line at its bars. Where a bar stands in front the last column has one behind it too, or a terminal has cut it
 * off. `isWhole` is false for the last line of a file without a line end, which may be cut anywhere.
 */
export function tableCells(line: string, isWhole: boolean): TableCells {
  const cells = line.split('|').map((cell) => cell.trim());
  const isFramed = cells[0] === '';
  return { cells, wholeCount: isWhole && !isFramed ? cells.length : cells.length - 1 };
}

/** First line of a GPU; empty for what is not there. */
export interface FirstLine {
  readonly index: number;
  /** As printed, long names cut. */
  readonly name: string;
  /** Of persistence, or the driver model of Windows. */
  readonly mode: string;
  readonly busId: string;
  readonly display: string;
  readonly ecc: string;
}

/** `|   0  Tesla V100  On  | 00000000:86:00.0 Off |  Off |`; what stands before the first column does not matter. */
export function firstLine({ cells, wholeCount }: TableCells): FirstLine | null {
  for (let at = 1; at < wholeCount; at++) {
    const cell = cells[at]!;
    const place = BUS_ID.exec(cell) ?? (NO_BUS_ID.test(cell) ? ['', '', ''] : null);
    const who = place === null ? null : INDEX_AND_NAME.exec(cells[at - 1]!);
    if (place === null || who === null) continue;
    const [, name = who[2]!, mode = ''] = NAME_AND_MODE.exec(who[2]!) ?? [];
    const ecc = at + 1 < wholeCount ? cells[at + 1]! : '';
    return { index: Number(who[1]), name: name.trim(), mode, busId: place[1] ?? '', display: place[2] ?? '', ecc };
  }
  return null;
}

/** Second line of a GPU; empty for what is not there. */
export interface SecondLine {
  readonly fan: string;
  readonly temperature: string;
  readonly state: string;
  readonly power: string;
  readonly limit: string;
  readonly used: string;
  readonly total: string;
  readonly utilisation: string;
  readonly computeMode: string;
  readonly isLost: boolean;
}

/** `| N/A   36C    P0    295W /  700W |   16959MiB / 143771MiB |     N/A      Default |` */
export function secondLine({ cells, wholeCount }: TableCells): SecondLine | null {
  const whole = cells.slice(0, wholeCount);
  const sensorsAt = whole.findIndex((cell) => SENSORS.test(cell));
  const memoryAt = whole.findIndex((cell) => /\d/.test(cell) && MEMORY.test(cell));
  if (sensorsAt === -1 && memoryAt === -1) return null;
  const middle = sensorsAt === -1 ? memoryAt : sensorsAt + 1;
  const [, fan = '', temperature = '', state = '', power = '', limit = ''] =
    SENSORS.exec(whole[middle - 1] ?? '') ?? [];
  const [, used = '', total = ''] = MEMORY.exec(whole[middle] ?? '') ?? bothMissing(whole[middle] ?? '');
  const [, utilisation = '', computeMode = ''] = LOAD.exec(whole[middle + 1] ?? '') ?? [];
  const isLost = whole.some((cell) => cell.includes('GPU is lost'));
  return { fan, temperature, state, power, limit, used, total, utilisation, computeMode, isLost };
}

/** One word for both sizes. */
function bothMissing(cell: string): readonly string[] {
  return ONLY_WORD.test(cell) ? ['', cell, cell] : [];
}

/** `Enabled`, `Disabled` or `N/A` in the third line of a GPU, whose other columns are empty; null for another line. */
export function migMode({ cells, wholeCount }: TableCells): string | null {
  const whole = cells.slice(0, wholeCount).filter((cell) => cell !== '');
  return cells.length >= 3 && whole.length === 1 ? (MIG_MODE.exec(whole[0]!)?.[1] ?? null) : null;
}

/** A MIG instance: its ids, its memory and its count of uncorrected errors. */
export interface InstanceLine {
  readonly index: number;
  readonly gpuInstance: number;
  readonly computeInstance: number;
  readonly used: string;
  readonly total: string;
  readonly ecc: string;
}

/** `|  0    2   0   0  |   16925MiB / 71424MiB    | 16      0 |  3   0    3    0    3 |` */
export function instanceLine({ cells, wholeCount }: TableCells): InstanceLine | null {
  for (let at = 0; at + 1 < wholeCount; at++) {
    const ids = INSTANCE.exec(cells[at]!);
    const memory = ids === null ? null : MEMORY.exec(cells[at + 1]!);
    if (ids === null || memory === null) continue;
    const ecc = at + 2 < wholeCount ? (COUNT_AND_ECC.exec(cells[at + 2]!)?.[1] ?? '') : '';
    return {
      index: Number(ids[1]),
      gpuInstance: Number(ids[2]),
      computeInstance: Number(ids[3]),
      used: memory[1]!,
      total: memory[2]!,
      ecc,
    };
  }
  return null;
}

/** Second line of a MIG instance: its window into memory; null for another line. */
export function instanceBar1({ cells, wholeCount }: TableCells): { used: string; total: string } | null {
  const whole = cells.slice(0, wholeCount).filter((cell) => cell !== '');
  const memory = cells.length >= 4 && whole.length === 1 ? MEMORY.exec(whole[0]!) : null;
  return memory === null ? null : { used: memory[1]!, total: memory[2]! };
}

/** A line of the box of processes. */
export interface ProcessLine {
  readonly index: number;
  readonly gpuInstance: string;
  readonly computeInstance: string;
  readonly pid: string;
  readonly type: string;
  readonly name: string;
  readonly memory: string;
}

/** `|    0   N/A  N/A   3794277      C   python      11942MiB |`, older ones without the instances and the type. */
export function processLine({ cells, wholeCount }: TableCells): ProcessLine | null {
  for (const cell of cells.slice(0, wholeCount)) {
    const found = PROCESS.exec(cell);
    if (found === null) continue;
    const [, index, gpuInstance = '', computeInstance = '', pid = '', type = '', name = '', memory = ''] = found;
    return { index: Number(index), gpuInstance, computeInstance, pid, type, name, memory };
  }
  return null;
}

/** `|    0                    Not Supported     |`: why the processes of a GPU are not listed. */
export function notListed({ cells, wholeCount }: TableCells): { index: number; why: string } | null {
  for (const cell of cells.slice(0, wholeCount)) {
    const found = NOT_LISTED.exec(cell);
    if (found !== null) return { index: Number(found[1]), why: found[2]! };
  }
  return null;
}
