import { plainLine } from '../plain-line.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { AmdSnapshots } from './cards.ts';

/** Titles of `amd-smi monitor` that have other names elsewhere. */
const MONITOR_TITLES: Readonly<Record<string, string>> = { 'vram%': 'vram_percent' };

const MONITOR_HEADER = /^\s*(?:TIMESTAMP\s+)?GPU\s+(?:XCP\s+)?[A-Z][A-Z_%]*(?:\s+[A-Z][A-Z_0-9%]*)*\s*$/;
const UNIT = /^(?:W|°C|\ufffd*C|%|MHz|MB|GB|Mb\/s|MB\/s|RPM|V|mV|J)$/;
const DEVICE = /^GPU:\s*(\d{1,4})\s*$/;
const MEMBER = /^(\s+)([A-Z][A-Z0-9_]*)\s*:\s*(.*?)\s*$/;

interface Card {
  readonly index: number;
  readonly values: Map<string, string>;
  readonly line: number;
}

export function isMonitorHeader(line: string): boolean {
  return MONITOR_HEADER.test(line) && /POWER|GFX|VRAM|TEMP|_T\b/.test(line);
}

export function isAmdDevice(line: string): boolean {
  return DEVICE.test(line);
}

export function isAmdMember(line: string): boolean {
  return MEMBER.test(line);
}

/** Reads what `amd-smi metric`, `static` and `monitor` print for people. */
export class AmdSmiTextReader implements FormatReader {
  readonly isHolding = false;
  readonly #context: FormatContext;
  readonly #amd: AmdSnapshots;
  #titles: readonly string[] = [];
  #cards = new Map<number, Card>();
  /** The card whose members follow, and the members around them with their indentation. */
  #open: Card | null = null;
  #path: { readonly indent: number; readonly name: string }[] = [];
  #time = Number.NaN;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#amd = new AmdSnapshots(context);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void {
    const line = plainLine(bytes, start, end);
    if (line.trim() === '') return;
    if (isMonitorHeader(line)) {
      this.#titles = terminated ? line.trim().split(/\s+/).map(titleOf) : [];
      this.#open = null;
      return;
    }
    const device = DEVICE.exec(line);
    if (device !== null) {
      this.#open = this.#begin(Number(device[1]), number);
      this.#path = [];
      return;
    }
    if (this.#member(line, number, terminated) || this.#row(line, number, terminated)) return;
    this.#flush();
    if (this.#amd.snapshots.takeDate(line)) return;
    this.#context.report.skip(terminated ? 'stray-text' : 'truncated', number);
  }

  settle(): void {}

  end(): void {
    this.#flush();
  }

  #member(line: string, number: number, terminated: boolean): boolean {
    const member = MEMBER.exec(line);
    if (member === null || this.#open === null) return false;
    if (!terminated) {
      this.#context.report.skip('truncated', number);
      return true;
    }
    const [, blanks = '', name = '', value = ''] = member;
    const indent = blanks.length;
    this.#path = this.#path.filter((outer) => outer.indent < indent);
    if (value !== '') this.#open.values.set([...this.#path.map((outer) => outer.name), name].join('.'), value);
    this.#path.push({ indent, name });
    return true;
  }

  #row(line: string, number: number, terminated: boolean): boolean {
    if (this.#titles.length === 0 || !/^\s*\d/.test(line)) return false;
    const cells = joinUnits(line.trim().split(/\s+/));
    const at = this.#titles.indexOf('gpu');
    const index = cells[at];
    if (!terminated || cells.length !== this.#titles.length || !/^\d{1,4}$/.test(index ?? '')) {
      this.#context.report.skip(terminated ? 'wrong-columns' : 'truncated', number);
      return true;
    }
    const card = this.#begin(Number(index), number);
    for (const [position, title] of this.#titles.entries()) addCell(card.values, title, cells[position]!);
    const stamp = card.values.get('timestamp');
    if (stamp !== undefined && this.#cards.size === 1) this.#time = this.#amd.snapshots.dates.read(stamp);
    return true;
  }

  /** A card that comes again is of the next moment. */
  #begin(index: number, line: number): Card {
    if (this.#cards.has(index)) this.#flush();
    const card: Card = { index, values: new Map(), line };
    this.#cards.set(index, card);
    return card;
  }

  #flush(): void {
    const cards = [...this.#cards.values()];
    this.#cards = new Map();
    this.#open = null;
    this.#path = [];
    this.#amd.emit(this.#time, cards);
    this.#time = Number.NaN;
  }
}

function titleOf(title: string): string {
  const plain = title.toLowerCase();
  return MONITOR_TITLES[plain] ?? plain;
}

/** A number and the unit behind it are one cell. */
function joinUnits(words: readonly string[]): string[] {
  const cells: string[] = [];
  for (const word of words) {
    const last = cells.length - 1;
    if (UNIT.test(word) && last >= 0) cells[last] = `${cells[last]} ${word}`;
    else cells.push(word);
  }
  return cells;
}

/** Newer tables have `0.3/191.7 GB` in one column. */
function addCell(values: Map<string, string>, title: string, cell: string): void {
  const both = title === 'vram_usage' ? /^([\d.]+)\s*\/\s*([\d.]+)\s*([MG]B)$/.exec(cell) : null;
  if (both === null) {
    values.set(title, cell.startsWith('N/A') ? 'N/A' : cell);
    return;
  }
  values.set('vram_used', `${both[1]} ${both[3]}`);
  values.set('vram_total', `${both[2]} ${both[3]}`);
}
