import { CATALOGUE, findMetric, type MetricId, metric } from '../../model/catalogue.ts';
import { AppError } from '../../model/errors.ts';
import type { Text } from '../../model/i18n/text.ts';
import type { Viewer } from '../../model/ports.ts';
import type { DeviceView, Reader } from '../../model/reader.ts';
import { HOST_UUID } from '../../model/tick.ts';
import { shown } from '../failure.ts';
import { badQuery, list, missingParameter } from './parameter.ts';
import { unknownMetric } from './unknown-metric.ts';

const MOST_METRICS = 32;

const METRIC_IDS = CATALOGUE.map(({ id }) => id);
const METRIC_NOTATION: Text = {
  en: `metric[,metric…], 1…${MOST_METRICS}`,
  zh: `指标[,指标…]，1…${MOST_METRICS} 个`,
};

const GPUS_NOTATION: Text = {
  en: 'all | host | uuid[,uuid…] | index[,index…]',
  zh: 'all | host | UUID[,UUID…] | 序号[,序号…]',
};

export const metricParameter = list({
  expected: METRIC_NOTATION,
  description: 'metric ids, separated by commas or given again',
  item: { type: 'string', enum: METRIC_IDS },
});

export const gpuParameter = list({
  expected: GPUS_NOTATION,
  description:
    'UUIDs or indexes, separated by commas or given again; host for the machine itself; all GPUs where it is missing',
  item: { type: 'string' },
});

/** The metrics a query names; throws MISSING_PARAMETER, BAD_QUERY where there are too many, and UNKNOWN_METRIC. */
export function chooseMetrics(names: readonly string[] | undefined): readonly MetricId[] {
  if (names === undefined || names.length === 0) throw missingParameter('metric', METRIC_NOTATION);
  if (names.length > MOST_METRICS) throw badQuery('metric', names.join(), METRIC_NOTATION);
  return names.map((name) => {
    const id = findMetric(name)?.id;
    if (id === undefined) throw unknownMetric(shown(name));
    return id;
  });
}

/**
 * UUIDs of the devices a query names by UUID or index, and `host` for the machine, each once; all present GPUs by default. A UUID may also be that
 * of a device that only the history knows: a card that has been taken out keeps its past. Throws UNKNOWN_GPU, and
 * BAD_QUERY where the parameter is given without a value.
 */
export async function chooseGpus(
  names: readonly string[] | undefined,
  reader: Pick<Reader, 'snapshot' | 'devices'>,
  viewer: Viewer,
): Promise<readonly string[]> {
  const present = reader.snapshot(viewer).devices;
  if (names?.length === 0) throw badQuery('gpu', '', GPUS_NOTATION);
  if (names === undefined || names.includes('all')) {
    return present.map(({ device }) => device.uuid);
  }
  const chosen = new Set<string>();
  for (const name of names) {
    if (name === HOST_UUID) {
      chosen.add(HOST_UUID);
      continue;
    }
    const found = matching(name, present);
    if (found.length === 0 && !(await reader.devices(viewer)).some(({ uuid }) => uuid === name)) {
      throw new AppError('UNKNOWN_GPU', { name: shown(name) });
    }
    for (const uuid of found.length === 0 ? [name] : found) chosen.add(uuid);
  }
  return [...chosen];
}

/** True for metrics that only the machine itself has, so that no GPU needs to be named. */
export function areOfHost(metrics: readonly MetricId[]): boolean {
  return metrics.every((id) => metric(id).scope === 'host');
}

/** An index stands for the card, not for its MIG instances. Devices of different vendors may share one. */
function matching(name: string, devices: readonly DeviceView[]): readonly string[] {
  const index = /^\d{1,6}$/.test(name) ? Number(name) : null;
  return devices
    .map(({ device }) => device)
    .filter((device) => device.uuid === name || (device.index === index && device.mig === undefined))
    .map(({ uuid }) => uuid);
}
