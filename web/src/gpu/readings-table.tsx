import { memo } from 'react';
import { readingOf, reasonOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import type { ApiMetric } from '../../../src/model/api-device.ts';
import type { MetricId } from '../../../src/model/catalogue.ts';
import { ABSENCE_REASONS } from '../../../src/model/reading.ts';
import { metricText } from '../shell/metric-text.ts';
import { useLang, useMetrics, useText } from '../state/app-context.ts';
import { FACT_METRICS } from './facts.tsx';

/** A topic of so many readings is not spread over two columns. */
const MOST_TOGETHER = 24;

const IN_FACTS: ReadonlySet<string> = new Set(FACT_METRICS);

/** Every reading now, or the last of a recording, by topic; below them what is not reported, by reason. */
export function ReadingsTable({ gpu, recorded }: { gpu: ApiGpu; recorded: boolean }) {
  const t = useText();
  const metrics = useMetrics();
  const shown = [...(metrics?.values() ?? [])].filter(({ scope, id }) => scope === 'device' && !IN_FACTS.has(id));
  const present = shown.filter(({ id }) => valueIn(gpu, id) !== null);
  const absent = shown.filter(({ id }) => valueIn(gpu, id) === null);
  return (
    <section>
      <h2>{t(recorded ? 'web.gpu.readings-last' : 'web.gpu.readings')}</h2>
      <div className="readings-columns">
        {[...Map.groupBy(present, ({ topic }) => topic)].map(([topic, members]) => (
          <table key={topic} className={members.length > MOST_TOGETHER ? 'readings' : 'readings readings-whole'}>
            <caption>{t(`topic.${topic}`)}</caption>
            <tbody>
              {members.map((metric) => (
                <ReadingRow key={metric.id} metric={metric} value={valueIn(gpu, metric.id) ?? 0} />
              ))}
            </tbody>
          </table>
        ))}
      </div>
      {absent.length > 0 && <AbsentReadings gpu={gpu} absent={absent} />}
    </section>
  );
}

function valueIn(gpu: ApiGpu, id: string): number | null {
  return readingOf(gpu, id as MetricId);
}

const ReadingRow = memo(function ReadingRow({ metric, value }: { metric: ApiMetric; value: number }) {
  const lang = useLang();
  return (
    <tr>
      <th scope="row" title={metric.help}>
        {metric.label}
      </th>
      <td>{metricText(metric, value, lang)}</td>
    </tr>
  );
});

/** Folded away: most devices lack most of what some device has. */
function AbsentReadings({ gpu, absent }: { gpu: ApiGpu; absent: readonly ApiMetric[] }) {
  const t = useText();
  const byReason = Map.groupBy(absent, ({ id }) => reasonOf(gpu, id as MetricId));
  return (
    <details className="absent-readings">
      <summary>{t('web.readings.absent', { n: absent.length })}</summary>
      {ABSENCE_REASONS.map((reason) => {
        const members = byReason.get(reason);
        return (
          members !== undefined && (
            <section key={reason}>
              <h3 className="absent-word">
                {t(`absent.${reason}`)} <span className="quiet">{members.length}</span>
              </h3>
              <ul>
                {members.map(({ id, label, help }) => (
                  <li key={id} title={help}>
                    {label}
                  </li>
                ))}
              </ul>
            </section>
          )
        );
      })}
    </details>
  );
}
