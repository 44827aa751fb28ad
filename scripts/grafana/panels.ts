import { CATALOGUE, type MetricId } from '../../src/model/catalogue.ts';
import type { Text } from '../../src/model/i18n/text.ts';
import type { Unit } from '../../src/model/metrics/entry.ts';
import type { BoardName } from './links.ts';
import { byDevice, type Scope, seriesOf } from './queries.ts';

/** One query of a panel. */
export interface Query {
  readonly expression: string;
  /** Legend with labels in double braces; the name of the column in a table. */
  readonly legend: Text;
  /** A limit that the device sets itself: drawn as a dashed line. */
  readonly isLimit?: true;
}

/** From this value on the colour; the first step has none. */
export interface Step {
  readonly from: number | null;
  readonly color: 'green' | 'yellow' | 'orange' | 'red' | 'blue' | 'text';
}

/** A value that is shown as a word. */
export interface Word {
  readonly value: number;
  readonly text: Text;
  readonly color: Step['color'];
}

/** Column of a table: a unit, steps of colour, or the board that a click on it opens. */
export interface Column {
  readonly name: Text;
  readonly unit?: string;
  readonly steps?: readonly Step[];
  readonly words?: readonly Word[];
}

/** A panel in every language. */
export interface PanelSpec {
  readonly kind: 'chart' | 'stat' | 'table' | 'timeline' | 'bars';
  readonly title: Text;
  /** What it shows, and what to do when it looks wrong. */
  readonly description: Text;
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Of 24 columns, and in rows of 30 pixels. */
  readonly width: number;
  readonly height: number;
  readonly steps?: readonly Step[];
  readonly words?: readonly Word[];
  /** Values at the ends of the axis; the data decides where one is missing. */
  readonly min?: number;
  readonly max?: number;
  readonly isStacked?: boolean;
  /** Of a table: labels that become columns, in order, with their titles; then the queries, in order. */
  readonly labels?: readonly { readonly label: string; readonly name: Text }[];
  readonly columns?: readonly Column[];
  /** Boards that a click on a row or a line opens, by their short name. */
  readonly opens?: readonly BoardName[];
}

export interface Section {
  readonly title: Text;
  readonly panels: readonly PanelSpec[];
}

type Rest = Omit<PanelSpec, 'kind' | 'width' | 'height'> & Partial<Pick<PanelSpec, 'width' | 'height'>>;

export const chart = (spec: Rest): PanelSpec => ({ kind: 'chart', width: 12, height: 8, ...spec });
export const stat = (spec: Rest): PanelSpec => ({ kind: 'stat', width: 4, height: 4, ...spec });
export const table = (spec: Rest): PanelSpec => ({ kind: 'table', width: 24, height: 9, ...spec });
export const timeline = (spec: Rest): PanelSpec => ({ kind: 'timeline', width: 24, height: 8, ...spec });
export const bars = (spec: Rest): PanelSpec => ({ kind: 'bars', width: 12, height: 8, ...spec });

/** The same words in every language: names, labels in braces. */
export function same(text: string): Text {
  return { en: text, zh: text };
}

/** Host and device: `GPU 0` alone is on every node. */
export const DEVICE_LEGEND = same('{{host}} {{device}}');

/** Grafana's names of the units of the catalogue. */
const GRAFANA_UNITS: Readonly<Record<Unit, string>> = {
  ratio: 'percentunit',
  bytes: 'bytes',
  'bytes-per-second': 'binBps',
  watts: 'watt',
  joules: 'joule',
  hertz: 'hertz',
  celsius: 'celsius',
  count: 'short',
  seconds: 's',
  rpm: 'rotrpm',
  volts: 'volt',
  'per-second': 'cps',
  state: 'none',
  generation: 'none',
  lanes: 'none',
  pstate: 'none',
  bits: 'none',
};

interface EntryWords {
  readonly label: Text;
  readonly help: Text;
  readonly unit: string;
}

/** What the catalogue says of a metric. */
export function entryOf(id: MetricId): EntryWords {
  const entry = CATALOGUE.find((candidate) => candidate.id === id);
  if (entry === undefined) throw new Error(`there is no metric ${id}`);
  return { label: entry.label, help: entry.help, unit: GRAFANA_UNITS[entry.unit] };
}

/** Two texts, one behind the other. */
function append(text: Text, more: Text | undefined): Text {
  return more === undefined ? text : { en: `${text.en} ${more.en}`, zh: `${text.zh}${more.zh}` };
}

interface MetricChart extends Partial<Omit<Rest, 'description'>> {
  readonly id: MetricId;
  readonly scope?: Scope;
  /** What to do about it, behind what the catalogue says. */
  readonly advice?: Text;
}

/** A chart of one metric of the catalogue, one line per device. */
export function metricChart({ id, scope = 'cards', advice, ...rest }: MetricChart): PanelSpec {
  const { label, help, unit } = entryOf(id);
  const bounds = unit === 'percentunit' ? { min: 0, max: 1 } : { min: 0 };
  return chart({
    title: label,
    description: append(help, advice),
    unit,
    ...bounds,
    queries: [{ expression: byDevice(seriesOf(id), scope), legend: DEVICE_LEGEND }],
    ...rest,
  });
}

/** Line of one metric in a chart of several. */
export function metricLine(id: MetricId, scope: Scope = 'cards'): Query {
  const { label } = entryOf(id);
  return { expression: byDevice(seriesOf(id), scope), legend: lineLegend(label) };
}

/** Line of a limit that devices set themselves. */
export function limitLine(id: MetricId): Query {
  return { ...metricLine(id), isLimit: true };
}

function lineLegend({ en, zh }: Text): Text {
  return { en: `{{host}} {{device}} ${en}`, zh: `{{host}} {{device}} ${zh}` };
}
