import { JsonDocuments, type JsonFault, type JsonSink } from './json-documents.ts';
import { withoutEscapes } from './plain-line.ts';
import type { FormatContext, FormatReader } from './rows.ts';

/** Feeds lines to {@link JsonDocuments}. What the documents mean is up to the format. */
export abstract class JsonLineReader implements FormatReader, JsonSink {
  protected readonly context: FormatContext;
  readonly #documents: JsonDocuments;
  #lastLine = 0;

  /** `path` as in {@link JsonDocuments}. */
  constructor(context: FormatContext, path: readonly string[] = []) {
    this.context = context;
    this.#documents = new JsonDocuments(this, path);
  }

  get isHolding(): boolean {
    return false;
  }

  abstract element(text: string, line: number): void;
  abstract document(rest: string, line: number): void;

  /** True if the format took the line for the time of the next document. */
  protected abstract isDate(line: string): boolean;

  line(bytes: Uint8Array, start: number, end: number, number: number): void {
    this.#lastLine = number;
    this.#documents.line(bytes, start, end, number);
  }

  part(bytes: Uint8Array, start: number, end: number, number: number, isFirst: boolean): void {
    this.#lastLine = number;
    if (isFirst) this.#documents.start(bytes, start, end, number);
    else this.#documents.part(bytes, start, end, number);
  }

  outside(line: string, number: number): void {
    const plain = withoutEscapes(line).trim();
    if (plain === '' || this.isDate(plain)) return;
    this.context.report.skip(/^no gpu\b/i.test(plain) ? 'no-devices' : 'stray-text', number);
  }

  broken(line: number, reason: JsonFault): void {
    if (reason !== 'unclosed') this.context.report.skip(reason === 'too-long' ? 'too-large' : 'broken-document', line);
  }

  settle(): void {}

  end(): void {
    this.#documents.end(this.#lastLine);
  }
}
