import type { Metric, MetricId } from '../../model/catalogue.ts';
import { GPM_METRIC_LIST } from './gpm-metrics.ts';
import type { PlannedReader, Reader } from './reader.ts';
import { CLOCK_EVENT_READERS } from './readings/clock-events.ts';
import { CLOCK_READERS } from './readings/clocks.ts';
import { ECC_READERS } from './readings/ecc.ts';
import { ECC_PLACE_READERS } from './readings/ecc-places.ts';
import { FABRIC_READERS } from './readings/fabric.ts';
import { FAN_READERS } from './readings/fan.ts';
import { MEMORY_READERS } from './readings/memory.ts';
import { MEMORY_REPAIR_READERS } from './readings/memory-repair.ts';
import { MODE_READERS } from './readings/modes.ts';
import { NVLINK_READERS } from './readings/nvlink.ts';
import { PCIE_ERROR_READERS } from './readings/pcie-errors.ts';
import { PCIE_LINK_READERS } from './readings/pcie-link.ts';
import { POWER_READERS } from './readings/power.ts';
import { TEMPERATURE_READERS } from './readings/temperature.ts';
import { UTILISATION_READERS } from './readings/utilisation.ts';
import { codeOf } from './row.ts';
import { SAMPLED_METRICS } from './sample-buffer-list.ts';
import { TICK_FIELDS } from './tick-field-list.ts';

/** Every subject that is read by calls of its own. The fields of every tick, PCIe traffic and processes stand beside it. */
const READERS: readonly Reader[] = [
  ...UTILISATION_READERS,
  ...MEMORY_READERS,
  ...TEMPERATURE_READERS,
  ...FAN_READERS,
  ...POWER_READERS,
  ...CLOCK_READERS,
  ...CLOCK_EVENT_READERS,
  ...PCIE_LINK_READERS,
  ...PCIE_ERROR_READERS,
  ...NVLINK_READERS,
  ...FABRIC_READERS,
  ...ECC_READERS,
  ...ECC_PLACE_READERS,
  ...MEMORY_REPAIR_READERS,
  ...MODE_READERS,
];

/** What the worker has to know of the catalogue; the catalogue itself, with its texts, stays in the main thread. */
export type MetricFacts = Readonly<Record<MetricId, Pick<Metric, 'slot' | 'cadence'>>>;

/** Which readers run when: by the cadence of their metrics in the catalogue. */
export interface Plan {
  /** Once per open. */
  readonly static: readonly PlannedReader[];
  /** Every tick. */
  readonly fast: readonly PlannedReader[];
  /** Every tick, of MIG instances. */
  readonly instance: readonly PlannedReader[];
  /** In turn, see {@link Rota}. */
  readonly slow: readonly PlannedReader[];
  readonly readerCount: number;
  /** Cells in the row of a GPU. */
  readonly rowSize: number;
  /** Codes of a row of which nothing has been read yet: what nobody asks NVIDIA's driver for will never be there. */
  readonly blank: Uint8Array;
}

/**
 * With `only`, of what does not change with every tick just what one of these metrics needs is asked. Throws where a reader
 * mixes cadences: then one call would serve two rhythms.
 */
export function makePlan(facts: MetricFacts, only: readonly MetricId[] | null = null): Plan {
  const isWanted = ({ metrics }: Reader): boolean => only === null || metrics.some((id) => only.includes(id));
  const planned = READERS.map((reader, number) => ({
    ...reader,
    number,
    slots: reader.metrics.map((id) => facts[id].slot),
    cadence: cadenceOf(reader, facts),
  }));
  return {
    static: planned.filter((reader) => reader.cadence === 'static' && isWanted(reader)),
    fast: planned.filter(({ cadence }) => cadence === 'fast'),
    instance: planned.filter(({ ofInstances }) => ofInstances === true),
    slow: planned.filter((reader) => reader.cadence === 'slow' && isWanted(reader)),
    readerCount: planned.length,
    rowSize: Object.keys(facts).length,
    blank: blankRow(facts),
  };
}

function blankRow(facts: MetricFacts): Uint8Array {
  const asked: readonly MetricId[] = [
    ...READERS.flatMap(({ metrics }) => metrics),
    ...[...TICK_FIELDS, ...GPM_METRIC_LIST].map(({ metric }) => metric),
    ...SAMPLED_METRICS,
  ];
  const blank = new Uint8Array(Object.keys(facts).length).fill(codeOf('not-supported'));
  for (const id of asked) blank[facts[id].slot] = codeOf('not-collected');
  return blank;
}

function cadenceOf({ metrics }: Reader, facts: MetricFacts): Metric['cadence'] {
  const cadences = new Set(metrics.map((id) => facts[id].cadence));
  const [cadence] = cadences;
  if (cadence === undefined || cadences.size > 1)
    throw new Error(`BUG: ${metrics.join()} have ${cadences.size} cadences`);
  return cadence;
}
