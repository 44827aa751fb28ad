import { memo } from 'react';
import { dateTime } from '../../../src/model/format.ts';
import { metricLabel } from '../shell/metric-text.ts';
import { useLang, useMetrics, useText } from '../state/app-context.ts';
import { valueText } from './chart-readout.tsx';
import type { ChartSpec } from './chart-spec.ts';
import type { ChartWindow } from './chart-window.ts';

/** Rows are added with new buckets, not with every tick: a table that changes all the time cannot be read. */
const EVERY_VERSIONS = 10;

interface ChartTableProps {
  readonly spec: ChartSpec;
  readonly window: ChartWindow;
  readonly version: number;
}

/** The numbers behind a chart, newest first. */
export const ChartTable = memo(
  function ChartTable({ spec, window }: ChartTableProps) {
    const t = useText();
    const lang = useLang();
    const metrics = useMetrics();
    const rows = window.at.map((at, i) => ({ at, i })).filter(({ i }) => hasValue(spec, window, i));
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
      <section className="chart-table" tabIndex={0} aria-label={t(spec.title)}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('web.chart.time')}</th>
              {spec.lines.map(({ metric: id }) => (
                <th key={id} scope="col">
                  {metricLabel(metrics, id)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.reverse().map(({ at, i }) => (
              <tr key={at}>
                <th scope="row">{dateTime(at)}</th>
                {spec.lines.map((line) => (
                  <td key={line.metric}>{valueText(spec, window, line, i, lang)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    );
  },
  (a, b) =>
    a.window === b.window &&
    a.spec === b.spec &&
    Math.floor(a.version / EVERY_VERSIONS) === Math.floor(b.version / EVERY_VERSIONS),
);

function hasValue(spec: ChartSpec, window: ChartWindow, index: number): boolean {
  return spec.lines.some(({ metric: id }) => window.column(id)?.mean[index] != null);
}
