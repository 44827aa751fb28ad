import type { ApiGpu } from '../../../src/model/api.ts';
import type { ApiMetric } from '../../../src/model/api-device.ts';

interface Split {
  /** At least one GPU has a value. */
  readonly reported: readonly ApiMetric[];
  readonly absent: readonly ApiMetric[];
}

/**
 * The metrics of devices that match every word of the text, by whether any GPU reports them. A metric is known by its
 * label, its id, and its names under other tools.
 */
export function splitMetrics(metrics: readonly ApiMetric[], gpus: readonly ApiGpu[], text: string): Split {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = metrics.filter(({ scope, id, label, smi = '', dcgm = '' }) => {
    const known = `${id} ${label} ${smi} ${dcgm}`.toLowerCase();
    return scope === 'device' && words.every((word) => known.includes(word));
  });
  const isReported = ({ id }: ApiMetric): boolean => gpus.some(({ readings }) => readings[id] != null);
  return { reported: matching.filter(isReported), absent: matching.filter((metric) => !isReported(metric)) };
}
