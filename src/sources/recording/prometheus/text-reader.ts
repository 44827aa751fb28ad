import { plainLine } from '../plain-line.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { Snapshots } from '../snapshots.ts';
import { isComment, parseSample, parseValue, type Sample } from './exposition.ts';
import { type KnownSeries, Scrape } from './scrape.ts';
import { TimedSamples } from './timed-samples.ts';

type Value = Pick<Sample, 'written' | 'time' | 'series'>;

/** Samples of one scrape: more are the next one, whatever they are called. */
const MOST_SAMPLES = 200_000;

/**
 * Reads scrapes one after the other. Where samples carry no time, a new scrape begins with a family that has been seen
 * before others, or with a series that comes again.
 */
export class PrometheusTextReader implements FormatReader {
  readonly #context: FormatContext;
  readonly #snapshots: Snapshots;
  readonly #scrape: Scrape;
  readonly #timed: TimedSamples;
  #names = new Set<string>();
  #series = new Set<string>();
  #lastName = '';

  constructor(context: FormatContext) {
    this.#context = context;
    this.#snapshots = new Snapshots(context);
    this.#scrape = new Scrape(context.report);
    this.#timed = new TimedSamples(context, this.#scrape, this.#snapshots);
  }

  get isHolding(): boolean {
    return !this.#timed.isEmpty;
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void {
    const line = plainLine(bytes, start, end);
    if (line.trim() === '') return;
    if (isComment(line)) {
      this.#comment(line);
      return;
    }
    if (terminated && this.#again(line, number)) return;
    const sample = parseSample(line);
    if (sample === null || !terminated) {
      this.#other(line, number, terminated);
      return;
    }
    const { name, labels, series } = sample;
    const known = this.#scrape.meaning(series, name, labels, number);
    this.#sample(known, name, sample, number);
  }

  /** The next sample of a series that has been met, whose labels need not be read again. */
  #again(line: string, number: number): boolean {
    const end = line.lastIndexOf('}') + 1;
    const series = line.slice(0, end);
    const known = end === 0 ? undefined : this.#scrape.known(series);
    const value = known == null ? null : parseValue(line.slice(end));
    if (known == null || value === null) return false;
    this.#sample(known, known.name, { ...value, series }, number);
    return true;
  }

  #sample(known: KnownSeries | null, name: string, { written, time, series }: Value, number: number): void {
    const isTimed = !Number.isNaN(time);
    if (!isTimed) this.#follow(name, series);
    if (known === null) return;
    if (isTimed) this.#timed.add(known, time, Number(written), number);
    else this.#scrape.add(known, written, number);
  }

  /** See {@link FormatReader.drain}. */
  drain(): boolean {
    this.#flush();
    return this.#timed.drain();
  }

  settle(): void {
    this.#timed.flush();
  }

  end(): void {
    while (this.drain());
  }

  #comment(line: string): void {
    const name = /^\s*#\s*(?:HELP|TYPE)\s+(\S+)/.exec(line)?.[1];
    if (name !== undefined) {
      if (name !== this.#lastName && this.#names.has(name)) this.#flush();
      return;
    }
    if (/^\s*#\s*EOF\b/.test(line)) this.#flush();
    else this.#date(line);
  }

  #other(line: string, number: number, terminated: boolean): void {
    if (!this.#date(line)) this.#context.report.skip(terminated ? 'stray-text' : 'truncated', number);
  }

  #date(line: string): boolean {
    const isDate = this.#snapshots.isDate(line);
    if (!isDate) return false;
    this.#flush();
    return this.#snapshots.takeDate(line);
  }

  /** Ends the scrape before if the sample cannot be part of it. */
  #follow(name: string, series: string): void {
    const isBack = name !== this.#lastName && this.#names.has(name);
    if (isBack || this.#series.has(series) || this.#series.size >= MOST_SAMPLES) this.#flush();
    this.#names.add(name);
    this.#series.add(series);
    this.#lastName = name;
  }

  #flush(): void {
    this.#names = new Set();
    this.#series = new Set();
    this.#lastName = '';
    if (!this.#scrape.isEmpty) this.#snapshots.emit(Number.NaN, this.#scrape.take());
  }
}
