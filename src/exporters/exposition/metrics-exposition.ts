import { promisify } from 'node:util';
import { constants, gzip, gzipSync } from 'node:zlib';
import type { Clock, Stop } from '../../model/clock.ts';
import type { Exposition, ExpositionPage, ExpositionRequest } from '../../model/exposition.ts';
import type { Viewer } from '../../model/ports.ts';
import type { PageWriter } from '../metric-profiles.ts';
import type { Page } from '../page.ts';
import { acceptsGzip, chooseFormat } from './negotiation.ts';
import { ScrapeRhythm } from './scrape-rhythm.ts';
import { TEXT_FORMATS, type TextFormat, TextWriter } from './text-format.ts';

const compress = promisify(gzip);

/**
 * A page is made for whoever asks first after a tick and shared with all who ask before the next. While no tick comes it
 * is made anew after this long, since it tells how old its data is.
 */
const MOST_AGE_MS = 1000;

/** A page that is made ahead may be asked for so much sooner, and so much later, than it is expected to be. */
const LEAD_MS = MOST_AGE_MS / 2;

/** The fastest level: pages are so repetitive that a higher one saves little and costs the scraper its time. */
const LEVEL = { level: constants.Z_BEST_SPEED };

/**
 * Pages up to this length are compressed at once, in less than two milliseconds (the 366 KiB of 64 GPUs in 1.1): handing
 * one to another thread and waiting for it takes as long again, and a short page keeps the event loop as busy with that
 * alone.
 */
const MOST_BYTES_AT_ONCE = 512 * 1024;

/** Room for a page that is somewhat longer than the one before, and for its last piece counted at its worst. */
const SPARE_BYTES = 65_536;

interface Made {
  readonly sequence: number;
  readonly at: number;
  readonly plain: Buffer;
  compressed: Buffer | Promise<Buffer> | null;
  /** Whether somebody has the text and may still read it. */
  isGiven: boolean;
  isCompressing: boolean;
}

/** What a page is asked for as, by whom, and when. */
interface Demand {
  readonly viewer: Viewer;
  readonly format: TextFormat;
  readonly isCompressed: boolean;
  readonly rhythm: ScrapeRhythm;
  /** Number of the newest tick, and when it came on the monotonic clock. */
  sequence: number;
  tickedAt: number;
  /** Drops the page that is going to be made ahead. */
  drop: Stop;
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
  readonly #made = new Map<string, Made>();
  readonly #demands = new Map<string, Demand>();

  constructor(parts: ExpositionParts) {
    this.#parts = parts;
  }

  async page({ viewer, accept, acceptEncoding }: ExpositionRequest): Promise<ExpositionPage> {
    const format = chooseFormat(accept);
    const isCompressed = acceptsGzip(acceptEncoding);
    const { rhythm, sequence, tickedAt } = this.#demand(viewer, format, isCompressed);
    rhythm.asked(sequence, this.#parts.clock.monotonic() - tickedAt);
    const made = this.#make(viewer, format);
    const contentType = TEXT_FORMATS[format];
    if (isCompressed) return { contentType, encoding: 'gzip', body: await compressed(made) };
    made.isGiven = true;
    return { contentType, encoding: null, body: made.plain };
  }

  /** Takes note of a new tick. Pages that are about to be asked for are made soon, not now: others wait for the tick. */
  ticked(): void {
    const { sequence, clock } = this.#parts;
    for (const demand of this.#demands.values()) {
      const newest = sequence(demand.viewer);
      // What happened without a new sample of any device is told by the next tick that has some.
      if (newest === demand.sequence) continue;
      demand.sequence = newest;
      demand.tickedAt = clock.monotonic();
      demand.drop();
      const afterMs = demand.rhythm.expectedAfterMs(newest);
      if (afterMs === null) continue;
      demand.drop = clock.after(Math.max(0, afterMs - LEAD_MS), () => void this.#makeAhead(demand));
    }
  }

  /** Makes no page ahead any more. */
  close(): void {
    for (const { drop } of this.#demands.values()) drop();
    this.#demands.clear();
  }

  async #makeAhead({ viewer, format, isCompressed }: Demand): Promise<void> {
    try {
      const made = this.#make(viewer, format);
      if (isCompressed) await compressed(made);
    } catch {
      // Whoever asks for the page meets the same fault, and there it is reported.
    }
  }

  #demand(viewer: Viewer, format: TextFormat, isCompressed: boolean): Demand {
    const key = `${viewer.kind} ${format} ${isCompressed}`;
    let demand = this.#demands.get(key);
    if (demand === undefined) {
      const { sequence, clock } = this.#parts;
      demand = {
        ...{ viewer, format, isCompressed, rhythm: new ScrapeRhythm() },
        ...{ sequence: sequence(viewer), tickedAt: clock.monotonic(), drop: () => {} },
      };
      this.#demands.set(key, demand);
    }
    return demand;
  }

  #make(viewer: Viewer, format: TextFormat): Made {
    const { writer, page, sequence, clock } = this.#parts;
    const key = `${viewer.kind} ${format}`;
    const [newest, now] = [sequence(viewer), clock.monotonic()];
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

/** The page as it is sent, compressed by whoever wants it first. */
function compressed(made: Made): Buffer | Promise<Buffer> {
  made.compressed ??= made.plain.length > MOST_BYTES_AT_ONCE ? compressAside(made) : gzipSync(made.plain, LEVEL);
  return made.compressed;
}

async function compressAside(made: Made): Promise<Buffer> {
  made.isCompressing = true;
  try {
    return await compress(made.plain, LEVEL);
  } finally {
    made.isCompressing = false;
  }
}
