import type { ReactNode } from 'react';
import { readingOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { type MetricId, metric } from '../../../src/model/catalogue.ts';
import { quantityText } from '../../../src/model/format.ts';
import { useLang, useText } from '../state/app-context.ts';

/** Limits of the device that hardly ever change. */
const LIMITS = [
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
  const lang = useLang();
  return (
    <section>
      <h2>{t('web.gpu.facts')}</h2>
      <dl className="facts">
        <Fact name={t('web.fact.name')}>{gpu.name}</Fact>
        <Fact name="UUID">
          <code>{gpu.uuid}</code>
        </Fact>
        {gpu.pciBusId !== null && (
          <Fact name="PCI">
            <code>{gpu.pciBusId}</code>
          </Fact>
        )}
        {gpu.driverVersion !== null && <Fact name={t('web.fact.driver')}>{gpu.driverVersion}</Fact>}
        {LIMITS.map((id) => {
          const value = readingOf(gpu, id);
          const { label, unit } = metric(id);
          return value === null ? null : (
            <Fact key={id} name={label[lang]}>
              {quantityText(value, unit, lang)}
            </Fact>
          );
        })}
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
