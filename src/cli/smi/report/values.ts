import { type MetricId, metric } from '../../../model/catalogue.ts';
import type { DeviceView } from '../../../model/reader.ts';
import { isPresent } from '../../../model/reading.ts';
import type { Calendar } from '../calendar.ts';
import type { Card, Shot } from '../cards.ts';
import { type CellUnit, missing, plainText, readingCell } from '../cell.ts';
import { readerOf } from '../query/gpu-values.ts';

/** Values of one device, as a report words them. */
export interface Values {
  readonly card: Card;
  /** Of a field of `--query-gpu`. */
  field(name: string): string;
  /** Of a metric, in a unit of nvidia-smi, which is by default that of its field. */
  metric(id: MetricId, unit?: CellUnit): string;
  has(id: MetricId): boolean;
  /** Of a metric by a function of its number. */
  figure(id: MetricId, show: (value: number) => string): string;
}

export function valuesOf(card: Card, shot: Shot, calendar: Calendar): Values {
  return {
    card,
    field: (name) => plainText(readerOf(name)(card, shot, calendar)),
    ...deviceValues(card.view),
  };
}

/** The same for a MIG instance, which has no fields of its own. */
export function deviceValues({ readings, device }: DeviceView): Omit<Values, 'card' | 'field'> {
  return {
    metric(id, unit) {
      const { slot, smi, states } = metric(id);
      return plainText(readingCell(readings.at(slot), unit ?? smi?.unit ?? 'word', device, states));
    },
    has: (id) => isPresent(readings.get(id)),
    figure(id, show) {
      const reading = readings.get(id);
      return isPresent(reading) ? show(reading) : plainText(missing(reading.absent));
    },
  };
}

export const NA = 'N/A';
