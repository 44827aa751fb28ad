import { JsonLineReader } from '../json-line-reader.ts';
import { isObject, parseLoosely } from '../loose-json.ts';
import type { FormatContext } from '../rows.ts';
import { MOST_DEVICES } from '../snapshots.ts';
import { type AmdCard, AmdSnapshots } from './cards.ts';

/** Members of a document of amd-smi that hold its list of cards. */
const LISTS = ['gpu_data', 'gpus'];

/** Reads the documents of `rocm-smi --json`, an object of cards, and of amd-smi, a list of them. */
export class AmdJsonReader extends JsonLineReader {
  readonly #amd: AmdSnapshots;
  /** Elements of the list that is being read. */
  #cards: AmdCard[] = [];

  constructor(context: FormatContext) {
    super(context);
    this.#amd = new AmdSnapshots(context);
  }

  element(text: string, line: number): void {
    const card = parseLoosely(text);
    if (!isObject(card)) this.context.report.skip('broken-document', line);
    else this.#take(card, line);
  }

  document(rest: string, line: number): void {
    const document = parseLoosely(rest);
    if (isObject(document)) this.#document(document, line);
    else if (!Array.isArray(document)) this.context.report.skip('broken-document', line);
    this.#flush(isObject(document) ? driverOf(document) : null);
  }

  protected isDate(line: string): boolean {
    return this.#amd.snapshots.takeDate(line);
  }

  #document(document: Readonly<Record<string, unknown>>, line: number): void {
    const list = LISTS.map((member) => document[member]).find(Array.isArray);
    for (const card of list ?? []) if (isObject(card)) this.#take(card, line);
    if (list !== undefined) return;
    for (const [member, card] of Object.entries(document).slice(0, MOST_DEVICES)) {
      const index = /^card(\d{1,4})$/.exec(member)?.[1];
      if (index === undefined || !isObject(card)) continue;
      this.#cards.push({ index: Number(index), values: flattened(card), line });
    }
    if (this.#cards.length === 0) this.context.report.skip('stray-text', line);
  }

  /** A card of amd-smi, which says its own number; one document may hold several cards, or one per element. */
  #take(card: Readonly<Record<string, unknown>>, line: number): void {
    const { gpu } = card;
    const index = typeof gpu === 'string' || typeof gpu === 'number' ? Number(gpu) : Number.NaN;
    if (LISTS.some((member) => Array.isArray(card[member])) || Object.keys(card).some((key) => /^card\d+$/.test(key))) {
      this.#document(card, line);
      this.#flush(driverOf(card));
      return;
    }
    if (!Number.isSafeInteger(index)) {
      this.context.report.skip('unknown-device', line);
      return;
    }
    // With --watch the list goes on with the same cards.
    if (this.#cards.some((other) => other.index === index) || this.#cards.length >= MOST_DEVICES) this.#flush(null);
    this.#cards.push({ index, values: flattened(card), line });
  }

  #flush(driver: string | null): void {
    const time = this.#cards[0]?.values.get('timestamp');
    this.#amd.emit(time === undefined ? Number.NaN : this.#amd.snapshots.dates.read(time), this.#cards, driver);
    this.#cards = [];
  }
}

function driverOf(document: Readonly<Record<string, unknown>>): string | null {
  const system = document['system'];
  const version = isObject(system) ? system['Driver version'] : undefined;
  return typeof version === 'string' ? version : null;
}

/** Every value under its path; `{"value": 133, "unit": "W"}` is one value with its unit. */
function flattened(card: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'string' || typeof value === 'number') values.set(path, String(value));
    if (!isObject(value)) return;
    if ('value' in value && ('unit' in value || Object.keys(value).length === 1)) {
      values.set(path, `${value['value']} ${value['unit'] ?? ''}`.trim());
      return;
    }
    for (const [key, inner] of Object.entries(value)) walk(inner, path === '' ? key : `${path}.${key}`);
  };
  walk(card, '');
  return values;
}
