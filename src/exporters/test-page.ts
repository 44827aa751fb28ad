import { CATALOGUE, type MetricId, slotOf } from '../model/catalogue.ts';
import type { Device } from '../model/device.ts';
import type { GpuProcess } from '../model/process.ts';
import type { DeviceView, Snapshot, SourceStatus } from '../model/reader.ts';
import type { Reading } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { testDevice, testSample } from '../model/scripted-source.ts';
import { TextWriter } from './exposition/text-format.ts';
import { createPageWriter, type NamingOptions } from './metric-profiles.ts';
import { createPage, type Page, writeWhole } from './page.ts';
import { TickMemory } from './tick-memory.ts';

/** For tests only: pages of devices that a test describes. */

export const NOW = Date.UTC(2026, 10, 30, 12);

export const NAMING: NamingOptions = {
  profiles: ['gpulse'],
  ownerLabels: false,
  dcgm: { hostLabel: 'Hostname', names: 'legacy', fields: 'common' },
};

const SOURCE: SourceStatus = {
  name: 'nvml',
  origin: 'live',
  state: 'running',
  reason: null,
  lastTickAt: NOW,
  intervalMs: 1000,
  releasedUntil: null,
  missedTicks: 2,
  ticks: { count: 10, seconds: 0.5, lastSeconds: 0.04 },
  notices: [],
};

/** A device with these readings and nothing else. */
export function viewOf(
  device: Device,
  readings: Partial<Record<MetricId, Reading>>,
  facts: Partial<DeviceView> = {},
): DeviceView {
  const set = new ReadingSet();
  for (const [id, reading] of Object.entries(readings)) set.set(slotOf(id as MetricId), reading);
  return { ...testSample(device, { readings: set, ...facts }), at: NOW - 500, ...facts };
}

/** A device of which every reading is there, each with a value of its own. */
export function wholeView(device: Device, facts: Partial<DeviceView> = {}): DeviceView {
  const readings = new ReadingSet();
  for (const { slot, unit } of CATALOGUE) readings.setValue(slot, unit === 'ratio' ? (slot % 100) / 100 : slot + 1);
  return viewOf(device, {}, { readings, ...facts });
}

export function gpu(index: number, facts: Partial<Device> = {}): Device {
  return testDevice(index, {
    uuid: `GPU-${index}a`,
    name: 'NVIDIA H100 80GB HBM3',
    pciBusId: `0000:${index}a:00.0`,
    driverVersion: '570.86.15',
    ...facts,
  });
}

export function migOf(card: Device, gpuInstance: number, computeInstance = 0): Device {
  const uuid = `MIG-${card.index}-${gpuInstance}-${computeInstance}`;
  return { ...card, uuid, mig: { parent: card.uuid, gpuInstance, computeInstance, profile: '3g.40gb' } };
}

export function processOf(pid: number, facts: Partial<GpuProcess> = {}): GpuProcess {
  return { pid, kind: 'compute', memoryBytes: 2 ** 30, name: 'python', user: null, smRatio: 0.25, ...facts };
}

/** A process of a pod. */
export function podProcess(pid: number, pod: string, facts: Partial<GpuProcess> = {}): GpuProcess {
  const ref = { uid: `uid-${pod}`, namespace: 'ml', name: pod, container: 'main' };
  return processOf(pid, { owner: { container: null, pod: ref, job: null, unit: null }, ...facts });
}

interface PageFacts {
  readonly source?: Partial<SourceStatus>;
  readonly memory?: TickMemory;
  readonly machine?: Snapshot['machine'];
  readonly sinks?: Page['sinks'];
}

export function pageOf(devices: readonly DeviceView[], facts: PageFacts = {}): Page {
  const { source = {}, memory = new TickMemory(), machine, sinks = [] } = facts;
  const snapshot = { sequence: 1, at: NOW - 500, devices, ...(machine !== undefined && { machine }) };
  return createPage(snapshot, {
    host: 'node-1',
    version: '1.2.3',
    now: NOW,
    source: { ...SOURCE, ...source },
    memory,
    sinks,
    own: { residentBytes: 5e7, cpuSeconds: 1.5, startedAt: NOW - 60_000 },
  });
}

/** Lines of samples of the page, without headers. */
export function linesOf(page: Page, naming: Partial<NamingOptions> = {}): readonly string[] {
  return textOf(page, naming)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

export function textOf(
  page: Page,
  naming: Partial<NamingOptions> = {},
  format: 'prometheus' | 'openmetrics' = 'prometheus',
) {
  const writer = new TextWriter(format);
  writeWhole(createPageWriter('node-1', { ...NAMING, ...naming }).inSteps(page, writer));
  return writer.finish().toString();
}
