import type { MetricId } from '../../model/catalogue.ts';
import { ALL_LINKS, FIELD } from './abi.ts';
import type { MeterName } from './byte-meter.ts';
import type { Field } from './field-values.ts';
import { MAX_CELSIUS, MAX_JOULES, MAX_WATTS } from './ranges.ts';

/** A field that is read every tick, and what becomes of it. */
export interface TickField extends Field {
  readonly metric: MetricId;
  /** In {@link TICK_FIELDS}. */
  readonly position: number;
  /** Units of the driver in one base unit. */
  readonly per: number;
  readonly min: number;
  readonly max: number;
  /** It counts bytes, and this makes a rate of them. Two directions come from one kind of measurement, or from none. */
  readonly meter: MeterName | null;
}

type Unplaced = Omit<TickField, 'position'>;

/** Sixteen times what the fastest PCIe link of sixteen lanes carries, and what NVLink carries at most: beyond it a counter jumped. */
export const MAX_BYTES_PER_SECOND = 2 ** 41;

function counter(id: number, scope: number, metric: MetricId, meter: MeterName, per: number): Unplaced {
  return { id, scope, metric, per, min: 0, max: MAX_BYTES_PER_SECOND, meter };
}

function power(id: number, metric: MetricId): Unplaced {
  return { id, scope: 0, metric, per: 1000, min: 0, max: MAX_WATTS, meter: null };
}

const FIELDS: readonly Unplaced[] = [
  {
    id: FIELD.memoryTemperature,
    scope: 0,
    metric: 'memory_temperature_celsius',
    per: 1,
    // All ones as a signed number would be a degree below zero, where no memory works.
    min: 0,
    max: MAX_CELSIUS,
    meter: null,
  },
  power(FIELD.powerInstant, 'power_instant_watts'),
  power(FIELD.powerAverage, 'power_average_watts'),
  { id: FIELD.energy, scope: 0, metric: 'energy_joules_total', per: 1000, min: 0, max: MAX_JOULES, meter: null },
  counter(FIELD.pcieTxBytes, 0, 'pcie_tx_bytes_per_second', 'pcieTx', 1),
  counter(FIELD.pcieRxBytes, 0, 'pcie_rx_bytes_per_second', 'pcieRx', 1),
  counter(FIELD.nvlinkTxKib, ALL_LINKS, 'nvlink_tx_bytes_per_second', 'nvlinkTx', 1 / 1024),
  counter(FIELD.nvlinkRxKib, ALL_LINKS, 'nvlink_rx_bytes_per_second', 'nvlinkRx', 1 / 1024),
];

/** All of them in one call. */
export const TICK_FIELDS: readonly TickField[] = FIELDS.map((field, position) => ({ ...field, position }));

/** There is a function for it, too, for drivers that do not have the field. */
export const ENERGY_FIELD = TICK_FIELDS.find(({ id }) => id === FIELD.energy);
