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

/** Labels that say whom something is for. */
export function ownerLabels({ namespace, pod, container, user, job }: DeviceOwner): [string, string | null][] {
  return [
    ['namespace', namespace],
    ['pod', pod],
    ['container', container],
    ['user', user],
    ['job', job],
  ];
}
