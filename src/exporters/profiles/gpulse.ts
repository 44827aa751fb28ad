import { DEVICE_METRICS, MACHINE_METRICS, type Metric } from '../../model/catalogue.ts';
import { family, type SampleSink } from '../family.ts';
import { NO_LABELS } from '../labels.ts';
import type { Page, Profile, Steps } from '../page.ts';
import { writeDevices } from './gpulse-devices.ts';
import { deviceLabels, ownerLabels } from './gpulse-labels.ts';
import { ownerGaps, writeOwners } from './gpulse-owners.ts';
import { LabelCache } from './label-cache.ts';
import { type ReadingFamily, writeReadings } from './write-readings.ts';

function familyOf({ id, kind, help, slot }: Metric): ReadingFamily {
  return { family: family(kind === 'counter' ? 'counter' : 'gauge', `gpulse_${id}`, help.en), slot };
}

const DEVICES = DEVICE_METRICS.map(familyOf);
const MACHINE = MACHINE_METRICS.map(familyOf);

/** gpulse's own names: `gpulse_` before the id of the catalogue, base units, short labels. */
export function gpulseProfile(withOwner: boolean): Profile {
  const labels = new LabelCache(withOwner, (row, owner) => {
    const base = deviceLabels(row.device);
    return owner === null ? base : base.with(ownerLabels(owner));
  });
  return {
    series: DEVICES.map(({ slot, family: { name } }) => ({ slot, name })),
    never: [],
    gaps: ownerGaps,
    covers: () => true,
    *inSteps(page: Page, sink: SampleSink): Steps {
      const sets = page.rows.map((row) => labels.of(row));
      yield* writeReadings(sink, DEVICES, page.rows, sets);
      yield;
      writeDevices(page, sink, sets);
      yield;
      writeOwners(page, sink);
      writeMachine(page, sink);
      yield;
    },
  };
}

function writeMachine({ machine }: Page, sink: SampleSink): void {
  if (machine === null) return;
  for (const { family, slot } of MACHINE) {
    sink.begin(family);
    const value = machine.readings.number(slot);
    if (value !== null && Number.isFinite(value)) sink.add(NO_LABELS, value);
  }
}
