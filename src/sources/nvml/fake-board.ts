import { CATALOGUE, type MetricId } from '../../model/catalogue.ts';
import type { AbsenceReason } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { CODE, ENABLED } from './abi.ts';
import { runReader } from './answers.ts';
import { closeDriver, type Driver, openDriver } from './driver.ts';
import { FakeDriver, type FakeDriverOptions } from './fake-driver.ts';
import { Gpu } from './gpu.ts';
import { identify } from './identity.ts';
import { type MetricFacts, makePlan } from './plan.ts';
import { Progress } from './progress.ts';
import { countFans } from './readings/fan.ts';
import { symbol } from './symbols.ts';
import { TICK_FIELDS } from './tick-field-list.ts';
import { TickFields } from './tick-fields.ts';

const HANDLE_BY_INDEX = [symbol('nvmlDeviceGetHandleByIndex_v2'), symbol('nvmlDeviceGetHandleByIndex')];
const MIG_MODE = symbol('nvmlDeviceGetMigMode');

const FACTS = Object.fromEntries(CATALOGUE.map(({ id, slot, cadence }) => [id, { slot, cadence }])) as MetricFacts;
const PLAN = makePlan(FACTS);
const READERS = [...PLAN.static, ...PLAN.slow, ...PLAN.fast];

/** Every metric that a reader or the fields of the ticks look after. */
export const BOARD_METRICS: readonly MetricId[] = [
  ...READERS.flatMap(({ metrics }) => metrics),
  ...TICK_FIELDS.map(({ metric }) => metric),
];

/** For tests only: cards of a fake driver, all of whose readers run on this thread, at once and as often as is wanted. */
export class FakeBoard {
  readonly driver: FakeDriver;
  readonly native: Driver;
  readonly gpus: readonly Gpu[];
  readonly fields = new TickFields(FACTS);

  constructor(options: FakeDriverOptions, count: number) {
    this.driver = new FakeDriver(options);
    const opened = openDriver(this.driver.library, new Progress());
    if (!opened.ok) throw new Error(`the fake driver cannot be opened: ${opened.failure.code}`);
    this.native = opened.driver;
    this.gpus = Array.from({ length: count }, (_, index) => this.#open(index));
  }

  /** Runs every reader on every card, and the fields of one tick. */
  read(): void {
    const { nvml } = this.native;
    for (const gpu of this.gpus) {
      this.fields.read(nvml, gpu);
      for (const reader of READERS) runReader(nvml, gpu, reader);
    }
  }

  readings(index = 0): ReadingSet {
    const { row } = this.gpus[index]!;
    return new ReadingSet(row.values, row.codes);
  }

  /** What these metrics are: a number, or the reason why there is none. */
  values<Id extends MetricId>(metrics: readonly Id[], index = 0): Partial<Record<Id, number | AbsenceReason>> {
    const readings = this.readings(index);
    const shown = metrics.map((id) => {
      const reading = readings.get(id);
      return [id, typeof reading === 'number' ? reading : reading.absent];
    });
    return Object.fromEntries(shown) as Partial<Record<Id, number | AbsenceReason>>;
  }

  close(): void {
    closeDriver(this.native);
    this.driver.dispose();
  }

  #open(index: number): Gpu {
    const { nvml, version } = this.native;
    const code = nvml.callFirst(HANDLE_BY_INDEX, index, nvml.out);
    if (code !== CODE.ok) throw new Error(`card ${index} cannot be opened: ${code}`);
    const handle = nvml.handle();
    const gpu = new Gpu(identify(nvml, handle, index, version), {
      row: CATALOGUE.length,
      readers: PLAN.readerCount,
    });
    gpu.handle = handle;
    gpu.fans = countFans(nvml, handle);
    gpu.mig = nvml.call(MIG_MODE, handle, nvml.out, nvml.ignored) === CODE.ok && nvml.out[0] === ENABLED;
    return gpu;
  }
}

const open: FakeBoard[] = [];

/** Opens cards on a new fake driver and runs every reader once. */
export function readBoard(script = '', options: Omit<FakeDriverOptions, 'script'> = {}, count = 1): FakeBoard {
  const board = new FakeBoard({ ...options, script: `gpus ${count}\n${script}` }, count);
  open.push(board);
  board.read();
  return board;
}

/** Closes what {@link readBoard} opened. */
export function closeBoards(): void {
  for (const board of open.splice(0)) board.close();
}
