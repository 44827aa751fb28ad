import type { Device } from '../../model/device.ts';
import { LabelSet } from '../labels.ts';
import type { DeviceOwner } from '../owners.ts';

/** Labels that tell a device apart: a MIG instance has the index of its card, a UUID of its own, and its place there. */
export function deviceLabels(device: Device): LabelSet {
  return new LabelSet([
    ['gpu', device.index],
    ['uuid', device.uuid],
    ['gpu_instance', device.mig?.gpuInstance],
    ['compute_instance', device.mig?.computeInstance],
    ['mig_profile', device.mig?.profile],
  ]);
}

/**
 * Labels that say whom something is for. The job goes by the name that dcgm-exporter has for it: `job` belongs to
 * Prometheus and to the groups of a Pushgateway.
 */
export function ownerLabels({ namespace, pod, container, user, job }: DeviceOwner): [string, string | null][] {
  return [
    ['namespace', namespace],
    ['pod', pod],
    ['container', container],
    ['user', user],
    ['hpc_job', job],
  ];
}

/** What a chart calls a device beside its host: `GPU 1`, or `GPU 1 MIG 2/0` for an instance by its two numbers. */
export function deviceTitle({ index, uuid, mig }: Device): string {
  const card = `GPU ${index}`;
  if (mig === undefined) return card;
  return `${card} MIG ${mig.gpuInstance === null ? uuid : `${mig.gpuInstance}/${mig.computeInstance ?? 0}`}`;
}
