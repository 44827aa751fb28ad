import { MACHINE_METRICS } from '../model/catalogue.ts';
import { absenceReason } from '../model/reading-set.ts';
import { family, type SampleSink } from './family.ts';
import { LabelSet } from './labels.ts';
import type { Page, Profile, Row } from './page.ts';

const ABSENT = family(
  'info',
  'gpulse_metric_absent_info',
  'Series that are missing, with the reason; the value is 1. Without gpu it is so for every device of this scope.',
);

/** Reason of a device whose last sample is too old to be exported. */
const STALE = 'stale';

type Scope = 'gpu' | 'mig';

/** Sets of labels that come again at every page. */
const shared = new Map<string, LabelSet>();

/**
 * Says why series are missing. Devices of a machine mostly lack the same, so that what all GPUs or all MIG instances lack
 * for one reason is said once; only what differs is said per device.
 */
export function writeAbsences(page: Page, profiles: readonly Profile[], sink: SampleSink): void {
  sink.begin(ABSENT);
  for (const profile of profiles) {
    const rows = page.rows.filter(({ device }) => profile.covers(device));
    for (const scope of ['gpu', 'mig'] as const) {
      writeScope(
        profile,
        scope,
        rows.filter((row) => scopeOf(row) === scope),
        sink,
      );
    }
    for (const row of rows) {
      for (const { name, reason, scope = scopeOf(row) } of profile.gaps?.(row) ?? [])
        sink.add(common(scope, name, reason).with(place(row)), 1);
    }
    if (rows.length > 0) for (const name of profile.never) sink.add(common('gpu', name, 'not-collected'), 1);
  }
  writeMachine(page, profiles, sink);
}

function writeScope({ series }: Profile, scope: Scope, rows: readonly Row[], sink: SampleSink): void {
  const [first] = rows;
  if (first === undefined) return;
  for (const { slot, name } of series) {
    const reason = reasonOf(first, slot);
    if (rows.every((row) => reasonOf(row, slot) === reason)) {
      if (reason !== null) sink.add(common(scope, name, reason), 1);
      continue;
    }
    for (const row of rows) {
      const its = reasonOf(row, slot);
      if (its !== null) sink.add(common(scope, name, its).with(place(row)), 1);
    }
  }
}

function writeMachine({ machine }: Page, profiles: readonly Profile[], sink: SampleSink): void {
  if (machine === null || !profiles.some(({ series }) => series.some(({ name }) => name.startsWith('gpulse_')))) return;
  for (const { slot, id } of MACHINE_METRICS) {
    const reading = machine.readings.at(slot);
    if (typeof reading !== 'number') sink.add(common('host', `gpulse_${id}`, reading.absent), 1);
  }
}

function scopeOf({ device }: Row): Scope {
  return device.mig === undefined ? 'gpu' : 'mig';
}

/** Null where the reading is there. */
function reasonOf({ readings }: Row, slot: number): string | null {
  if (readings === null) return STALE;
  const code = readings.codes[slot]!;
  if (code === 0) return Number.isFinite(readings.values[slot]) ? null : 'error';
  return absenceReason(code);
}

function common(scope: Scope | 'host' | 'owner', metric: string, reason: string): LabelSet {
  const key = `${scope} ${metric} ${reason}`;
  let labels = shared.get(key);
  if (labels === undefined) {
    labels = new LabelSet([
      ['metric', metric],
      ['reason', reason],
      ['scope', scope],
    ]);
    shared.set(key, labels);
  }
  return labels;
}

function place({ device }: Row): [string, string | number][] {
  return [
    ['gpu', device.index],
    ['uuid', device.uuid],
  ];
}
