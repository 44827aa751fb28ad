import { plainLine } from '../plain-line.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { AmdSnapshots } from './cards.ts';
import { type ConciseHeader, conciseHeader, conciseRow, nameLine, parseDetail } from './text-lines.ts';

/** What the columns of the concise table mean, as titles of the long output. */
const CONCISE: Readonly<Record<string, string>> = {
  Temp: 'Temperature (Sensor edge) (C)',
  '(DieEdge)': 'Temperature (Sensor edge) (C)',
  AvgPwr: 'Average Graphics Package Power (W)',
  Power: 'Average Graphics Package Power (W)',
  SCLK: 'sclk clock speed',
  MCLK: 'mclk clock speed',
  Fan: 'Fan speed (%)',
  PwrCap: 'Max Graphics Package Power (W)',
  'VRAM%': 'GPU Memory Allocated (VRAM%)',
  'GPU%': 'GPU use (%)',
};

/** What a message of failure is about. */
const FAILED: readonly (readonly [RegExp, string])[] = [
  [/gpu memory use|memory use/i, 'GPU memory use (%)'],
  [/gpu use|utilization/i, 'GPU use (%)'],
  [/package power|power consumption/i, 'Average Graphics Package Power (W)'],
  [/temperature/i, 'Temperature (Sensor edge) (C)'],
  [/fan/i, 'Fan speed (%)'],
];

interface Card {
  readonly index: number;
  readonly values: Map<string, string>;
  readonly line: number;
}

const LOG_END = /End of ROCm SMI Log/i;
const LOG_START = /ROCm System Management Interface/i;

export function isRocmBanner(line: string): boolean {
  return LOG_START.test(line) || LOG_END.test(line);
}

/** Reads the tables of rocm-smi, concise or long. Its banners stand around what belongs to one moment. */
export class RocmTextReader implements FormatReader {
  readonly isHolding = false;
  readonly #context: FormatContext;
  readonly #amd: AmdSnapshots;
  #header: ConciseHeader | null = null;
  #cards = new Map<number, Card>();
  /** The row whose name may follow. */
  #last: Card | null = null;
  #isConcise = false;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#amd = new AmdSnapshots(context);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void {
    const line = plainLine(bytes, start, end);
    if (line.trim() === '') return;
    if (LOG_START.test(line) || LOG_END.test(line)) {
      this.#flush();
      return;
    }
    if (/^[\s=]*={3,}/.test(line)) return;
    const header = conciseHeader(line);
    if (header !== null) {
      if (this.#isConcise) this.#flush();
      this.#header = terminated ? header : null;
      return;
    }
    if (this.#detail(line, number, terminated) || this.#concise(line, number, terminated)) return;
    this.#flush();
    if (this.#amd.snapshots.takeDate(line)) return;
    this.#context.report.skip(terminated ? 'stray-text' : 'truncated', number);
  }

  settle(): void {}

  end(): void {
    this.#flush();
  }

  #detail(line: string, number: number, terminated: boolean): boolean {
    const detail = parseDetail(line);
    if (detail === null) return false;
    if (!terminated) {
      this.#context.report.skip('truncated', number);
      return true;
    }
    const { index, isError, isReported, key, value } = detail;
    const card = this.#card(index, number);
    if (!isError) {
      if (value !== '' && !card.values.has(key)) card.values.set(key, value);
      return true;
    }
    const failed = FAILED.find(([rule]) => rule.test(key))?.[1];
    if (failed !== undefined && !card.values.has(failed)) card.values.set(failed, '[Error]');
    if (isReported) this.#context.report.fault('error-rows', number);
    return true;
  }

  #concise(line: string, number: number, terminated: boolean): boolean {
    if (this.#header === null) return false;
    const cells = conciseRow(line, this.#header);
    if (cells === null) return this.#name(line);
    if (!terminated) {
      this.#context.report.skip('truncated', number);
      return true;
    }
    const index = Number(cells.get('index'));
    if (this.#isConcise && this.#cards.has(index)) this.#flush();
    this.#isConcise = true;
    const card = this.#card(index, number);
    for (const [title, cell] of cells) {
      const key = CONCISE[title];
      if (key !== undefined) card.values.set(key, cell);
    }
    this.#last = card;
    return true;
  }

  /** Second lines of the header, and of a row. */
  #name(line: string): boolean {
    if (!/^\s{4,}\S/.test(line)) return false;
    const name = nameLine(line);
    if (name !== null && this.#last !== null) this.#last.values.set('Card series', name);
    this.#last = null;
    return true;
  }

  #card(index: number, line: number): Card {
    const known = this.#cards.get(index);
    if (known !== undefined) return known;
    const card: Card = { index, values: new Map(), line };
    this.#cards.set(index, card);
    return card;
  }

  #flush(): void {
    const cards = [...this.#cards.values()];
    this.#cards = new Map();
    this.#last = null;
    this.#isConcise = false;
    this.#amd.emit(Number.NaN, cards);
  }
}
