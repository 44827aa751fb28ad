import { slotOf } from '../../model/catalogue.ts';
import { CLOCK_EVENT_REASONS } from '../../model/clock-events.ts';
import type { Device } from '../../model/device.ts';
import { isPresent } from '../../model/reading.ts';
import { family, type SampleSink } from '../family.ts';
import { LabelSet, NO_LABELS } from '../labels.ts';
import type { Page, Profile, Row, Steps } from '../page.ts';
import { dcgmBusId } from './dcgm-labels.ts';
import { LabelCache } from './label-cache.ts';
import { SMI_FAMILIES, SMI_MIG_FAMILIES, smiName } from './nvidia-smi-fields.ts';
import { writeReadings } from './write-readings.ts';

const info = (name: string, help: string) => ({ ...family('gauge', `nvidia_smi_${name}`, help), unit: null });

const GPU_INFO = info('gpu_info', 'What is known of a GPU and does not change; the value is 1.');
const INDEX = info('index', 'index');
const COUNT = info('count', 'count');
const MIG_INFO = info('mig_info', 'Identity of each MIG device; uuid is that of its GPU, the value is 1.');
const APPS = info('compute_apps', 'Processes that compute on the GPU.');
const APP_INFO = info('compute_app_info', 'Identity of a process that computes on a GPU; the value is 1.');
const APP_MEMORY = info('compute_app_used_memory_bytes', 'Device memory used by the process.');
const SUCCESS = info('last_collect_success', 'Whether the newest readings are fresh: 1 or 0.');
const SUCCESS_AT = info('last_collect_success_timestamp_seconds', 'When the newest readings were taken.');
const FAILED = family('counter', 'nvidia_smi_failed_scrapes_total', 'Readings that were due and were not taken.');
const XIDS = family('counter', 'nvidia_smi_xid_errors_total', 'Errors that the driver reported, by Xid, since start.');
const XID_AT = info('xid_last_timestamp_seconds', 'When this Xid was reported last.');

/** One series per reason; nvidia-smi has no field for some. */
const REASONS = CLOCK_EVENT_REASONS.flatMap(({ bit, smi }) =>
  smi === null
    ? []
    : [{ bit, family: info(smiName(`clocks_event_reasons.${smi}`, '').slice(11), `clocks_event_reasons.${smi}`) }],
);
const REASONS_SLOT = slotOf('clock_event_reasons');

/** What nvidia-smi prints where it has nothing. */
const NOTHING = '[N/A]';

/** nvidia_gpu_exporter's names: the fields of `nvidia-smi --query-gpu` in base units, with the UUID as only label. */
export function nvidiaSmiProfile(): Profile {
  const labels = new LabelCache(false, ({ device }) =>
    device.mig === undefined ? new LabelSet([['uuid', plainUuid(device.uuid)]]) : null,
  );
  const instances = new LabelCache(false, ({ device: { mig } }) =>
    mig === undefined || mig.gpuInstance === null
      ? null
      : new LabelSet([
          ['uuid', plainUuid(mig.parent)],
          ['gpu_instance_id', mig.gpuInstance],
        ]),
  );
  return {
    series: SMI_FAMILIES.map(({ slot, family: { name } }) => ({ slot, name })),
    never: ['nvidia_smi_display_attached', 'nvidia_smi_accounting_mode'],
    covers,
    *inSteps(page: Page, sink: SampleSink): Steps {
      const rows = page.rows.filter(({ device }) => covers(device));
      const sets = rows.map((row) => labels.of(row));
      yield* writeReadings(sink, SMI_FAMILIES, rows, sets);
      yield;
      writeReasons(rows, sets, sink);
      writeIdentity(rows, sets, sink);
      yield;
      yield* writeInstances(rows, instances, sink);
      writeApps(rows, sink);
      writeXids(page, rows, sets, sink);
      writeHealth(page, sink);
      yield;
    },
  };
}

function covers({ vendor }: Device): boolean {
  return vendor === 'nvidia' || vendor === 'unknown';
}

/** Lower case and without `GPU-` before it, as this exporter has it. */
function plainUuid(uuid: string): string {
  return uuid.toLowerCase().replace(/^gpu-/, '');
}

type Sets = readonly (LabelSet | null)[];

function writeReasons(rows: readonly Row[], sets: Sets, sink: SampleSink): void {
  for (const { bit, family } of REASONS) {
    sink.begin(family);
    rows.forEach(({ readings }, i) => {
      const mask = readings?.number(REASONS_SLOT) ?? null;
      const labels = sets[i];
      if (labels != null && mask !== null) sink.add(labels, (mask & bit) === 0 ? 0 : 1);
    });
  }
}

function writeIdentity(rows: readonly Row[], sets: Sets, sink: SampleSink): void {
  const cards = rows.flatMap(({ device }, i) => (sets[i] == null ? [] : [{ device, labels: sets[i] }]));
  sink.begin(GPU_INFO);
  for (const { device } of cards) sink.add(infoLabels(device), 1);
  sink.begin(INDEX);
  for (const { device, labels } of cards) sink.add(labels, device.index);
  sink.begin(COUNT);
  for (const { labels } of cards) sink.add(labels, cards.length);
}

const infos = new WeakMap<Device, LabelSet>();

function infoLabels(device: Device): LabelSet {
  const { uuid, name, driverVersion, pciBusId, serial, index, facts } = device;
  const known = infos.get(device);
  if (known !== undefined) return known;
  const labels = new LabelSet([
    ['uuid', plainUuid(uuid)],
    ['name', name],
    ['driver_model_current', NOTHING],
    ['driver_model_pending', NOTHING],
    ['vbios_version', facts?.vbios ?? NOTHING],
    ['driver_version', driverVersion ?? NOTHING],
    ['pci_bus_id', dcgmBusId(pciBusId) ?? NOTHING],
    ['serial', serial ?? NOTHING],
    ['compute_cap', facts?.['compute-capability'] ?? NOTHING],
    ['pci_sub_device_id', NOTHING],
    ['index', index],
    ['cuda_version', facts?.['cuda-version'] ?? NOTHING],
  ]);
  infos.set(device, labels);
  return labels;
}

function* writeInstances(rows: readonly Row[], instances: LabelCache, sink: SampleSink): Steps {
  sink.begin(MIG_INFO);
  const seen = new Set<string>();
  const first: Row[] = [];
  for (const row of rows) {
    const { mig, uuid } = row.device;
    if (mig === undefined) continue;
    const identity = new LabelSet([
      ['uuid', plainUuid(mig.parent)],
      ['mig_uuid', uuid],
      ['gpu_instance_id', mig.gpuInstance],
      ['compute_instance_id', mig.computeInstance],
      ['profile', mig.profile],
    ]);
    sink.add(identity, 1);
    const key = `${mig.parent} ${mig.gpuInstance}`;
    // The memory is that of the GPU instance: its compute instances share it.
    if (!seen.has(key)) first.push(row);
    seen.add(key);
  }
  yield* writeReadings(
    sink,
    SMI_MIG_FAMILIES,
    first,
    first.map((row) => instances.of(row)),
  );
}

function writeApps(rows: readonly Row[], sink: SampleSink): void {
  const apps: { labels: LabelSet; memory: number | null }[] = [];
  const counts = new Map<string, number>();
  for (const { device, view, readings } of rows) {
    if (readings === null || 'absent' in view.processes) continue;
    const uuid = plainUuid(device.mig?.parent ?? device.uuid);
    const computing = view.processes.filter(({ kind }) => kind !== 'graphics');
    counts.set(uuid, (counts.get(uuid) ?? 0) + computing.length);
    for (const { pid, name, memoryBytes } of computing) {
      const labels = new LabelSet([
        ['uuid', uuid],
        ['pid', pid],
        ['process_name', name ?? '[Not Found]'],
      ]);
      apps.push({ labels, memory: isPresent(memoryBytes) ? memoryBytes : null });
    }
  }
  sink.begin(APPS);
  for (const [uuid, count] of counts) sink.add(new LabelSet([['uuid', uuid]]), count);
  // A process in two instances of one card has one series there.
  const own = [...new Map(apps.map((app) => [app.labels.text, app])).values()];
  sink.begin(APP_INFO);
  for (const { labels } of own) sink.add(labels, 1);
  sink.begin(APP_MEMORY);
  for (const { labels, memory } of own) if (memory !== null) sink.add(labels, memory);
}

function writeXids({ memory }: Page, rows: readonly Row[], sets: Sets, sink: SampleSink): void {
  const each = (write: (labels: LabelSet, count: ReturnType<typeof memory.xids>[number]) => void): void =>
    rows.forEach(({ device }, i) => {
      const labels = sets[i];
      if (labels == null) return;
      for (const count of memory.xids(device.uuid)) write(labels.with([['xid', count.xid]]), count);
    });
  sink.begin(XIDS);
  each((labels, { total }) => sink.add(labels, total));
  sink.begin(XID_AT);
  each((labels, { last }) => sink.add(labels, last / 1000));
}

function writeHealth({ source, at }: Page, sink: SampleSink): void {
  sink.begin(SUCCESS);
  sink.add(NO_LABELS, source.state === 'running' && source.reason === null ? 1 : 0);
  sink.begin(SUCCESS_AT);
  if (at !== null) sink.add(NO_LABELS, at / 1000);
  sink.begin(FAILED);
  sink.add(NO_LABELS, source.missedTicks);
}
