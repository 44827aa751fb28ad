import { MACHINE_METRICS } from '../model/catalogue.ts';
import { absenceCode, absenceReason } from '../model/reading-set.ts';
import { family, type SampleSink } from './family.ts';
import { LabelSet, placeOf } from './labels.ts';
import type { Page, Profile, Row } from './page.ts';

const ABSENT = family(
  'info',
  'gpulse_metric_absent_info',
  'Series that are missing, with the reason; the value is 1. Without gpu it is so for every device of this scope that answers.',
);

const PRESENT = 0;
/** Of a device whose last sample is too old to be exported. */
const STALE = -1;
/** Of a number that no series can have. */
const ERROR = absenceCode('error');

type Scope = 'gpu' | 'mig';

/** Sets of labels that come again at every page. */
const shared = new Map<string, LabelSet>();

/**
 * Says why series are missing. Devices of a machine mostly lack the same, so that what all GPUs or all MIG instances lack
 * for one reason is said once; only what differs is said per device. One that does not answer changes nothing of what is
 * said of the others, and of it only what is missing that they have.
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
        sink.add(common(scope, name, reason).before(placeOf(row.device)), 1);
    }
    if (rows.length > 0) for (const name of profile.never) sink.add(common('gpu', name, 'not-collected'), 1);
  }
  writeMachine(page, profiles, sink);
}

function writeScope({ series }: Profile, scope: Scope, rows: readonly Row[], sink: SampleSink): void {
  const answering = rows.filter(({ view }) => view.state === 'ok');
  const alike = answering.length > 0 ? answering : rows;
  const [first] = alike;
  if (first === undefined) return;
  for (const { slot, name } of series) {
    const code = codeOf(first, slot);
    if (isSameForAll(alike, slot, code) && (code !== PRESENT || alike.length === rows.length)) {
      if (code !== PRESENT) sink.add(common(scope, name, reasonOf(code)), 1);
      continue;
    }
    for (const row of rows) {
      const its = codeOf(row, slot);
      if (its !== PRESENT) sink.add(common(scope, name, reasonOf(its)).before(placeOf(row.device)), 1);
    }
  }
}

/** A loop without a function for each row: it asks of every series of every device. */
function isSameForAll(rows: readonly Row[], slot: number, code: number): boolean {
  for (const row of rows) if (codeOf(row, slot) !== code) return false;
  return true;
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

/** Why the reading is missing: {@link PRESENT}, {@link STALE}, or the code that a set of readings has for the reason. */
function codeOf({ readings }: Row, slot: number): number {
  if (readings === null) return STALE;
  const code = readings.codes[slot]!;
  return code !== PRESENT || Number.isFinite(readings.values[slot]) ? code : ERROR;
}

function reasonOf(code: number): string {
  return code === STALE ? 'stale' : absenceReason(code);
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
