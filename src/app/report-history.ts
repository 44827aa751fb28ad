import { conclude, type Diagnosis, TICKS_TELL } from '../diagnosis/diagnosis.ts';
import { TickLog } from '../diagnosis/window/tick-log.ts';
import type { Clock } from '../model/clock.ts';
import { AppError } from '../model/errors.ts';
import { isoTime } from '../model/format.ts';
import type { Lang } from '../model/i18n/text.ts';
import type { StoredTick } from '../model/ports.ts';
import { absent } from '../model/reading.ts';
import type { Tick } from '../model/tick.ts';
import { openTicks } from './open-ticks.ts';
import { resolveSpan, type SpanWords } from './report-span.ts';

/** Events of a report at most: more cannot be read. */
export const MOST_EVENTS = 10_000;

/**
 * Diagnoses a stretch of the history of a directory, whether a process writes it or not, and whether its samples are there
 * or in an engine. Throws what opening it throws, and NOTHING_RECORDED.
 */
export async function diagnoseHistory(
  directory: string,
  words: SpanWords,
  { clock, lang }: { readonly clock: Clock; readonly lang: Lang },
): Promise<Diagnosis> {
  const reader = await openTicks(directory, { until: Number.POSITIVE_INFINITY }, clock);
  try {
    const { from, to } = resolveSpan(words, reader.extent(), clock.now(), lang);
    const log = new TickLog();
    const events = reader.events?.({ from, to, limit: MOST_EVENTS }) ?? [];
    if (events.length > 0) log.add({ at: from, monotonic: from, devices: [], events });
    for await (const tick of reader.ticks(from, to)) log.add(asTick(tick));
    if (log.length === 0) throw new AppError('NOTHING_RECORDED', { from: isoTime(from), to: isoTime(to) });
    return conclude(log, {
      ...TICKS_TELL,
      name: directory,
      format: 'history',
      seesXids: reader.events !== undefined,
    });
  } finally {
    reader.close();
  }
}

function asTick({ at, samples, host }: StoredTick): Tick {
  return {
    at,
    monotonic: at,
    devices: samples.map((sample) => ({ ...sample, processes: absent('not-collected') })),
    events: [],
    ...(host === null ? {} : { host: { readings: host, cpuRatios: new Float64Array(0) } }),
  };
}
