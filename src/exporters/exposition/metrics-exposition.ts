import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Exposition, ExpositionPage, ExpositionRequest } from '../../model/exposition.ts';
import type { Viewer } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import type { PageWriter } from '../metric-profiles.ts';
import type { Page } from '../page.ts';
import { acceptsGzip, chooseFormat } from './negotiation.ts';
import { TEXT_FORMATS, type TextFormat, TextWriter } from './text-format.ts';

const compress = promisify(gzip);

/**
 * A page is made for whoever asks first after a tick and shared with all who ask before the next. While no tick comes it
 * is made anew after this long, since it tells how old its data is.
 */
const MOST_AGE_MS = 1000;

/** The fastest level: pages are so repetitive that a higher one saves little and costs the scraper its time. */
const LEVEL = { level: constants.Z_BEST_SPEED };

/** Room for a page that is somewhat longer than the one before, and for its last piece counted at its worst. */
const SPARE_BYTES = 65_536;

interface Made {
  readonly sequence: number;
  readonly at: Millis;
  readonly plain: Buffer;
  compressed: Promise<Buffer> | null;
  /** Whether somebody has the text and may still read it. */
  isGiven: boolean;
  isCompressing: boolean;
}

interface ExpositionParts {
  readonly writer: PageWriter;
  /** What is known now, as this viewer may see it. */
  readonly page: (viewer: Viewer) => Page;
  /** Number of the newest tick. */
  readonly sequence: (viewer: Viewer) => number;
  /** Milliseconds on a clock that is never stepped. */
  readonly monotonic: () => number;
}

/** The page that is scraped: text made once per tick and form, compressed at most once. */
export class MetricsExposition implements Exposition {
  readonly #parts: ExpositionParts;
  readonly #made = new Map<string, Made>();

  constructor(parts: ExpositionParts) {
    this.#parts = parts;
  }

  async page({ viewer, accept, acceptEncoding }: ExpositionRequest): Promise<ExpositionPage> {
    const format = chooseFormat(accept);
    const made = this.#make(viewer, format);
    const contentType = TEXT_FORMATS[format];
    if (!acceptsGzip(acceptEncoding)) {
      made.isGiven = true;
      return { contentType, encoding: null, body: made.plain };
    }
    made.compressed ??= compressText(made);
    return { contentType, encoding: 'gzip', body: await made.compressed };
  }

  #make(viewer: Viewer, format: TextFormat): Made {
    const { writer, page, sequence, monotonic } = this.#parts;
    const key = `${viewer.kind} ${format}`;
    const [newest, now] = [sequence(viewer), monotonic()];
    const before = this.#made.get(key);
    if (before !== undefined && before.sequence === newest && now - before.at < MOST_AGE_MS) return before;
    const text = new TextWriter(format, before === undefined ? undefined : roomAfter(before));
    writer.write(page(viewer), text);
    const made: Made = {
      ...{ sequence: newest, at: now, plain: text.finish() },
      ...{ compressed: null, isGiven: false, isCompressing: false },
    };
    this.#made.set(key, made);
    return made;
  }
}

/**
 * Where the next page is written. The text of a page outlives young garbage: were each to have memory of its own, hundreds
 * of them would pile up until the next full collection.
 */
function roomAfter({ plain, isGiven, isCompressing }: Made): Buffer {
  const isRead = isGiven || isCompressing;
  return isRead ? Buffer.allocUnsafeSlow(plain.length + SPARE_BYTES) : Buffer.from(plain.buffer);
}

async function compressText(made: Made): Promise<Buffer> {
  made.isCompressing = true;
  try {
    return await compress(made.plain, LEVEL);
  } finally {
    made.isCompressing = false;
  }
}
