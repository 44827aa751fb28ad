import type { MetricId } from '../../model/catalogue.ts';
import { metric } from '../../model/catalogue.ts';
import { quantityText } from '../../model/format.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { reportTranslator } from './translator.ts';

const SHOWN: readonly MetricId[] = [
  'utilization_ratio',
  'memory_used_bytes',
  'memory_used_ratio',
  'power_watts',
  'temperature_celsius',
  'sm_clock_hertz',
  'sm_active_ratio',
];

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Mean and highest value of what matters most, one GPU a row. */
export function gpuTable({ window }: Diagnosis, lang: Lang): Table {
  const t = reportTranslator(lang);
  const shown = SHOWN.filter((id) => window.gpus.some((gpu) => gpu.has(id)));
  return {
    head: [
      t('report.gpu'),
      ...shown.map((id) => `${metric(id).label[lang]} (${t('report.mean')} / ${t('report.highest')})`),
    ],
    rows: window.gpus.map((gpu) => {
      const extremes = gpu.extremes();
      const cells = shown.map((id) => {
        const found = extremes.find((one) => one.metric === id);
        const { unit } = metric(id);
        return found === undefined
          ? '–'
          : `${quantityText(found.mean, unit, lang)} / ${quantityText(found.max, unit, lang)}`;
      });
      return [`${gpu.device.index} ${gpu.device.name}`, ...cells];
    }),
  };
}
