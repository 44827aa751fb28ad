import { PanelBuilder as BarsBuilder } from '@grafana/grafana-foundation-sdk/bargauge';
import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import {
  BarGaugeDisplayMode,
  BigValueColorMode,
  BigValueGraphMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardLinkBuilder,
  type DataTransformerConfig,
  type DynamicConfigValue,
  type GridPos,
  MappingType,
  type Panel,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimelineBuilder } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as ChartBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import type { Lang } from '../../src/model/i18n/text.ts';
import { boardLink } from './links.ts';
import type { Column, PanelSpec, Query, Step, Word } from './panels.ts';

/** The data source that the variable of the board names: Prometheus, or VictoriaMetrics under the same type. */
export const DATA_SOURCE = { type: 'prometheus', uid: `\${datasource}` } as const;

type AnyBuilder = ChartBuilder | StatBuilder | TableBuilder | TimelineBuilder | BarsBuilder;

/** One panel in one language at its place. */
export function renderPanel(spec: PanelSpec, lang: Lang, id: number, gridPos: GridPos): Panel {
  const builder = BUILDERS[spec.kind](spec, lang)
    .id(id)
    .gridPos(gridPos)
    .datasource(DATA_SOURCE)
    .title(spec.title[lang])
    .description(spec.description[lang])
    .unit(spec.unit)
    .mappings(mappingsOf(spec.words, lang))
    .thresholds(thresholdsOf(spec.steps))
    .targets(spec.queries.map((query, i) => target(spec.kind, query, lang, i)));
  if (spec.min !== undefined) builder.min(spec.min);
  if (spec.max !== undefined) builder.max(spec.max);
  const links = (spec.opens ?? []).map((board) => {
    const { title, url } = boardLink(board, lang, spec.kind === 'table' ? 'row' : 'series');
    return new DashboardLinkBuilder(title).url(url);
  });
  return builder.dataLinks(links).build();
}

const BUILDERS: Readonly<Record<PanelSpec['kind'], (spec: PanelSpec, lang: Lang) => AnyBuilder>> = {
  chart: chartBuilder,
  stat: () =>
    new StatBuilder()
      .graphMode(BigValueGraphMode.None)
      .colorMode(BigValueColorMode.Value)
      .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull'])),
  table: tableBuilder,
  timeline: () =>
    new TimelineBuilder().showValue(VisibilityMode.Never).mergeValues(true).fillOpacity(80).rowHeight(0.8),
  bars: () =>
    new BarsBuilder()
      .orientation(VizOrientation.Horizontal)
      .displayMode(BarGaugeDisplayMode.Gradient)
      .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull'])),
};

function chartBuilder(spec: PanelSpec): ChartBuilder {
  const builder = new ChartBuilder()
    .lineWidth(1)
    .fillOpacity(spec.isStacked === true ? 30 : 5)
    .showPoints(VisibilityMode.Never)
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.Table)
        .placement(LegendPlacement.Bottom)
        .calcs(['lastNotNull', 'max']),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending));
  if (spec.isStacked === true) builder.stacking(new StackingConfigBuilder().mode(StackingMode.Normal));
  spec.queries.forEach((query, i) => {
    if (query.isLimit === true) builder.overrideByQuery(refId(i), LIMIT_LOOK);
  });
  return builder;
}

/** Dashed, red, and without a share in the area under the lines. */
const LIMIT_LOOK: DynamicConfigValue[] = [
  { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
  { id: 'custom.fillOpacity', value: 0 },
  { id: 'color', value: { mode: 'fixed', fixedColor: 'red' } },
];

function tableBuilder(spec: PanelSpec, lang: Lang): TableBuilder {
  const builder = new TableBuilder().transformations(tableTransformations(spec, lang));
  // The links of a row need it, and people do not: the device is named.
  builder.overrideByName('gpu', [{ id: 'custom.hidden', value: true }]);
  for (const column of spec.columns ?? []) builder.overrideByName(column.name[lang], lookOf(column, lang));
  return builder;
}

/** The queries of a table become columns of one row per set of labels. */
function tableTransformations({ labels = [], queries }: PanelSpec, lang: Lang): DataTransformerConfig[] {
  const values = queries.map(({ legend }, i) => ({
    from: queries.length === 1 ? 'Value' : `Value #${refId(i)}`,
    legend,
  }));
  const order = [...labels.map(({ label }) => label), ...values.map(({ from }) => from)];
  const names = [
    ...labels.map(({ label, name }) => [label, name[lang]] as const),
    ...values.map(({ from, legend }) => [from, legend[lang]] as const),
  ];
  return [
    { id: 'merge', options: {} },
    {
      id: 'organize',
      options: {
        excludeByName: { Time: true },
        indexByName: Object.fromEntries(order.map((name, i) => [name, i])),
        renameByName: Object.fromEntries(names),
      },
    },
  ];
}

function lookOf({ unit, steps, words }: Column, lang: Lang): DynamicConfigValue[] {
  return [
    ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
    ...(words === undefined ? [] : [{ id: 'mappings', value: mappingsOf(words, lang) }]),
    ...(steps === undefined ? [] : [{ id: 'thresholds', value: thresholdsOf(steps).build() }]),
    ...(steps === undefined && words === undefined
      ? []
      : [{ id: 'custom.cellOptions', value: { type: 'color-text' } }]),
  ];
}

function target(kind: PanelSpec['kind'], query: Query, lang: Lang, position: number): Builder<Dataquery> {
  const builder = new DataqueryBuilder()
    .refId(refId(position))
    .datasource(DATA_SOURCE)
    .expr(query.expression)
    .legendFormat(query.legend[lang]);
  if (kind === 'chart' || kind === 'timeline') return builder.range();
  return builder.instant().format(kind === 'table' ? PromQueryFormat.Table : PromQueryFormat.TimeSeries);
}

/** A, B, C, … */
function refId(position: number): string {
  return String.fromCharCode(65 + position);
}

function thresholdsOf(steps: readonly Step[] = [{ from: null, color: 'text' }]): ThresholdsConfigBuilder {
  return new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps(steps.map(({ from, color }) => ({ value: from, color })));
}

function mappingsOf(words: readonly Word[] | undefined, lang: Lang): ValueMapping[] {
  if (words === undefined) return [];
  const options = words.map(({ value, text, color }, index) => [String(value), { text: text[lang], color, index }]);
  return [{ type: MappingType.ValueToText, options: Object.fromEntries(options) }];
}
