import { JsonLineReader } from '../json-line-reader.ts';
import { isObject, parseLoosely } from '../loose-json.ts';
import type { FormatContext } from '../rows.ts';
import { Snapshots } from '../snapshots.ts';
import { Scrape } from './scrape.ts';
import { TimedSamples } from './timed-samples.ts';

/**
 * Reads answers of the query API series by series. Answers to several queries may follow each other: their samples are
 * put together by time.
 */
export class PrometheusApiReader extends JsonLineReader {
  readonly #snapshots: Snapshots;
  readonly #scrape: Scrape;
  readonly #timed: TimedSamples;

  constructor(context: FormatContext) {
    super(context, ['data', 'result']);
    this.#snapshots = new Snapshots(context);
    this.#scrape = new Scrape(context.report);
    this.#timed = new TimedSamples(context, this.#scrape, this.#snapshots);
  }

  override get isHolding(): boolean {
    return !this.#timed.isEmpty;
  }

  element(text: string, line: number): void {
    const series = parseLoosely(text);
    const metric = isObject(series) ? series['metric'] : undefined;
    if (!isObject(series) || !isObject(metric)) {
      this.context.report.skip('broken-document', line);
      return;
    }
    const name = typeof metric['__name__'] === 'string' ? metric['__name__'] : '';
    const labels = new Map(
      Object.entries(metric).flatMap(([key, value]) =>
        key === '__name__' || typeof value !== 'string' ? [] : [[key, value] as const],
      ),
    );
    const known = this.#scrape.meaning(JSON.stringify(metric), name, labels, line);
    if (known === null) return;
    const { value, values } = series;
    const points = Array.isArray(values) ? values : [value];
    for (const point of points) {
      const [time, written] = pointOf(point);
      if (!Number.isNaN(time)) this.#timed.add(known, time, written, line);
    }
  }

  document(rest: string, line: number): void {
    const document = parseLoosely(rest);
    if (isObject(document) && document['status'] === 'error') this.context.report.skip('stray-text', line);
  }

  protected isDate(): boolean {
    return false;
  }

  override settle(): void {
    this.#timed.flush();
  }

  /** See {@link FormatReader.drain}. */
  drain(): boolean {
    return this.#timed.drain();
  }

  override end(): void {
    super.end();
    this.#timed.flush();
  }
}

/** `[1743099740.063, "7964"]` in milliseconds and as a number; a time of NaN for anything else. */
function pointOf(point: unknown): readonly [number, number] {
  if (!Array.isArray(point) || typeof point[0] !== 'number') return [Number.NaN, Number.NaN];
  const written = point[1];
  return [Math.round(point[0] * 1000), typeof written === 'string' && written !== '' ? Number(written) : Number.NaN];
}
