import { readingOf, reasonOf, temperatureMargin } from '../../client/gpu-reading.ts';
import type { ApiGpu } from '../../model/api.ts';
import { type MetricId, metric } from '../../model/catalogue.ts';
import { reasonsIn } from '../../model/clock-events.ts';
import { shortDeviceName } from '../../model/format.ts';
import type { AbsenceReason } from '../../model/reading.ts';
import type { FleetRow } from '../data/fleet.ts';
import type { Track } from '../data/history.ts';
import { flowed } from '../text/flow.ts';
import { fitLine, joined, type Line, span } from '../text/span.ts';
import { harmless } from '../text/width.ts';
import { type Brush, conditionWord, listed } from './brush.ts';
import { type ChartArea, gpuCharts } from './charts.ts';
import { CONDITION_TONES } from './glyphs.ts';
import { gpuLabel, shortReading, slowingSpans, whySpans } from './gpu-words.ts';

/** What is drawn, the most important first; the last two where the device has the link. */
const CHARTS: readonly Track[] = ['utilisation', 'memory', 'power', 'temperature', 'clock', 'pcie-rx'];
const LINK_CHARTS: readonly Track[] = ['pcie-tx', 'nvlink-rx'];

/** Readings that are told in words, by what belongs together. */
const FACTS: readonly (readonly MetricId[])[] = [
  ['utilization_ratio', 'memory_utilization_ratio', 'sm_active_ratio', 'tensor_active_ratio', 'dram_active_ratio'],
  ['encoder_utilization_ratio', 'decoder_utilization_ratio', 'fan_speed_ratio', 'memory_temperature_celsius'],
  ['sm_clock_hertz', 'memory_clock_hertz', 'performance_state'],
  ['pcie_link_generation', 'pcie_link_width', 'pcie_rx_bytes_per_second', 'pcie_tx_bytes_per_second'],
  ['nvlink_active_links', 'nvlink_rx_bytes_per_second', 'nvlink_tx_bytes_per_second'],
  ['ecc_corrected_volatile_total', 'ecc_uncorrected_volatile_total', 'remapped_rows_pending', 'energy_joules_total'],
];

/** Metrics of which a person wants to know why there is no value. */
const EXPECTED: readonly MetricId[] = [
  ...(['utilization_ratio', 'memory_used_bytes', 'temperature_celsius', 'power_watts', 'power_limit_watts'] as const),
  ...(['sm_clock_hertz', 'clock_event_reasons', 'fan_speed_ratio', 'pcie_rx_bytes_per_second'] as const),
  ...(['nvlink_rx_bytes_per_second', 'ecc_uncorrected_volatile_total', 'encoder_utilization_ratio'] as const),
];

/** Who it is and how it is, in two lines. */
export function gpuTitle(row: FleetRow, width: number, brush: Brush): readonly Line[] {
  const { gpu, condition } = row;
  const { t, glyphs } = brush;
  const dot = span(glyphs.dot, 'quiet');
  const identity = [
    [span(`GPU ${gpuLabel(gpu)}`, 'title')],
    [span(harmless(shortDeviceName(gpu.name)), 'strong')],
    ...[gpu.mig?.profile, gpu.pciBusId, gpu.driverVersion, gpu.uuid].flatMap((fact) => {
      return fact == null ? [] : [[span(harmless(fact), 'quiet')]];
    }),
  ];
  const tone = CONDITION_TONES[condition];
  const margin = temperatureMargin(gpu);
  const state = [
    [span(`${glyphs.condition[condition]} ${conditionWord(condition, brush)}`, tone)],
    whySpans(row, brush),
    slowingSpans(gpu, brush),
    margin === null
      ? []
      : [span(t('top.gpu.margin', { degrees: Math.round(margin) }), margin <= 3 ? 'warning' : 'quiet')],
  ].filter((part) => part.length > 0);
  return [
    fitLine(joined(identity, dot), width, glyphs.mark, 'bar').map((each) => ({ ...each, ground: 'bar' as const })),
    fitLine(joined(state, dot), width, glyphs.mark),
  ];
}

/** Charts as large as fit into the lines. */
export function gpuChartLines(gpu: ApiGpu, area: ChartArea): readonly Line[] {
  const hasLink = readingOf(gpu, 'nvlink_rx_bytes_per_second') !== null;
  return gpuCharts(gpu, hasLink ? [...CHARTS, ...LINK_CHARTS] : CHARTS, area);
}

/** The other readings, then what lowers the clocks, then what is not read and why. */
export function readingLines(gpu: ApiGpu, width: number, brush: Brush): readonly Line[] {
  const { t, lang } = brush;
  const facts = FACTS.flatMap((ids): readonly Line[] => {
    const present = ids.flatMap((id): Line[] => {
      const value = shortReading(gpu, id, brush);
      return value === null ? [] : [[span(`${metric(id).label[lang]} `, 'quiet'), span(value)]];
    });
    return flowed(present, span('   '), width);
  });
  const reasons = readingOf(gpu, 'clock_event_reasons');
  const clocks = reasons === null ? [] : [reasonsLine(reasons, brush)];
  const absences = Map.groupBy(
    EXPECTED.filter((id) => readingOf(gpu, id) === null),
    (id): AbsenceReason => reasonOf(gpu, id),
  );
  const absent = [...absences].map(
    ([reason, ids]): Line => [
      span(`${t('top.gpu.absent')} `, 'quiet'),
      span(t(`absent.${reason}`), 'warning'),
      span(
        `${lang === 'zh' ? '：' : ': '}${listed(
          ids.map((id) => metric(id).label[lang]),
          brush,
        )}`,
        'quiet',
      ),
    ],
  );
  return [...facts, ...clocks, ...absent];
}

function reasonsLine(mask: number, brush: Brush): Line {
  const { t, lang } = brush;
  const reasons = reasonsIn(mask);
  const words = reasons.map(({ word }) => word[lang]);
  const tone = reasons.some(({ trouble }) => trouble) ? 'warning' : 'text';
  return [
    span(`${t('top.gpu.reasons')} `, 'quiet'),
    span(words.length === 0 ? t('top.gpu.none') : listed(words, brush), tone),
  ];
}
