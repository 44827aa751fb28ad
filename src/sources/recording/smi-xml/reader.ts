import type { FormatContext, FormatReader } from '../rows.ts';
import { SmiCard } from '../smi/card.ts';
import { SmiDocuments } from '../smi/documents.ts';
import { type SmiNode, smiTree } from '../smi/tree.ts';
import { skipLine } from '../stray-line.ts';
import { type XmlSink, XmlTokens } from './tokens.ts';

const ROOT = 'nvidia_smi_log';
const DEVICE = 'gpu';
const ID = /\bid\s*=\s*["']?([^"'\s>]+)/;

/** Nesting deeper than this is no output of nvidia-smi. */
const DEEPEST = 64;
const LONGEST_TEXT = 4096;

const ENCODER = new TextEncoder();

interface OpenElement {
  readonly name: string;
  /** Null for an element that gpulse has no use for, and for all in it. */
  readonly node: SmiNode | null;
  text: string;
  hasElements: boolean;
}

/**
 * Reads the XML of `nvidia-smi -q -x`, one document after the other, whether they end or not. Only an element that was
 * closed counts: the last value of a file that was cut is left out.
 */
export class SmiXmlReader implements FormatReader, XmlSink {
  readonly #tree = smiTree('xml');
  readonly #context: FormatContext;
  readonly #documents: SmiDocuments;
  readonly #card: SmiCard;
  readonly #tokens: XmlTokens;
  readonly #open: OpenElement[] = [];

  constructor(context: FormatContext) {
    this.#context = context;
    this.#documents = new SmiDocuments(context);
    this.#card = new SmiCard(context);
    this.#tokens = new XmlTokens(this);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    const text = textOf(bytes, start, end);
    if (this.#open.length === 0 && !text.includes('<')) {
      skipLine(text, 'stray-text', { number, isWhole }, this.#context, true);
      return;
    }
    this.#tokens.push(text, number);
    this.#tokens.lineEnd();
  }

  part(bytes: Uint8Array, start: number, end: number, number: number): void {
    this.#tokens.push(textOf(bytes, start, end), number);
  }

  get isHolding(): boolean {
    return this.#documents.isHolding;
  }

  settle(): void {
    this.#documents.release();
  }

  end(): void {
    this.#endDevice();
    this.#documents.end();
    this.#documents.release();
  }

  /** A document begins, and the one before it has ended, whether it was closed or not. */
  declaration(): void {
    this.#endDevice();
    this.#documents.end();
    this.#open.length = 0;
  }

  open(name: string, attributes: string, line: number): void {
    if (name === ROOT) {
      this.declaration();
      this.#push(name, this.#tree.log);
    } else if (name === DEVICE) {
      this.#endDevice();
      while (this.#open.length > 0 && this.#open.at(-1)?.name !== ROOT) this.#open.pop();
      this.#push(name, this.#tree.device);
      const id = ID.exec(attributes)?.[1] ?? '';
      this.#card.begin(id, line);
    } else if (this.#open.length > 0 && this.#open.length < DEEPEST) {
      const parent = this.#open.at(-1);
      const node = parent?.node?.children.get(name) ?? null;
      if (parent !== undefined) parent.hasElements = true;
      this.#push(name, node);
      if (node?.scope != null) this.#card.open(node.scope, line);
    }
  }

  text(text: string, line: number): void {
    const element = this.#open.at(-1);
    if (element === undefined || element.hasElements) {
      if (text.trim() !== '') skipLine(text, 'stray-text', { number: line, isWhole: true }, this.#context, true);
      return;
    }
    if (element.node !== null && element.text.length < LONGEST_TEXT) element.text += text;
  }

  close(name: string, line: number): void {
    const at = this.#open.findLastIndex((element) => element.name === name);
    const element = this.#open[at];
    if (element === undefined) return;
    this.#open.length = at;
    const { node } = element;
    if (node !== null && !element.hasElements) this.#take(node, element.text.trim(), line);
    if (node?.scope != null) this.#card.close(node.scope);
    if (name === DEVICE) this.#endDevice();
    if (name === ROOT) this.#documents.end();
  }

  #push(name: string, node: SmiNode | null): void {
    this.#open.push({ name, node, text: '', hasElements: false });
  }

  #take(node: SmiNode, value: string, line: number): void {
    const { field, text: what } = node;
    if (this.#card.isOpen) {
      if (field === null && what === '') this.#card.absentGroup(node, value);
      if (field !== null && value !== '') {
        const bytes = ENCODER.encode(value);
        this.#card.reading(field, bytes, 0, bytes.length, line);
      }
      if (what !== '') this.#card.text(what, value);
    } else if (what === 'timestamp') this.#documents.setTime(this.#documents.dateOf(value));
    else if (what === 'driver') this.#documents.driverVersion(value);
    else if (what === 'cuda') this.#documents.cudaVersion(value);
  }

  #endDevice(): void {
    if (!this.#card.isOpen) return;
    const found = this.#card.take(this.#documents.driver, this.#documents.cuda);
    if (found !== null) this.#documents.add(found);
  }
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
}
