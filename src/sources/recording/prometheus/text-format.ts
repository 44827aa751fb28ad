import type { LogFormat } from '../rows.ts';
import { isComment, parseSample } from './exposition.ts';
import { familyOf, isGpuName } from './families.ts';
import { PrometheusTextReader } from './text-reader.ts';

/** What exporters for GPUs answer with, once or again and again, with or without times. */
export const prometheusTextFormat: LogFormat = {
  id: 'prometheus-text',
  recognise(head) {
    const samples = head.map(parseSample);
    const isKnown = samples.some(
      (sample) => sample !== null && (isGpuName(sample.name) || familyOf(sample.name) !== null),
    );
    if (!isKnown) return 0;
    return samples.filter((sample) => sample !== null).length + head.filter(isComment).length;
  },
  stampPlaces: () => (line) => (line === '' ? null : 'row'),
  open: (context) => new PrometheusTextReader(context),
};
