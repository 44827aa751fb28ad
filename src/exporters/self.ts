import type { SinkStatus } from '../model/exposition.ts';
import type { SourceStatus } from '../model/reader.ts';
import { type Family, family, type SampleSink } from './family.ts';
import { LabelSet, NO_LABELS, placeOf } from './labels.ts';
import type { Page } from './page.ts';

const BUILD = family('info', 'gpulse_build_info', 'Version of gpulse; the value is 1.');
const SOURCE = family('info', 'gpulse_source_info', 'Where the readings come from; the value is 1.');
const STATE = family(
  'gauge',
  'gpulse_source_state',
  'State of the source: 1 for the state it is in, 0 for the others.',
);
const STATES: readonly SourceStatus['state'][] = ['searching', 'running', 'stalled', 'ended', 'released'];

/** Figures without labels; null leaves one out. */
const FIGURES: readonly { readonly family: Family; readonly of: (page: Page) => number | null }[] = [
  {
    family: family('gauge', 'gpulse_devices', 'Devices listed, lost ones and MIG instances included.'),
    of: ({ rows }) => rows.length,
  },
  {
    family: family('gauge', 'gpulse_interval_seconds', 'Time between two ticks as configured.'),
    of: ({ source }) => source.intervalMs / 1000,
  },
  {
    family: family('gauge', 'gpulse_last_tick_timestamp_seconds', 'Time of the newest tick.'),
    of: ({ at }) => (at === null ? null : at / 1000),
  },
  {
    family: family(
      'gauge',
      'gpulse_data_age_seconds',
      'Time from the arrival of the newest tick until this page was made, hardly more than a second ago. It grows while the driver is silent.',
    ),
    of: ({ now, source }) => (source.lastTickAt === null ? null : Math.max(0, now - source.lastTickAt) / 1000),
  },
  {
    family: family('counter', 'gpulse_ticks_total', 'Ticks sampled since the source was opened.'),
    of: ({ source }) => source.ticks?.count ?? null,
  },
  {
    family: family('counter', 'gpulse_tick_seconds_total', 'Time spent on sampling, waiting for the driver included.'),
    of: ({ source }) => source.ticks?.seconds ?? null,
  },
  {
    family: family('gauge', 'gpulse_tick_duration_seconds', 'How long the newest tick took.'),
    of: ({ source }) => source.ticks?.lastSeconds ?? null,
  },
  {
    family: family(
      'counter',
      'gpulse_missed_ticks_total',
      'Ticks that were due while the one before was still sampled.',
    ),
    of: ({ source }) => source.missedTicks,
  },
  {
    family: family('gauge', 'process_resident_memory_bytes', 'Resident memory size in bytes.'),
    of: ({ own }) => own.residentBytes,
  },
  {
    family: family('counter', 'process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.'),
    of: ({ own }) => own.cpuSeconds,
  },
  {
    family: family('gauge', 'process_start_time_seconds', 'Start time of the process since unix epoch in seconds.'),
    of: ({ own }) => own.startedAt / 1000,
  },
];

const ERRORS = family(
  'counter',
  'gpulse_reading_errors_total',
  'Readings that the driver answered with an error or an impossible value, over all ticks since start.',
);

const SINKS: readonly { readonly family: Family; readonly of: (sink: SinkStatus) => number }[] = [
  { family: family('gauge', 'gpulse_sink_queue_batches', 'Batches that wait to be sent.'), of: ({ queued }) => queued },
  {
    family: family('gauge', 'gpulse_sink_queue_capacity_batches', 'Batches that may wait; more push out the oldest.'),
    of: ({ capacity }) => capacity,
  },
  {
    family: family('counter', 'gpulse_sink_sent_samples_total', 'Samples that the receiver has taken.'),
    of: ({ sentSamples }) => sentSamples,
  },
  {
    family: family(
      'counter',
      'gpulse_sink_lost_samples_total',
      'Samples given up: the queue was full, or they were refused.',
    ),
    of: ({ lostSamples }) => lostSamples,
  },
  {
    family: family('counter', 'gpulse_sink_failures_total', 'Attempts to send that failed, retried ones included.'),
    of: ({ failures }) => failures,
  },
];

/** What gpulse tells of itself, whatever the profiles are. */
export function writeSelf(page: Page, sink: SampleSink): void {
  const { version, source, host, sinks, rows, memory } = page;
  sink.begin(BUILD);
  sink.add(
    new LabelSet([
      ['version', version],
      ['node', process.versions.node],
    ]),
    1,
  );
  sink.begin(SOURCE);
  sink.add(
    new LabelSet([
      ['host', host],
      ['name', source.name],
      ['origin', source.origin],
    ]),
    1,
  );
  sink.begin(STATE);
  for (const state of STATES) sink.add(NO_LABELS.and('state', state), source.state === state ? 1 : 0);
  for (const { family, of } of FIGURES) {
    const value = of(page);
    sink.begin(family);
    if (value !== null) sink.add(NO_LABELS, value);
  }
  sink.begin(ERRORS);
  for (const { device } of rows) sink.add(placeOf(device), memory.failedReadings(device.uuid));
  for (const { family, of } of SINKS) {
    sink.begin(family);
    for (const status of sinks) sink.add(NO_LABELS.and('sink', status.name), of(status));
  }
}
