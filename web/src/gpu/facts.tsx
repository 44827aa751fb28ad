import type { ReactNode } from 'react';
import { readingOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import type { MetricId } from '../../../src/model/catalogue.ts';
import { DEVICE_FACTS } from '../../../src/model/device.ts';
import { podName } from '../../../src/model/owner-label.ts';
import { sliceWords } from '../shell/device-name.ts';
import { Link } from '../shell/link.tsx';
import { metricText } from '../shell/metric-text.ts';
import { useLang, useMetrics, useText } from '../state/app-context.ts';

/** Limits of the device that hardly ever change, and that people ask for first; the readings leave them out. */
export const FACT_METRICS = [
  'memory_total_bytes',
  'power_limit_watts',
  'temperature_slowdown_celsius',
  'sm_clock_max_hertz',
  'memory_clock_max_hertz',
  'pcie_link_generation_max',
  'pcie_link_width_max',
] as const satisfies readonly MetricId[];

/** What the card is. */
export function Facts({ gpu }: { gpu: ApiGpu }) {
  const t = useText();
  return (
    <section>
      <h2>{t('web.gpu.facts')}</h2>
      <dl className="facts">
        <Fact name={t('web.fact.name')}>{gpu.name}</Fact>
        <Fact name="UUID">
          <code>{gpu.uuid}</code>
        </Fact>
        {gpu.mig !== null && <Slice mig={gpu.mig} index={gpu.index} />}
        {gpu.pciBusId !== null && (
          <Fact name="PCI">
            <code>{gpu.pciBusId}</code>
          </Fact>
        )}
        {gpu.minor !== null && gpu.vendor === 'nvidia' && (
          <Fact name={t('web.fact.minor')}>
            <code>/dev/nvidia{gpu.minor}</code>
          </Fact>
        )}
        {gpu.driverVersion !== null && <Fact name={t('web.fact.driver')}>{gpu.driverVersion}</Fact>}
        {DEVICE_FACTS.map((fact) => {
          const text = gpu.facts[fact];
          return text === undefined ? null : (
            <Fact key={fact} name={t(`fact.${fact}`)}>
              {text}
            </Fact>
          );
        })}
        {gpu.serial !== null && <Fact name={t('web.fact.serial')}>{gpu.serial}</Fact>}
        {gpu.allotted !== null && gpu.allotted.length > 0 && (
          <Fact name={t('web.allotted')}>{[...new Set(gpu.allotted.map(podName))].join(t('web.list.comma'))}</Fact>
        )}
        <Limits gpu={gpu} />
      </dl>
    </section>
  );
}

function Slice({ mig, index }: { mig: NonNullable<ApiGpu['mig']>; index: number }) {
  const t = useText();
  return (
    <Fact name="MIG">
      {sliceWords(mig, t).join(' · ')} ·{' '}
      <Link to={{ route: { view: 'gpu', uuid: mig.parent } }}>{t('web.mig.card', { index })}</Link>
    </Fact>
  );
}

function Limits({ gpu }: { gpu: ApiGpu }) {
  const lang = useLang();
  const metrics = useMetrics();
  return FACT_METRICS.map((id) => {
    const metric = metrics?.get(id);
    const value = readingOf(gpu, id);
    return metric === undefined || value === null ? null : (
      <Fact key={id} name={<span title={metric.help}>{metric.label}</span>}>
        {metricText(metric, value, lang)}
      </Fact>
    );
  });
}

function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
