/** What an {@link XmlTokens} finds. */
export interface XmlSink {
  /** `attributes` is what stands behind the name. */
  open(name: string, attributes: string, line: number): void;
  close(name: string, line: number): void;
  /** Text between two tags, entities undone; a longer one comes in several calls. */
  text(text: string, line: number): void;
  /** `<?xml …?>`: a document begins. */
  declaration(line: number): void;
}

/** A tag is shorter. */
const LONGEST_TAG = 4096;

const TAG_START = /[A-Za-z_/!?]/;
const NAME = /^\/?([A-Za-z_][\w:.-]*)\s*(.*?)\/?$/s;

/**
 * Finds tags and text in XML that comes in pieces. It forgives what a parser must refuse: documents that are cut off and
 * followed by others, and a `<` in a text that was not escaped. There is no depth, and nothing is checked to match.
 */
export class XmlTokens {
  readonly #sink: XmlSink;
  /** Start of a tag whose end has not been seen. */
  #rest = '';

  constructor(sink: XmlSink) {
    this.#sink = sink;
  }

  /** The next piece, which may end anywhere. */
  push(piece: string, line: number): void {
    const text = this.#rest + piece;
    this.#rest = '';
    let at = 0;
    for (let start = text.indexOf('<'); start !== -1; start = text.indexOf('<', at)) {
      const next = text[start + 1];
      if (next !== undefined && !TAG_START.test(next)) {
        this.#text(text.slice(at, start + 1), line);
        at = start + 1;
        continue;
      }
      if (start > at) this.#text(text.slice(at, start), line);
      const end = text.indexOf('>', start + 1);
      const other = text.indexOf('<', start + 1);
      if (other !== -1 && (end === -1 || other < end)) {
        // The tag was cut off: another one follows.
        at = other;
        continue;
      }
      if (end === -1) {
        if (text.length - start <= LONGEST_TAG) this.#rest = text.slice(start);
        return;
      }
      this.#tag(text.slice(start + 1, end), line);
      at = end + 1;
    }
    if (at < text.length) this.#text(text.slice(at), line);
  }

  /** A line has ended, which separates words inside of tags. */
  lineEnd(): void {
    if (this.#rest !== '') this.#rest += ' ';
  }

  #text(text: string, line: number): void {
    this.#sink.text(text.includes('&') ? unescaped(text) : text, line);
  }

  #tag(tag: string, line: number): void {
    if (tag.startsWith('?xml')) {
      this.#sink.declaration(line);
      return;
    }
    const found = NAME.exec(tag);
    if (found === null) return;
    const name = found[1]!.toLowerCase();
    if (tag.startsWith('/')) {
      this.#sink.close(name, line);
      return;
    }
    this.#sink.open(name, found[2] ?? '', line);
    if (tag.endsWith('/')) this.#sink.close(name, line);
  }
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
