import type { Device } from '../../model/device.ts';
import { LabelSet } from '../labels.ts';
import type { DeviceOwner } from '../owners.ts';
import type { Row } from '../page.ts';

/** The label that names the host: dcgm-exporter called it `Hostname` for years, and then renamed it. */
export type HostLabel = 'Hostname' | 'hostname' | 'both';

type Entry = readonly [name: string, value: string | number | null | undefined];

export function hostEntries(host: string, label: HostLabel): readonly Entry[] {
  return label === 'both'
    ? [
        ['Hostname', host],
        ['hostname', host],
      ]
    : [[label, host]];
}

/** `00000000:1A:00.0`: a domain of eight digits, in capitals. */
export function dcgmBusId(busId: string | null): string | null {
  const match = /^([0-9a-f]{1,8}):([0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])$/i.exec(busId ?? '');
  return match === null ? busId : `${match[1]!.padStart(8, '0')}:${match[2]}`.toUpperCase();
}

/** The card that a row is, or is part of. A MIG instance whose card is not listed passes for it. */
export function cardOf({ device, card }: Row): Device {
  return card ?? device;
}

/** Labels of a series in dcgm-exporter's order, up to those that say whom it is for. */
export function dcgmLabels(row: Row, host: readonly Entry[], driverLabel: readonly string[]): LabelSet | null {
  const { device } = row;
  const { index, uuid, pciBusId, name, driverVersion } = cardOf(row);
  const { mig } = device;
  // Without the number of the instance its series could not be told from those of its card.
  if (mig !== undefined && mig.gpuInstance === null) return null;
  return new LabelSet([
    ['gpu', index],
    ['UUID', mig === undefined ? uuid : mig.parent],
    ['pci_bus_id', dcgmBusId(pciBusId)],
    ['device', `nvidia${index}`],
    ['modelName', name],
    ['GPU_I_PROFILE', mig?.profile],
    ['GPU_I_ID', mig?.gpuInstance],
    ...host,
    ...driverLabel.map((label): Entry => [label, device.driverVersion ?? driverVersion]),
  ]);
}

/** Labels of whom it is for, sorted by name with what else a series has. */
export function dcgmOwner(labels: LabelSet, owner: DeviceOwner | null, more: readonly Entry[] = []): LabelSet {
  const entries: Entry[] = [...more];
  if (owner !== null) {
    entries.push(
      ['container', owner.container],
      ['hpc_job', owner.job],
      ['namespace', owner.namespace],
      ['pod', owner.pod],
      ['pod_uid', owner.podUid],
    );
  }
  return labels.with(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Labels of one NVLink port, which go by other names than those of a GPU. */
export function dcgmLinkLabels(row: Row, link: number, host: string): LabelSet {
  const { index, uuid, pciBusId, name } = cardOf(row);
  return new LabelSet([
    ['nvlink', link],
    ['gpu', index],
    ['gpu_uuid', uuid],
    ['pci_bus_id', dcgmBusId(pciBusId)],
    ['device', `nvidia${index}`],
    ['model_name', name],
    ['hostname', host],
  ]);
}
