import { CATALOGUE, type Metric, type MetricId, metric } from '../../../model/catalogue.ts';
import { CLOCK_EVENT_REASONS } from '../../../model/clock-events.ts';
import { isPresent } from '../../../model/reading.ts';
import type { Calendar } from '../calendar.ts';
import { busIdParts, type Card, hex, longBusId, type Shot, shownUuid } from '../cards.ts';
import { type Cell, DEPRECATED, driverRelease, missing, NOT_AVAILABLE, readingCell, textCell } from '../cell.ts';

/** Gives the value of a field for a card. */
export type ReadCard = (card: Card, shot: Shot, calendar: Calendar) => Cell;

const BARE: Cell = { kind: 'missing', word: 'N/A', isBare: true };

/** Who and where a card is. */
const IDENTITY: Readonly<Record<string, ReadCard>> = {
  timestamp: (_card, { at }, calendar) => textCell(calendar.query(at)),
  driver_version: ({ view }) => textCell(view.device.driverVersion),
  kmd_version: ({ view }) => textCell(view.device.driverVersion),
  count: (_card, { count }) => ({ kind: 'number', digits: String(count), unit: '' }),
  name: ({ view }) => textCell(view.device.name),
  serial: ({ view }) => textCell(view.device.serial),
  uuid: ({ view }) => textCell(shownUuid(view.device)),
  index: ({ view }) => ({ kind: 'number', digits: String(view.device.index), unit: '' }),
  'pci.bus_id': ({ view }) => textCell(longBusId(view.device.pciBusId)),
  'pci.domain': (card) => pciPart(card, 'domain', 4),
  'pci.bus': (card) => pciPart(card, 'bus', 2),
  'pci.device': (card) => pciPart(card, 'device', 2),
  'pci.baseClass': ({ place }) => textCell(place?.baseClass),
  'pci.subClass': ({ place }) => textCell(place?.subClass),
  'pci.device_id': ({ place }) => textCell(place?.deviceId),
  'pci.sub_device_id': ({ place }) => textCell(place?.subsystemId),
  vbios_version: ({ view }) => textCell(view.device.facts?.vbios),
  compute_cap: ({ view }) => textCell(view.device.facts?.['compute-capability']),
  'inforom.img': ({ view }) => textCell(view.device.facts?.inforom),
  'platform.chassis_serial_number': () => ({ kind: 'missing', word: '', isBare: true }),
};

/** In lists of processes and rows the name of a card and the like have names of their own. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  gpu_name: 'name',
  gpu_bus_id: 'pci.bus_id',
  gpu_serial: 'serial',
  gpu_uuid: 'uuid',
};

/** From which release on a field is only kept for old scripts, where it has no value any more. */
const DEPRECATED_SINCE: Readonly<Record<string, number>> = {
  display_mode: 580,
  'power.management': 580,
  'clocks.applications.graphics': 590,
  'clocks.applications.memory': 590,
  'clocks.default_applications.graphics': 590,
  'clocks.default_applications.memory': 590,
};

/** Fields whose metric the catalogue knows under another name. */
const OTHER_METRICS: Readonly<Record<string, MetricId>> = { 'mig.mode.current': 'mig_mode' };

const METRICS: ReadonlyMap<string, Metric> = new Map(
  CATALOGUE.flatMap((entry): [string, Metric][] =>
    [entry.smi?.field ?? '', ...(entry.smi?.aliases ?? [])].map((name) => [name, entry]),
  ),
);

const REASON_BITS: ReadonlyMap<string, number> = new Map(
  CLOCK_EVENT_REASONS.map(({ smi, bit }) => [`clocks_event_reasons.${smi}`, bit]),
);

/** The metric behind a field of nvidia-smi; undefined where gpulse has none. */
export function fieldMetric(name: string): Metric | undefined {
  const other = OTHER_METRICS[name];
  return other === undefined ? METRICS.get(name) : metric(other);
}

/** True for a field that is always printed as missing. */
export function isUnread(name: string): boolean {
  return IDENTITY[name] === undefined && fieldMetric(name) === undefined && !REASON_BITS.has(name);
}

/** How the value of a field is found; what gpulse does not read is not available. */
export function readerOf(name: string): ReadCard {
  const identity = IDENTITY[ELSEWHERE[name] ?? name];
  if (identity !== undefined) return identity;
  if (name === 'power.draw.average') return averagePower;
  const bit = REASON_BITS.get(name);
  if (bit !== undefined) return (card) => reasonCell(card, bit);
  const entry = fieldMetric(name);
  const isBare = name.startsWith('fabric.') || name === 'temperature.memory';
  if (entry === undefined) return (card) => (isBare ? BARE : deprecatedCell(name, card));
  return (card) => {
    const cell = metricCell(entry, card);
    if (cell.kind !== 'missing' || cell.word !== 'N/A') return cell;
    return isBare ? BARE : deprecatedCell(name, card);
  };
}

function metricCell({ slot, smi, states }: Metric, { view: { readings, device } }: Card): Cell {
  return readingCell(readings.at(slot), smi?.unit ?? 'word', device, states);
}

function deprecatedCell(name: string, { view }: Card): Cell {
  const since = DEPRECATED_SINCE[name];
  return since !== undefined && (driverRelease(view.device) ?? 0) >= since ? DEPRECATED : NOT_AVAILABLE;
}

/** Where a source does not tell the two apart, what it draws is the average; where there is no average it is not. */
function averagePower(card: Card): Cell {
  const average = card.view.readings.get('power_average_watts');
  const isUntold = !isPresent(average) && average.absent === 'not-collected';
  return readingCell(isUntold ? card.view.readings.get('power_watts') : average, 'W', card.view.device, undefined);
}

function reasonCell({ view }: Card, bit: number): Cell {
  const mask = view.readings.get('clock_event_reasons');
  return isPresent(mask) ? textCell((mask & bit) === 0 ? 'Not Active' : 'Active') : missing(mask.absent);
}

function pciPart({ view }: Card, part: 'domain' | 'bus' | 'device', digits: number): Cell {
  const parts = busIdParts(view.device.pciBusId);
  return parts === null ? NOT_AVAILABLE : textCell(`0x${hex(parts[part], digits)}`);
}
