import { isBusId } from '../csv/identity.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { SmiCard } from '../smi/card.ts';
import { SmiDocuments } from '../smi/documents.ts';
import { type SmiNode, type SmiScope, smiTree } from '../smi/tree.ts';
import { skipLine } from '../stray-line.ts';

const SPACE = 32;
const COLON = 58;
const EQUALS = 61;
const UPPER_G = 71;
const UPPER_P = 80;
const INDENT = 4;
const DEEPEST = 8;

/** So many other lines end an output: in a report of other things it may be the only one. */
const MOST_STRAY_LINES = 200;

const HEADER = /^=+\s*NVSMI LOG\s*=+\s*$/;
const DEVICE = /^GPU ([\da-f]{2,8}:[\da-f]{2}(?::[\da-f]{2})?\.[\da-f])\s*(?::?\s+(.*))?$/i;

/** The same of a card whose place nobody knows, as gpulse writes it: by its index. */
const PLAIN_DEVICE = /^GPU (\d{1,3})$/;

/** Lines of the head of a log that say nothing about a device. */
const OTHER_HEAD =
  /^(?:Attached GPUs|Attached Units|HIC Info|Unit \d+|Timestamp|Driver Version|CUDA\b.*Version|KMD Version)\b/;

/** A value that is whole although the file ends with it: it has its unit, or is a word that no longer one begins with. */
const WHOLE_VALUE = /(?:\d (?:MiB|W|MHz|%|C|us|mV)|\d KB\/s|^(?:None|N\/A|Active|Not Active|Enabled|Disabled|Yes|No))$/;

/**
 * Reads the text of `nvidia-smi -q`: keys and values in groups that are told by how far they are indented. Other lines
 * between them, and other output before and after, are skipped.
 */
export class SmiTextReader implements FormatReader {
  readonly #tree = smiTree('text');
  readonly #context: FormatContext;
  readonly #documents: SmiDocuments;
  readonly #card: SmiCard;
  /** Known keys that lead to the current line, by depth; null for an unknown one. */
  readonly #path: (SmiNode | null)[] = [];
  #depth = 0;
  #scope: SmiScope | null = null;
  /** How far the whole output is indented. */
  #margin = 0;
  /** True once a list of processes has ended with a blank line. */
  #hasBlanks = false;
  #isAfterBlank = false;
  #strayLines = 0;
  /** The file ends within a line. */
  #isCut = false;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#documents = new SmiDocuments(context);
    this.#card = new SmiCard(context);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    let from = start;
    while (from < end && bytes[from] === SPACE) from++;
    let to = end;
    while (to > from && bytes[to - 1]! <= SPACE) to--;
    if (from === to) {
      this.#isCut ||= !isWhole;
      this.#isAfterBlank = isWhole;
      if (this.#card.hasProcesses) this.#hasBlanks = true;
      return;
    }
    const isRead =
      this.#readStart(bytes, from, to, from - start, number, isWhole) ||
      this.#readValue(bytes, from, to, (from - start - this.#margin) / INDENT, number, isWhole);
    if (isRead) {
      this.#isAfterBlank = false;
      this.#strayLines = 0;
      return;
    }
    if (++this.#strayLines === MOST_STRAY_LINES) this.#finish();
    skipLine(textOf(bytes, start, end), 'stray-text', { number, isWhole }, this.#context, true);
  }

  get isHolding(): boolean {
    return this.#documents.isHolding;
  }

  settle(): void {
    this.#documents.release();
  }

  end(): void {
    this.#finish();
    this.#documents.release();
  }

  #finish(): void {
    this.#endDevice();
    this.#documents.end();
  }

  /** The start of an output or of a device, or a line that is about all of them. */
  #readStart(bytes: Uint8Array, from: number, to: number, indent: number, number: number, isWhole: boolean): boolean {
    if (bytes[from] === EQUALS) {
      if (!HEADER.test(textOf(bytes, from, to))) return false;
      this.#margin = indent;
      this.#finish();
      return true;
    }
    const isDevice = bytes[from] === UPPER_G && bytes[from + 1] === UPPER_P && bytes[from + 3] === SPACE;
    if (isDevice && this.#readDevice(textOf(bytes, from, to), indent, number, isWhole)) return true;
    return indent === this.#margin && this.#readLogValue(textOf(bytes, from, to), isWhole);
  }

  #readDevice(text: string, indent: number, number: number, isWhole: boolean): boolean {
    const device = DEVICE.exec(text) ?? (indent === this.#margin ? PLAIN_DEVICE.exec(text) : null);
    const busId = device?.[1] ?? '';
    if (device === null || !(isBusId(busId) || /^\d+$/.test(busId))) return false;
    this.#margin = indent;
    this.#endDevice();
    if (!isWhole) return true;
    this.#card.begin(busId, number);
    this.#path[0] = this.#tree.device;
    this.#depth = 1;
    if (/is lost/i.test(device[2] ?? '')) this.#card.markLost();
    return true;
  }

  #readLogValue(text: string, isWhole: boolean): boolean {
    const found = /^([A-Z][\w ]*?) *: (.*)$/.exec(text);
    const node = this.#tree.log.children.get(found?.[1]?.toLowerCase() ?? '');
    const value = found?.[2] ?? '';
    if (node === undefined) return OTHER_HEAD.test(text);
    if (!isWhole) return true;
    if (node.text === 'timestamp') {
      // The time of the next output, if the line before it is missing.
      this.#finish();
      this.#documents.setTime(this.#documents.dateOf(value));
    } else if (node.text === 'driver') this.#documents.driverVersion(value);
    else if (node.text === 'cuda') this.#documents.cudaVersion(value);
    return true;
  }

  #readValue(bytes: Uint8Array, from: number, to: number, depth: number, number: number, isWhole: boolean): boolean {
    if (!this.#card.isOpen || depth < 1 || depth > this.#depth || depth >= DEEPEST || !Number.isInteger(depth))
      return false;
    const colon = findColon(bytes, from, to);
    let keyEnd = colon === -1 ? to : colon;
    while (keyEnd > from && bytes[keyEnd - 1] === SPACE) keyEnd--;
    const key = keyOf(bytes, from, keyEnd);
    if (key === null) {
      this.#isCut ||= !isWhole;
      return false;
    }
    // A group at the very end may be the beginning of another name.
    if (colon === -1 && !isWhole) {
      this.#isCut = true;
      return true;
    }
    if (depth === 1) this.#leaveScope();
    const node = this.#path[depth - 1]?.children.get(key) ?? null;
    this.#path[depth] = node;
    this.#depth = depth + 1;
    if (node === null) return true;
    if (depth === 1 && node.scope !== null) this.#enterScope(node.scope, colon === -1, number);
    if (colon !== -1) this.#take(node, bytes, colon, to, number, isWhole);
    return true;
  }

  #take(node: SmiNode, bytes: Uint8Array, colon: number, to: number, number: number, isWhole: boolean): void {
    let start = colon + 1;
    while (start < to && bytes[start] === SPACE) start++;
    if (!isWhole && !WHOLE_VALUE.test(textOf(bytes, start, to))) {
      this.#isCut = true;
      return;
    }
    if (node.field !== null) this.#card.reading(node.field, bytes, start, to, number);
    else if (node.children.size > 0 && node.text === '') this.#card.absentGroup(node, textOf(bytes, start, to));
    if (node.text !== '') this.#card.text(node.text, textOf(bytes, start, to));
  }

  #enterScope(scope: SmiScope, isGroup: boolean, number: number): void {
    if (!isGroup) return;
    this.#scope = scope;
    this.#card.open(scope, number);
  }

  /** Another group begins: the one before it is whole. */
  #leaveScope(): void {
    if (this.#scope !== null) this.#card.close(this.#scope);
    this.#scope = null;
  }

  /** The list of processes mostly comes last: where others ended with a blank line this one must, or it was cut. */
  #endDevice(): void {
    this.#depth = 0;
    if (!this.#card.isOpen) return;
    const isListWhole = this.#card.hasProcesses && !this.#isCut && (this.#isAfterBlank || !this.#hasBlanks);
    if (this.#scope === 'processes' && isListWhole) this.#card.close('processes');
    this.#scope = null;
    const found = this.#card.take(this.#documents.driver, this.#documents.cuda);
    if (found !== null) this.#documents.add(found);
  }
}

/** The colon behind a key, which has a blank before it; -1 where there is none. */
function findColon(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from + 1; at < to; at++) {
    if (bytes[at] === COLON && bytes[at - 1] === SPACE) return at;
  }
  return -1;
}

/** A key in lower case, or null for a line that can be none. */
function keyOf(bytes: Uint8Array, from: number, to: number): string | null {
  if (to - from > 64) return null;
  const first = bytes[from]!;
  const isLetter = (first >= 65 && first <= 90) || (first >= 97 && first <= 122);
  if (!isLetter) return null;
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from)
    .toString('latin1')
    .toLowerCase();
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
}
