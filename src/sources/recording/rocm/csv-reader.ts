import { splitText } from '../csv/cells.ts';
import { plainLine } from '../plain-line.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { type AmdCard, AmdSnapshots } from './cards.ts';
import { isAmdKey, isRocmKey } from './keys.ts';

const CARD = /^(?:card)?(\d{1,4})$/;
const TIME_TITLE = /^time(?:stamp)?$/i;

/** Titles of a line, or null for a line that is no header of rocm-smi or amd-smi. */
export function amdCsvHeader(line: string): readonly string[] | null {
  const titles = splitText(line);
  const device = deviceColumn(titles);
  if (device === -1) return null;
  const isRocm = titles[device] === 'device' && titles.some(isRocmKey);
  const isAmd = titles[device] === 'gpu' && titles.some((title) => /_/.test(title) && isAmdKey(title));
  // Partitions and inventories of rocm-smi have no reading at all.
  const isInventory =
    titles[device] === 'device' && titles.some((title) => /^card (?:series|model|vendor)$/i.test(title));
  return isRocm || isAmd || isInventory ? titles.map((title) => unambiguous(title, titles)) : null;
}

/** Reads `rocm-smi --csv` and `amd-smi … --csv`, as they are or with a time that a script put in front of every row. */
export class AmdCsvReader implements FormatReader {
  readonly isHolding = false;
  readonly #context: FormatContext;
  readonly #amd: AmdSnapshots;
  #titles: readonly string[] = [];
  #cards: AmdCard[] = [];
  #time = Number.NaN;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#amd = new AmdSnapshots(context);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void {
    const line = plainLine(bytes, start, end);
    if (line.trim() === '') return;
    const header = terminated ? amdCsvHeader(line) : null;
    if (header !== null) {
      this.#flush();
      this.#titles = header;
      return;
    }
    const cells = splitText(line);
    const index = CARD.exec(cells[deviceColumn(this.#titles)] ?? '')?.[1];
    if (index !== undefined && terminated && cells.length === this.#titles.length) {
      this.#row(Number(index), cells, number);
      return;
    }
    // rocm-smi has its driver and topology in tables of their own behind the cards.
    if (/^system\b|^\w+(?: \w+)*,/.test(line) && index === undefined && terminated) return;
    this.#flush();
    if (this.#amd.snapshots.takeDate(line)) return;
    this.#context.report.skip(
      terminated ? (index === undefined ? 'stray-text' : 'wrong-columns') : 'truncated',
      number,
    );
  }

  settle(): void {}

  end(): void {
    this.#flush();
  }

  #row(index: number, cells: readonly string[], line: number): void {
    if (this.#cards.some((card) => card.index === index)) this.#flush();
    const values = new Map(this.#titles.map((title, position) => [title, cells[position]!] as const));
    const time = this.#titles.find((title) => TIME_TITLE.test(title));
    if (this.#cards.length === 0 && time !== undefined) {
      this.#time = this.#amd.snapshots.dates.read(values.get(time) ?? '');
    }
    this.#cards.push({ index, values, line });
  }

  #flush(): void {
    this.#amd.emit(this.#time, this.#cards);
    this.#cards = [];
    this.#time = Number.NaN;
  }
}

function deviceColumn(titles: readonly string[]): number {
  return titles.findIndex((title) => title === 'device' || title === 'gpu');
}

/** The title `mem` means a temperature beside `edge`, and a load beside the clocks of the monitor. */
function unambiguous(title: string, titles: readonly string[]): string {
  if (title !== 'mem') return title;
  return titles.includes('edge') || titles.includes('hotspot') ? 'temperature.mem' : 'mem_util';
}
