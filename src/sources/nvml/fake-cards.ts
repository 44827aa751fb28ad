import { CATALOGUE, type MetricId } from '../../model/catalogue.ts';
import type { GpuProcess } from '../../model/process.ts';
import type { AbsenceReason, Reading } from '../../model/reading.ts';
import { absenceReason, ReadingSet } from '../../model/reading-set.ts';
import { Activity } from './activity.ts';
import { closeDriver, type Driver, openDriver } from './driver.ts';
import { FakeDriver, type FakeDriverOptions } from './fake-driver.ts';
import { GpmLock } from './gpm-lock.ts';
import { Gpu } from './gpu.ts';
import { Abandoned } from './nvml.ts';
import type { MetricFacts } from './plan.ts';
import { readProcesses } from './process-list.ts';
import { PARTIAL, RECORD_SIZE } from './process-record.ts';
import { ProcessReader } from './processes.ts';
import { Progress } from './progress.ts';
import { symbol } from './symbols.ts';

const HANDLE_BY_INDEX = symbol('nvmlDeviceGetHandleByIndex_v2');
const HANDLE_BY_INDEX_V1 = symbol('nvmlDeviceGetHandleByIndex');

const FACTS = Object.fromEntries(CATALOGUE.map(({ id, slot, cadence }) => [id, { slot, cadence }])) as MetricFacts;

export interface ProcessAnswer {
  /** Null where the list is absent. */
  readonly processes: readonly GpuProcess[] | null;
  /** Why it is absent or only a part. */
  readonly reason: AbsenceReason | null;
}

/** For tests only: cards of a fake driver that are read on this thread, part by part. */
export class FakeCards {
  readonly driver: FakeDriver;
  readonly native: Driver;
  readonly progress = new Progress();
  readonly gpus: readonly Gpu[];
  readonly lock = new GpmLock();
  readonly activity = new Activity(FACTS, this.lock);
  readonly processes: ProcessReader;
  #isClosed = false;

  constructor(options: FakeDriverOptions = {}, count = 1) {
    this.driver = new FakeDriver(options);
    const opened = openDriver(this.driver.library, this.progress);
    if (!opened.ok) throw new Error(`the fake driver cannot be opened: ${opened.failure.code}`);
    this.native = opened.driver;
    this.gpus = Array.from({ length: count }, (_, index) => this.#open(index));
    this.processes = new ProcessReader(this.native.nvml, this.native.version);
  }

  get gpu(): Gpu {
    return this.gpus[0]!;
  }

  /** The processes of each card in one tick. */
  list(): readonly ProcessAnswer[] {
    const { processes, native } = this;
    processes.clear();
    const codes = this.gpus.map((gpu, position) => processes.read(native.nvml, gpu, position));
    const { records, count } = processes.table;
    const lists = readProcesses(
      records.slice(0, count * RECORD_SIZE),
      this.gpus.map(() => null),
    );
    return codes.map((code, position) => ({
      processes: code === 0 || (code & PARTIAL) !== 0 ? lists[position]! : null,
      reason: code === 0 ? null : absenceReason(code & ~PARTIAL),
    }));
  }

  /** Reads what belongs to activity of the first card. */
  sample(): ReadingSet {
    this.activity.read(this.native.nvml, this.gpu);
    return new ReadingSet(this.gpu.row.values, this.gpu.row.codes);
  }

  read(metric: MetricId): Reading {
    return this.sample().get(metric);
  }

  /** Frees and shuts down, as a worker does; the driver can still be asked how often it was called. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.activity.release(this.native.nvml);
    try {
      closeDriver(this.native);
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
    }
  }

  #open(index: number): Gpu {
    const { nvml } = this.native;
    const code = nvml.callFirst([HANDLE_BY_INDEX, HANDLE_BY_INDEX_V1], index, nvml.out);
    if (code !== 0) throw new Error(`card ${index} cannot be opened: ${code}`);
    const gpu = new Gpu(
      {
        uuid: `GPU-${index}`,
        vendor: 'nvidia',
        name: 'fake',
        index,
        pciBusId: null,
        minor: null,
        serial: null,
        driverVersion: null,
      },
      { row: CATALOGUE.length, readers: 0 },
    );
    gpu.handle = nvml.handle();
    return gpu;
  }
}

const open: FakeCards[] = [];

export function openCards(script = '', options: FakeDriverOptions = {}, count = 1): FakeCards {
  const cards = new FakeCards({ ...options, script: `gpus ${Math.max(count, 1)}\n${script}` }, count);
  open.push(cards);
  return cards;
}

/** Closes what {@link openCards} opened. */
export function closeCards(): void {
  for (const cards of open.splice(0)) {
    cards.driver.script('');
    cards.close();
    cards.driver.dispose();
  }
}
