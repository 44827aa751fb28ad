import { type Identity, UNKNOWN_IDENTITY } from '../log-devices.ts';
import { vendorOf } from '../vendor-names.ts';
import type { Family } from './families.ts';

type Labels = ReadonlyMap<string, string>;

/** The device that a series is about: `key` is the same for all series of it. */
export interface LabelledDevice {
  readonly key: string;
  readonly identity: Identity;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const BUS_ID = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$/i;

/** Finds the device in the labels, which every exporter names in its own way. */
export class LabelIdentity {
  /** GPUs without a UUID of other hosts than this one have its name in their key. */
  #firstHost: string | null = null;

  /** Null where the labels name no device. */
  find(labels: Labels, family: Family): LabelledDevice | null {
    const identity = this.#identity(labels, family);
    if (identity.uuid === null && identity.pciBusId === null && identity.index === null) return null;
    const card = this.#ofHost(identity, labels);
    const instance = labels.get('GPU_I_ID');
    const device = instance === undefined || instance === '' ? card : instanceOf(card, instance, labels);
    return { key: device.uuid ?? device.pciBusId ?? `#${device.index}`, identity: device };
  }

  #identity(labels: Labels, family: Family): Identity {
    const name = first(labels, [
      'modelName',
      'model_name',
      'gpu_name',
      'gpu_model',
      'card_model',
      'card_series',
      'name',
      'model',
    ]);
    const busId = first(labels, ['pci_bus_id', 'pcie_bus_info', 'gpu_bus_id', 'bus_id']);
    const vendor = family.vendor ?? (name === null ? undefined : vendorOf(name));
    const vbios = first(labels, ['vbios_version', 'DCGM_FI_DEV_VBIOS_VERSION']);
    return {
      ...UNKNOWN_IDENTITY,
      uuid: family.uuid ?? uuidOf(labels, family),
      pciBusId: busId !== null && BUS_ID.test(busId) ? busId : null,
      serial: first(labels, ['serial', 'serial_number', 'DCGM_FI_DEV_SERIAL']),
      index: indexOf(labels),
      name,
      driverVersion: first(labels, ['DCGM_FI_DRIVER_VERSION', 'driver_version']),
      ...(vendor === undefined ? {} : { vendor }),
      ...(vbios === null ? {} : { facts: { vbios } }),
    };
  }

  #ofHost(identity: Identity, labels: Labels): Identity {
    if (identity.uuid !== null) return identity;
    const host = first(labels, ['Hostname', 'hostname', 'node', 'instance', 'host']);
    if (host === null) return identity;
    this.#firstHost ??= host;
    if (host === this.#firstHost) return identity;
    return { ...identity, uuid: `log-${host}-${identity.pciBusId ?? identity.index}`, isDerived: true };
  }
}

/** An instance of MIG, which exporters give the UUID of its card. */
function instanceOf(card: Identity, instance: string, labels: Labels): Identity {
  const parent = card.uuid ?? card.pciBusId ?? `log-${card.index}`;
  const profile = labels.get('GPU_I_PROFILE') ?? null;
  const gpuInstance = Number(instance);
  // Exporters tell GPU instances apart but not what they are cut into: they are taken to be in one piece.
  const slice = { parent, gpuInstance, computeInstance: 0, profile };
  return {
    ...card,
    uuid: `MIG-${parent}/${instance}/0`,
    isDerived: true,
    name: [card.name, 'MIG', profile].filter((part) => part !== null).join(' '),
    ...(Number.isSafeInteger(gpuInstance) ? { mig: slice } : {}),
  };
}

function uuidOf(labels: Labels, { isBareUuid }: Family): string | null {
  const uuid = first(labels, ['UUID', 'uuid', 'gpu_uuid', 'GPU_UUID', 'vdie_id']);
  return uuid !== null && isBareUuid && UUID.test(uuid) ? `GPU-${uuid}` : uuid;
}

function indexOf(labels: Labels): number | null {
  const written = first(labels, ['gpu', 'gpu_index', 'gpu_id', 'index', 'minor_number', 'id']) ?? labels.get('device');
  const digits = /^(?:nvidia|gpu|card)?(\d{1,4})$/i.exec(written ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}

/** The first of these labels that is there and not empty. */
function first(labels: Labels, names: readonly string[]): string | null {
  for (const name of names) {
    const value = labels.get(name);
    if (value !== undefined && value !== '' && value !== 'N/A' && value !== '[N/A]') return value;
  }
  return null;
}
