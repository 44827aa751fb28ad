import { slotOf } from '../../model/catalogue.ts';
import { CLOCK_EVENT_REASONS } from '../../model/clock-events.ts';
import { DEVICE_FACTS } from '../../model/device.ts';
import { isPresent, type Reading } from '../../model/reading.ts';
import type { NvLink } from '../../model/tick.ts';
import { writeDeviceStates } from '../device-states.ts';
import { type Family, family, type SampleSink } from '../family.ts';
import { LabelSet } from '../labels.ts';
import type { Page, Row } from '../page.ts';
import { deviceTitle } from './gpulse-labels.ts';

const INFO = family('info', 'gpulse_device_info', 'What is known of a device and does not change; the value is 1.');
const REASON = family(
  'gauge',
  'gpulse_clock_event_active',
  'Whether this reason holds the clocks below their maximum: 1 or 0.',
);
const FAN = family('gauge', 'gpulse_fan_ratio', 'Intended speed of each fan as a share of the maximum.');
const XIDS = family(
  'counter',
  'gpulse_xid_errors_total',
  'Errors that the NVIDIA driver reported, by Xid, since start.',
);
const XID_AT = family('gauge', 'gpulse_xid_last_timestamp_seconds', 'When this Xid was reported last.');

const REASONS_SLOT = slotOf('clock_event_reasons');
const REASON_LABEL = { name: 'reason', values: CLOCK_EVENT_REASONS.map(({ id }) => id) };

const LINK_UP = family('gauge', 'gpulse_nvlink_link_up', 'Whether the NVLink port is up: 1 or 0.');
const LINK_ERRORS: readonly { readonly family: Family; readonly of: (link: NvLink) => Reading }[] = [
  {
    family: family('counter', 'gpulse_nvlink_link_crc_errors_total', 'Checksum errors of one NVLink port.'),
    of: (link) => link.crcErrors,
  },
  {
    family: family('counter', 'gpulse_nvlink_link_replay_errors_total', 'Packets that one NVLink port sent again.'),
    of: (link) => link.replayErrors,
  },
  {
    family: family('counter', 'gpulse_nvlink_link_recovery_errors_total', 'How often one NVLink port had to recover.'),
    of: (link) => link.recoveryErrors,
  },
];

/** What is told of devices beside the readings of the catalogue; `sets` has the labels of each row. */
export function writeDevices(page: Page, sink: SampleSink, sets: readonly (LabelSet | null)[]): void {
  const each = (write: (row: Row, labels: LabelSet) => void): void =>
    page.rows.forEach((row, i) => {
      const labels = sets[i];
      if (labels != null) write(row, labels);
    });
  sink.begin(INFO);
  for (const row of page.rows) sink.add(infoLabels(row, page.host), 1);
  writeDeviceStates(page, sink, sets);
  sink.begin(REASON);
  each(({ readings }, labels) => {
    const mask = readings?.number(REASONS_SLOT) ?? null;
    if (mask === null) return;
    const sets = labels.eachOf(REASON_LABEL);
    for (let i = 0; i < sets.length; i++) sink.add(sets[i]!, (mask & CLOCK_EVENT_REASONS[i]!.bit) === 0 ? 0 : 1);
  });
  writeParts(each, sink);
  sink.begin(XIDS);
  each(({ device }, labels) => {
    for (const { xid, total } of page.memory.xids(device.uuid)) sink.add(labels.and('xid', String(xid)), total);
  });
  sink.begin(XID_AT);
  each(({ device }, labels) => {
    for (const { xid, last } of page.memory.xids(device.uuid)) {
      sink.add(labels.and('xid', String(xid)), last / 1000);
    }
  });
}

type EachRow = (write: (row: Row, labels: LabelSet) => void) => void;

function writeParts(each: EachRow, sink: SampleSink): void {
  sink.begin(FAN);
  each(({ readings, view }, labels) => {
    if (readings === null) return;
    view.details?.fans?.forEach((reading, fan) => {
      if (isPresent(reading)) sink.add(labels.and('fan', String(fan)), reading);
    });
  });
  sink.begin(LINK_UP);
  each(({ readings, view }, labels) => {
    if (readings === null) return;
    for (const { link, isActive } of view.details?.links ?? []) {
      sink.add(labels.and('link', String(link)), isActive ? 1 : 0);
    }
  });
  for (const { family, of } of LINK_ERRORS) {
    sink.begin(family);
    each(({ readings, view }, labels) => {
      if (readings === null) return;
      for (const link of view.details?.links ?? []) {
        const reading = of(link);
        if (isPresent(reading)) sink.add(labels.and('link', String(link.link)), reading);
      }
    });
  }
}

const infos = new WeakMap<Row['device'], { host: string; labels: LabelSet }>();

function infoLabels({ device }: Row, host: string): LabelSet {
  const before = infos.get(device);
  if (before?.host === host) return before.labels;
  const { index, uuid, name, vendor, pciBusId, minor, serial, driverVersion, mig, facts } = device;
  const labels = new LabelSet([
    ['gpu', index],
    ['uuid', uuid],
    ['host', host],
    ['device', deviceTitle(device)],
    ['name', name],
    ['vendor', vendor],
    ['pci_bus_id', pciBusId],
    ['minor', minor],
    ['serial', serial],
    ['driver_version', driverVersion],
    ...DEVICE_FACTS.map((fact) => [fact.replaceAll('-', '_'), facts?.[fact]] as const),
    ['gpu_instance', mig?.gpuInstance],
    ['compute_instance', mig?.computeInstance],
    ['mig_profile', mig?.profile],
    ['parent_uuid', mig?.parent],
  ]);
  infos.set(device, { host, labels });
  return labels;
}
