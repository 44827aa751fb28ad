import type { DeviceState } from '../model/device.ts';
import { family, type SampleSink } from './family.ts';
import type { LabelSet } from './labels.ts';
import type { Page } from './page.ts';

const UP = family(
  'gauge',
  'gpulse_device_up',
  'Whether the device answers: 1 where its newest sample is fresh, else 0.',
);
const STATE = family(
  'gauge',
  'gpulse_device_state',
  'State of the device: 1 for the state it is in, 0 for the others. A device that is lost or stale has no readings.',
);
const AGE = family(
  'gauge',
  'gpulse_sample_age_seconds',
  'Time from the newest sample of the device until this page was made, hardly more than a second ago.',
);

const STATES: readonly DeviceState[] = ['ok', 'lost', 'asleep', 'stale'];
const STATE_LABEL = { name: 'state', values: STATES };

/** Whether the devices answer: on every page, whatever its names. `sets` has the labels of each row; null leaves one out. */
export function writeDeviceStates(
  { rows, source, now }: Page,
  sink: SampleSink,
  sets: readonly (LabelSet | null)[],
): void {
  sink.begin(UP);
  rows.forEach(({ view }, i) => {
    const labels = sets[i];
    if (labels != null) sink.add(labels, view.state === 'ok' ? 1 : 0);
  });
  sink.begin(STATE);
  rows.forEach(({ view }, i) => {
    const each = sets[i]?.eachOf(STATE_LABEL);
    if (each !== undefined) for (const [k, state] of STATES.entries()) sink.add(each[k]!, view.state === state ? 1 : 0);
  });
  sink.begin(AGE);
  // How long ago a recording was made says nothing of the device.
  if (source.origin === 'recorded') return;
  rows.forEach(({ view }, i) => {
    const labels = sets[i];
    if (labels != null) sink.add(labels, Math.max(0, now - view.at) / 1000);
  });
}
