import { memo, useState } from 'react';
import { readingOf, reasonOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import type { ApiMetric } from '../../../src/model/api-device.ts';
import type { MetricId } from '../../../src/model/catalogue.ts';
import type { Metrics } from '../session/metric-table.ts';
import { deviceName } from '../shell/device-name.ts';
import { metricText } from '../shell/metric-text.ts';
import { useLang, useMetrics, useSession, useText } from '../state/app-context.ts';
import { useStore } from '../state/store.ts';
import { splitMetrics } from './split-metrics.ts';

/** The table follows the data at this pace: it is for looking up, not for watching. */
const EVERY_MS = 10_000;
/** More columns than this do not fit on a wide screen either. */
const WIDE_GPUS = 10;

/** What each GPU reports: the newest value of every metric, or why there is none. */
export function Capabilities() {
  const t = useText();
  const fleet = useStore(useSession().fleet);
  const metrics = useMetrics();
  const [text, setText] = useState('');
  if (fleet === null || fleet.state.gpus.length === 0 || metrics === null) return null;
  const { gpus, at } = fleet.state;
  return (
    <section>
      <div className="capabilities-head">
        <h2>{t('web.about.capabilities')}</h2>
        <input
          type="search"
          className="filter"
          value={text}
          placeholder={t('web.about.filter')}
          aria-label={t('web.about.filter')}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <p className="quiet">{t('web.about.capabilities-help')}</p>
      {gpus.length > 1 && (
        <p className={gpus.length > WIDE_GPUS ? 'quiet' : 'quiet scroll-hint'}>{t('web.about.scroll')}</p>
      )}
      <Tables gpus={gpus} metrics={metrics} text={text} turn={Math.floor((at ?? 0) / EVERY_MS)} />
    </section>
  );
}

interface TablesProps {
  readonly gpus: readonly ApiGpu[];
  readonly metrics: Metrics;
  readonly text: string;
  /** The tables are drawn again when this changes. */
  readonly turn: number;
}

const Tables = memo(
  function Tables({ gpus, metrics, text }: TablesProps) {
    const t = useText();
    const { reported, absent } = splitMetrics([...metrics.values()], gpus, text);
    if (reported.length + absent.length === 0) return <p>{t('web.about.no-metric')}</p>;
    return (
      <>
        {reported.length > 0 && <CapabilityTable gpus={gpus} metrics={reported} />}
        {absent.length > 0 && (
          // Whoever looks for a metric by name shall not have to unfold it.
          <details className="absent-readings" open={text !== '' || reported.length === 0}>
            <summary>{t('web.about.absent', { n: absent.length })}</summary>
            <CapabilityTable gpus={gpus} metrics={absent} />
          </details>
        )}
      </>
    );
  },
  (a, b) => a.turn === b.turn && a.text === b.text && a.metrics === b.metrics && a.gpus.length === b.gpus.length,
);

function CapabilityTable({ gpus, metrics }: { gpus: readonly ApiGpu[]; metrics: readonly ApiMetric[] }) {
  const t = useText();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section className="capabilities" tabIndex={0} aria-label={t('web.about.capabilities')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('web.about.metric')}</th>
            {gpus.map((gpu) => (
              <th key={gpu.uuid} scope="col" title={`${gpu.name}\n${gpu.uuid}`}>
                {deviceName(gpu, t)}
              </th>
            ))}
          </tr>
        </thead>
        {[...Map.groupBy(metrics, ({ topic }) => topic)].map(([topic, members]) => (
          <tbody key={topic}>
            <tr className="topic">
              <th scope="rowgroup">{t(`topic.${topic}`)}</th>
              <td colSpan={gpus.length} />
            </tr>
            {members.map((metric) => (
              <CapabilityRow key={metric.id} metric={metric} gpus={gpus} />
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function CapabilityRow({ metric, gpus }: { metric: ApiMetric; gpus: readonly ApiGpu[] }) {
  const t = useText();
  const lang = useLang();
  const id = metric.id as MetricId;
  return (
    <tr>
      <th scope="row" title={`${metric.help}\n${id}`}>
        {metric.label}
      </th>
      {gpus.map((gpu) => {
        const value = readingOf(gpu, id);
        return value === null ? (
          <td key={gpu.uuid} className="quiet absent-word">
            {t(`absent.${reasonOf(gpu, id)}`)}
          </td>
        ) : (
          <td key={gpu.uuid}>{metricText(metric, value, lang)}</td>
        );
      })}
    </tr>
  );
}
