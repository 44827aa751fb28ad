import type { GpuProcess } from '../../../model/process.ts';
import { type Absent, absent, type Reading } from '../../../model/reading.ts';
import { DcgmValues } from '../dcgm/values.ts';
import type { Identity } from '../log-devices.ts';
import type { RecordingReport } from '../report.ts';
import { RowReadings } from '../row-readings.ts';
import { MOST_DEVICES, type SnapshotDevice } from '../snapshots.ts';
import { type Family, familyOf, isGpuName, type Target } from './families.ts';
import { LabelIdentity, type LabelledDevice } from './identity.ts';

type Labels = ReadonlyMap<string, string>;

/** A series that has a meaning. */
export interface KnownSeries extends LabelledDevice {
  readonly name: string;
  readonly labels: Labels;
  readonly target: Target;
}

interface Entry {
  readonly series: KnownSeries;
  readonly written: string;
}

interface Draft {
  identity: Identity;
  readonly entries: Entry[];
  readonly line: number;
}

/** Series beyond so many are left out: what has more is no scrape of GPUs. */
const KNOWN_SERIES = 100_000;

/** Puts the samples of one moment together, device by device. */
export class Scrape {
  readonly #report: RecordingReport;
  readonly #readings: RowReadings;
  readonly #values: DcgmValues;
  readonly #labels = new LabelIdentity();
  readonly #families = new Map<string, Family | null>();
  readonly #known = new Map<string, KnownSeries | null>();
  #drafts = new Map<string, Draft>();

  constructor(report: RecordingReport) {
    this.#report = report;
    this.#readings = new RowReadings(report);
    this.#values = new DcgmValues(this.#readings);
  }

  get isEmpty(): boolean {
    return this.#drafts.size === 0;
  }

  /** The series of this text, if it has been met: null where it is not about a GPU. */
  known(key: string): KnownSeries | null | undefined {
    return this.#known.get(key);
  }

  /** What a series means, which is looked up once for its text `key`; null where it is not about a GPU. */
  meaning(key: string, name: string, labels: Labels, line: number): KnownSeries | null {
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    if (this.#known.size >= KNOWN_SERIES) {
      this.#report.skip('too-large', line);
      return null;
    }
    const family = this.#familyOf(name);
    const device = family === null ? null : this.#labels.find(labels, family);
    const found = family === null || device === null ? null : { ...device, name, labels, target: family.target };
    if (found === null && !isUsual(name)) this.#report.skip('unknown-series', line);
    this.#known.set(key, found);
    return found;
  }

  #familyOf(name: string): Family | null {
    const known = this.#families.get(name);
    if (known !== undefined) return known;
    const family = familyOf(name);
    if (this.#families.size < KNOWN_SERIES) this.#families.set(name, family);
    return family;
  }

  add(series: KnownSeries, written: string, line: number): void {
    const draft = this.#drafts.get(series.key);
    if (draft === undefined && this.#drafts.size >= MOST_DEVICES) {
      this.#report.skip('too-large', line);
      return;
    }
    if (draft === undefined) {
      this.#drafts.set(series.key, { identity: series.identity, entries: [{ series, written }], line });
      return;
    }
    draft.identity = merged(draft.identity, series.identity);
    draft.entries.push({ series, written });
  }

  /** The devices of the moment, with what was said of each. */
  take(): SnapshotDevice[] {
    const drafts = [...this.#drafts.values()];
    this.#drafts = new Map();
    return drafts.map((draft) => this.#device(draft));
  }

  #device({ identity, entries, line }: Draft): SnapshotDevice {
    this.#readings.begin(line);
    this.#values.begin();
    for (const entry of entries) this.#put(entry, false);
    for (const entry of entries) this.#put(entry, true);
    return {
      identity,
      readings: this.#values.take(),
      processes: processesOf(entries),
      lost: false,
      line,
      ...this.#values.xid(),
    };
  }

  /** First what is certain, then, where nothing is known yet, its aliases. */
  #put({ series: { name, target }, written }: Entry, isAlias: boolean): void {
    if (target.kind === 'dcgm' && !isAlias) this.#values.add(target.field, written, name);
    if (target.kind !== 'metric' || target.isAlias !== isAlias || this.#readings.isSet(target.metric)) return;
    this.#readings.text(target.metric, written, target.scale, name);
  }
}

/** Series that exporters have beside those of a device, or without a metric for them: that they are left out is no loss. */
function isUsual(name: string): boolean {
  return isGpuName(name) || /^(?:go|process|promhttp|python|scrape|net|node)_|^(?:up|ALERTS)$/.test(name);
}

function merged(known: Identity, more: Identity): Identity {
  return {
    ...known,
    pciBusId: known.pciBusId ?? more.pciBusId,
    serial: known.serial ?? more.serial,
    index: known.index ?? more.index,
    name: known.name ?? more.name,
    driverVersion: known.driverVersion ?? more.driverVersion,
    ...(known.facts === undefined && more.facts !== undefined ? { facts: more.facts } : {}),
  };
}

/** The processes an exporter lists in series of their own. */
function processesOf(entries: readonly Entry[]): readonly GpuProcess[] | Absent {
  const listed = entries.filter(({ series }) => series.target.kind === 'process');
  if (listed.length === 0) return absent('not-collected');
  const processes = new Map<number, GpuProcess>();
  for (const { series, written } of listed) {
    const pid = Number(series.labels.get('pid') ?? Number.NaN);
    if (!Number.isSafeInteger(pid) || pid <= 0) continue;
    const before = processes.get(pid);
    const isMemory = series.target.kind === 'process' && series.target.isMemory;
    const memoryBytes: Reading = isMemory ? bytesOf(written) : (before?.memoryBytes ?? absent('not-collected'));
    const path = series.labels.get('process_name') ?? '';
    const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) || null;
    processes.set(pid, { pid, kind: 'compute', memoryBytes, name: before?.name ?? name, user: null });
  }
  return [...processes.values()];
}

function bytesOf(written: string): Reading {
  const bytes = Number(written);
  return Number.isFinite(bytes) && bytes >= 0 ? bytes : absent('error');
}
