import type { Clock } from '../../model/clock.ts';
import { isoTime } from '../../model/format.ts';
import type { Extent, Viewer } from '../../model/ports.ts';
import type { Reader } from '../../model/reader.ts';
import type { Millis } from '../../model/reading.ts';
import { MOMENT_NOTATION, type Moment, parseMoment } from './moment.ts';
import { emptySpan, single } from './parameter.ts';

/** A time range: `from` inclusive, `to` exclusive, and `from` is the smaller. */
export interface Span {
  readonly from: Millis;
  readonly to: Millis;
}

export function momentParameter(description: string) {
  const parse = (text: string): GivenMoment | undefined => {
    const moment = parseMoment(text);
    return moment === undefined ? undefined : { ...moment, text };
  };
  return single<GivenMoment>({ expected: MOMENT_NOTATION, description, parse });
}

/** A moment with the text that a client wrote for it. */
type GivenMoment = Moment & { readonly text: string };

/** Where a span is read and what it is when the client does not say. */
interface SpanContext {
  readonly reader: Reader;
  readonly viewer: Viewer;
  readonly clock: Clock;
  readonly defaultMs: number;
}

/** The range between two moments; throws BAD_QUERY where it is empty. */
export async function resolveSpan(
  given: { readonly from?: GivenMoment | undefined; readonly to?: GivenMoment | undefined },
  context: SpanContext,
): Promise<Span> {
  const { reader, viewer, defaultMs } = context;
  const wantsAll = given.from?.kind === 'all' || given.to?.kind === 'all';
  const isRecorded = reader.source(viewer).origin === 'recorded';
  const extent = wantsAll || isRecorded ? (await reader.status(viewer)).history.extent : null;
  const now = nowOf(context, extent);
  const end = extent === null ? now : extent.to + 1;
  const latest = given.from?.kind === 'all' ? Math.max(now, end) : now;
  const to = given.to === undefined ? latest : at(given.to, now, end);
  const earliest = Math.max(to - defaultMs, 0);
  const from = given.from === undefined ? earliest : at(given.from, now, earliestOf(extent, earliest, to));
  if (from >= to) throw emptySpan(given.from?.text ?? isoTime(from), given.to?.text ?? 'now');
  return { from, to };
}

/** Start of the whole extent. It is not a fault of the client when all there is lies behind `to`, or there is nothing. */
function earliestOf(extent: Extent | null, fallback: Millis, to: Millis): Millis {
  return extent === null || extent.from >= to ? fallback : extent.from;
}

function at(moment: Moment, now: Millis, all: Millis): Millis {
  if (moment.kind === 'at') return moment.at;
  // Nothing is older than the epoch, which is not far away for a host that booted without a clock.
  return moment.kind === 'ago' ? Math.max(now - moment.ms, 0) : all;
}

/**
 * What "now" means: for this machine the time of its clock, else just behind the newest there is, so that `-15m` is the
 * last quarter of an hour there is. The last row of a recording is not its newest where its clock was set back.
 */
function nowOf({ reader, viewer, clock }: SpanContext, extent: Extent | null): Millis {
  const { origin } = reader.source(viewer);
  const seen = reader.snapshot(viewer).at;
  const newest = origin === 'recorded' && extent !== null ? Math.max(extent.to, seen ?? 0) : seen;
  return origin === 'live' || newest === null ? clock.now() : newest + 1;
}
