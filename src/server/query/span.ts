import type { Clock } from '../../model/clock.ts';
import type { Extent, Viewer } from '../../model/ports.ts';
import type { Reader } from '../../model/reader.ts';
import type { Millis } from '../../model/reading.ts';
import { MOMENT_NOTATION, type Moment, parseMoment } from './moment.ts';
import { badQuery, single } from './parameter.ts';

/** A time range: `from` inclusive, `to` exclusive, and `from` is the smaller. */
export interface Span {
  readonly from: Millis;
  readonly to: Millis;
}

export function momentParameter(description: string) {
  return single<Moment>({ expected: MOMENT_NOTATION, description, parse: parseMoment });
}

/** Where a span is read and what it is when the client does not say. */
interface SpanContext {
  readonly reader: Reader;
  readonly viewer: Viewer;
  readonly clock: Clock;
  readonly defaultMs: number;
}

/** The range between two moments; throws BAD_QUERY where it is empty. */
export async function resolveSpan(
  given: { readonly from?: Moment | undefined; readonly to?: Moment | undefined },
  context: SpanContext,
): Promise<Span> {
  const now = nowOf(context);
  const wantsAll = given.from?.kind === 'all' || given.to?.kind === 'all';
  const extent = wantsAll ? (await context.reader.status(context.viewer)).history.extent : null;
  const to = given.to === undefined ? now : at(given.to, now, extent === null ? now : extent.to + 1);
  const earliest = to - context.defaultMs;
  const from = given.from === undefined ? earliest : at(given.from, now, earliestOf(extent, earliest, to));
  if (from >= to) throw badQuery('from', new Date(from).toISOString(), `< to (${new Date(to).toISOString()})`);
  return { from, to };
}

/** Start of the whole extent. It is not a fault of the client when all there is lies behind `to`, or there is nothing. */
function earliestOf(extent: Extent | null, fallback: Millis, to: Millis): Millis {
  return extent === null || extent.from >= to ? fallback : extent.from;
}

function at(moment: Moment, now: Millis, all: Millis): Millis {
  if (moment.kind === 'at') return moment.at;
  return moment.kind === 'ago' ? now - moment.ms : all;
}

/**
 * What "now" means: for this machine the time of its clock, for a recording or a simulation just behind its newest
 * tick, so that `-15m` is the last quarter of an hour there is.
 */
function nowOf({ reader, viewer, clock }: SpanContext): Millis {
  const newest = reader.snapshot(viewer).at;
  return reader.source(viewer).origin === 'live' || newest === null ? clock.now() : newest + 1;
}
