import { conclude, type Diagnosis, TICKS_TELL } from '../diagnosis/diagnosis.ts';
import { WATCHED_METRICS } from '../diagnosis/live/watched-metrics.ts';
import { TickLog } from '../diagnosis/window/tick-log.ts';
import type { ApiEvents, ApiGpu, ApiGpus, ApiHealth, ApiSeries } from '../model/api.ts';
import { findMetric, slotOf } from '../model/catalogue.ts';
import type { Device } from '../model/device.ts';
import { AppError } from '../model/errors.ts';
import type { GpuEvent } from '../model/event.ts';
import { isoTime } from '../model/format.ts';
import type { Lang } from '../model/i18n/text.ts';
import { absent, type Millis } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { type DeviceSample, HOST_UUID, type Tick } from '../model/tick.ts';
import { MAX_BUCKETS } from '../server/limits.ts';
import { MOST_EVENTS } from './report-history.ts';
import { resolveSpan, type SpanWords } from './report-span.ts';
import { getJson } from './server-request.ts';
import { reportsXids } from './watch-findings.ts';

/** A question may name so many metrics. */
const METRICS_AT_ONCE = 32;

/** So many samples of each are asked for at once, and in all: more is seen less finely. */
const POINTS_AT_ONCE = 1200;
const MOST_POINTS = 24_000;

const ANSWER_MS = 60_000;

/** Diagnoses a stretch of the history of a server. Throws what asking it throws, and NOTHING_RECORDED. */
export async function diagnoseServer(
  server: URL,
  words: SpanWords,
  { lang }: { readonly lang: Lang },
): Promise<Diagnosis> {
  const ask = <T>(path: string): Promise<T> => getJson<T>(server, path, lang, ANSWER_MS);
  const [health, now] = await Promise.all([ask<ApiHealth>('health'), ask<ApiGpus>('gpus')]);
  const { from: first, to: last } = health.history;
  const extent = first === null || last === null ? null : { from: first, to: last };
  const span = resolveSpan(words, extent, health.source.origin === 'live' ? health.now : (last ?? health.now), lang);
  const from = Math.max(span.from, first ?? span.from);
  const to = Math.min(span.to, (last ?? span.to) + 1);
  const log = new TickLog({ metrics: WATCHED_METRICS });
  const { events } = await ask<ApiEvents>(`events?from=${span.from}&to=${span.to}&limit=${MOST_EVENTS}`);
  if (events.length > 0) log.add({ at: from, monotonic: from, devices: [], events: events.map(eventOf) });
  const stepMs = Math.max(health.source.intervalMs, Math.ceil((to - from) / MOST_POINTS));
  const points = Math.min(POINTS_AT_ONCE, Math.floor(MAX_BUCKETS / METRICS_AT_ONCE / (now.gpus.length + 1)));
  for (let start = from; start < to; start += points * stepMs) {
    const end = Math.min(to, start + points * stepMs);
    const grids = await Promise.all(
      questions(now, start, end, Math.max(1, Math.ceil((end - start) / stepMs))).map((path) => ask<ApiSeries>(path)),
    );
    for (const tick of ticksOf(grids, now.gpus, lossesIn(events))) log.add(tick);
  }
  if (log.length === 0) throw new AppError('NOTHING_RECORDED', { from: isoTime(span.from), to: isoTime(span.to) });
  return conclude(log, {
    ...TICKS_TELL,
    name: `${health.host} (${server.href})`,
    format: 'history',
    seesXids: reportsXids(health.source),
  });
}

/** What is asked of a piece of time: only what the server has at all. */
function questions({ gpus, machine }: ApiGpus, from: Millis, to: Millis, points: number): string[] {
  const has = (id: string): boolean =>
    gpus.some(({ readings }) => readings[id] != null) || machine?.readings[id] != null;
  const ids = WATCHED_METRICS.filter(has);
  const host = ids.some((id) => findMetric(id)?.scope === 'host') ? `,${HOST_UUID}` : '';
  const devices = gpus.map(({ uuid }) => encodeURIComponent(uuid)).join(',') + host;
  const parts = Array.from({ length: Math.ceil(ids.length / METRICS_AT_ONCE) }, (_, i) =>
    ids.slice(i * METRICS_AT_ONCE, (i + 1) * METRICS_AT_ONCE),
  );
  return parts.map((part) => `series?metric=${part.join(',')}&gpu=${devices}&from=${from}&to=${to}&points=${points}`);
}

/** When devices were lost: for each the times from which, and from which no more. */
function lossesIn(events: readonly Pick<GpuEvent, 'at' | 'kind' | 'uuid'>[]): (uuid: string, at: Millis) => boolean {
  const changes = events.filter(({ kind }) => kind === 'gpu-lost' || kind === 'gpu-back');
  return (uuid, at) => changes.filter((one) => one.uuid === uuid && one.at <= at).at(-1)?.kind === 'gpu-lost';
}

/** Samples at the times of the grids, which are the same for all. */
function* ticksOf(
  grids: readonly ApiSeries[],
  gpus: readonly ApiGpu[],
  isLost: (uuid: string, at: Millis) => boolean,
): Generator<Tick> {
  const known = gpus.map((gpu) => ({ device: deviceOf(gpu), series: seriesOf(grids, gpu.uuid) }));
  const machine = seriesOf(grids, HOST_UUID);
  for (const [index, at] of (grids[0]?.at ?? []).entries()) {
    const devices = known.flatMap(({ device, series }): DeviceSample[] => {
      const isGone = isLost(device.uuid, at);
      const readings = isGone ? null : readingsAt(series, index);
      if (readings === null && !isGone) return [];
      return [
        {
          device,
          state: isGone ? 'lost' : 'ok',
          readings: readings ?? ReadingSet.allAbsent('gpu-lost'),
          processes: absent('not-collected'),
        },
      ];
    });
    const host = readingsAt(machine, index);
    if (devices.length === 0 && host === null) continue;
    const cpuRatios = new Float64Array(0);
    yield { at, monotonic: at, devices, events: [], ...(host === null ? {} : { host: { readings: host, cpuRatios } }) };
  }
}

function seriesOf(grids: readonly ApiSeries[], gpu: string): ApiSeries['series'] {
  return grids.flatMap(({ series }) => series.filter((one) => one.gpu === gpu));
}

/** Counters and bits are as they were at most in a bucket; null where nothing was read. */
function readingsAt(series: ApiSeries['series'], index: number): ReadingSet | null {
  let set: ReadingSet | null = null;
  for (const { metric, mean, max } of series) {
    const entry = findMetric(metric);
    const value = entry?.kind === 'gauge' && entry.unit !== 'bits' ? mean[index] : max[index];
    if (entry === undefined || value == null) continue;
    set ??= new ReadingSet();
    set.setValue(slotOf(entry.id), value);
  }
  return set;
}

function deviceOf({ uuid, index, name, vendor, pciBusId, driverVersion, minor, serial, facts, mig }: ApiGpu): Device {
  return {
    ...{ uuid, index, name, vendor, pciBusId, driverVersion, minor, serial },
    facts: Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)),
    ...(mig === null ? {} : { mig }),
  };
}

function eventOf({ at, kind, severity, uuid, params, key }: ApiEvents['events'][number]): GpuEvent {
  return { at, kind, severity, uuid, params, ...(key === undefined ? {} : { key }) };
}
