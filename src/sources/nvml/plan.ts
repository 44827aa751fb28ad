import type { Metric, MetricId } from '../../model/catalogue.ts';
import { CLOCK_READERS } from './clocks.ts';
import { ECC_READERS } from './ecc.ts';
import { FAN_READERS } from './fan.ts';
import { MEMORY_READERS } from './memory.ts';
import { PCIE_LINK_READERS } from './pcie-link.ts';
import { POWER_READERS } from './power.ts';
import type { Reader } from './reader.ts';
import { TEMPERATURE_READERS } from './temperature.ts';
import { UTILISATION_READERS } from './utilisation.ts';

/** Every subject that is read by a call of its own. The field values, PCIe traffic and processes stand beside it. */
const READERS: readonly Reader[] = [
  ...UTILISATION_READERS,
  ...MEMORY_READERS,
  ...TEMPERATURE_READERS,
  ...FAN_READERS,
  ...POWER_READERS,
  ...CLOCK_READERS,
  ...PCIE_LINK_READERS,
  ...ECC_READERS,
];

/** What the worker has to know of the catalogue; the catalogue itself, with its texts, stays in the main thread. */
export type MetricFacts = Readonly<Record<MetricId, Pick<Metric, 'slot' | 'cadence'>>>;

export interface PlannedReader extends Reader {
  /** Position in the memory of a GPU. */
  readonly number: number;
  /** Slot of each of its metrics. */
  readonly slots: readonly number[];
}

/** Which readers run when: by the cadence of their metrics in the catalogue. */
export interface Plan {
  /** Once per open. */
  readonly static: readonly PlannedReader[];
  /** Every tick. */
  readonly fast: readonly PlannedReader[];
  /** In turn, see {@link Rota}. */
  readonly slow: readonly PlannedReader[];
  readonly readerCount: number;
  /** Cells in the row of a GPU. */
  readonly rowSize: number;
}

/** Throws where a reader mixes cadences: then one call would serve two rhythms. */
export function makePlan(facts: MetricFacts): Plan {
  const planned = READERS.map((reader, number) => ({
    ...reader,
    number,
    slots: reader.metrics.map((id) => facts[id].slot),
    cadence: cadenceOf(reader, facts),
  }));
  return {
    static: planned.filter(({ cadence }) => cadence === 'static'),
    fast: planned.filter(({ cadence }) => cadence === 'fast'),
    slow: planned.filter(({ cadence }) => cadence === 'slow'),
    readerCount: planned.length,
    rowSize: Object.keys(facts).length,
  };
}

function cadenceOf({ metrics }: Reader, facts: MetricFacts): Metric['cadence'] {
  const cadences = new Set(metrics.map((id) => facts[id].cadence));
  const [cadence] = cadences;
  if (cadence === undefined || cadences.size > 1)
    throw new Error(`BUG: ${metrics.join()} have ${cadences.size} cadences`);
  return cadence;
}
