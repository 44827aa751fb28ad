import type { Clock, Stop } from '../../model/clock.ts';
import type { Exposition, ExpositionPage, ExpositionRequest } from '../../model/exposition.ts';
import type { Viewer } from '../../model/ports.ts';
import type { PageWriter } from '../metric-profiles.ts';
import type { Page } from '../page.ts';
import { acceptsGzip, chooseFormat } from './negotiation.ts';
import { MOST_AGE_MS, PageMaker, STAND_IN_MS } from './page-maker.ts';
import { ScrapeRhythm } from './scrape-rhythm.ts';
import { TEXT_FORMATS, type TextFormat } from './text-format.ts';

/** A page that is made ahead may be asked for so much sooner, and so much later, than it is expected to be. */
const LEAD_MS = MOST_AGE_MS / 2;

/** Who is expected so shortly after a tick is given the page of the tick before, and may come as much later again. */
const TURN_MS = STAND_IN_MS / 2;

/** The page of one form, and when it is asked for. */
interface Form {
  readonly maker: PageMaker;
  readonly rhythm: ScrapeRhythm;
  /** Whether it was asked for in gzip the last time. */
  isCompressed: boolean;
  /** Forgets the page that is going to be made ahead. */
  forget: Stop;
}

interface ExpositionParts {
  readonly writer: PageWriter;
  /** What is known now, as this viewer may see it. */
  readonly page: (viewer: Viewer) => Page;
  /** Number of the newest tick. */
  readonly sequence: (viewer: Viewer) => number;
  readonly clock: Clock;
}

/**
 * The page that is scraped: text made once per tick and form, compressed at most once. Where scrapers keep a rhythm it is
 * made before they ask, so that they do not wait for it.
 */
export class MetricsExposition implements Exposition {
  readonly #parts: ExpositionParts;
  readonly #forms = new Map<string, Form>();

  constructor(parts: ExpositionParts) {
    this.#parts = parts;
  }

  async page({ viewer, accept, acceptEncoding }: ExpositionRequest): Promise<ExpositionPage> {
    const format = chooseFormat(accept);
    const form = this.#form(viewer, format);
    form.rhythm.asked(this.#parts.clock.monotonic());
    form.isCompressed = acceptsGzip(acceptEncoding);
    const page = form.maker.page();
    const contentType = TEXT_FORMATS[format];
    if (form.isCompressed) return { contentType, encoding: 'gzip', body: await page.compressed() };
    return { contentType, encoding: null, body: page.plain() };
  }

  /** Takes note of a new tick. Pages that are about to be asked for are made soon, not now: others wait for the tick. */
  ticked(): void {
    const { clock } = this.#parts;
    for (const form of this.#forms.values()) {
      const sinceBefore = form.maker.ticked();
      if (sinceBefore === null) continue;
      form.forget();
      const now = clock.monotonic();
      const expected = form.rhythm.next(now, now + TURN_MS, now + sinceBefore + TURN_MS);
      if (expected === null) continue;
      form.forget = clock.after(Math.max(0, expected - LEAD_MS - now), () => makeAhead(form));
    }
  }

  /** Makes no page ahead any more. */
  close(): void {
    for (const { forget, maker } of this.#forms.values()) {
      forget();
      maker.drop();
    }
    this.#forms.clear();
  }

  #form(viewer: Viewer, format: TextFormat): Form {
    const key = `${viewer.kind} ${format}`;
    const known = this.#forms.get(key);
    if (known !== undefined) return known;
    const { writer, clock, page, sequence } = this.#parts;
    const maker = new PageMaker({
      ...{ format, writer, clock },
      ...{ page: () => page(viewer), sequence: () => sequence(viewer) },
    });
    const form: Form = { maker, rhythm: new ScrapeRhythm(), isCompressed: false, forget: () => {} };
    this.#forms.set(key, form);
    return form;
  }
}

function makeAhead({ maker, isCompressed }: Form): void {
  maker.makeAhead((page) => {
    // A fault is that of whoever asks.
    if (isCompressed) Promise.resolve(page.compressed()).catch(() => {});
  });
}
