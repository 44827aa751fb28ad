import type { Device, MigSlice } from '../../model/device.ts';
import { CODE, MIG_ATTRIBUTES, TEXT_SIZE } from './abi.ts';
import type { Gpu } from './gpu.ts';
import type { Handle, Nvml } from './nvml.ts';
import { RECORD, RECORD_SIZE } from './process-record.ts';
import type { ProcessTable } from './process-table.ts';
import { symbol } from './symbols.ts';

const MOST_INSTANCES = symbol('nvmlDeviceGetMaxMigDeviceCount');
const INSTANCE_BY_INDEX = symbol('nvmlDeviceGetMigDeviceHandleByIndex');
const GPU_INSTANCE = symbol('nvmlDeviceGetGpuInstanceId');
const COMPUTE_INSTANCE = symbol('nvmlDeviceGetComputeInstanceId');
const ATTRIBUTES = symbol('nvmlDeviceGetAttributes_v2');
const NAME = symbol('nvmlDeviceGetName');
const UUID = symbol('nvmlDeviceGetUUID');

/** No card is cut into more; a larger count is a fault of the driver. */
const SANE_COUNT = 64;

/** A sentinel is no size. */
const MOST_GIB = 2 ** 20;

/** A MIG instance as the driver lists it. */
export interface Instance {
  readonly handle: Handle;
  readonly device: Device;
}

/** The instances of a card on which MIG is on; null where the driver does not tell all of them. */
export function listInstances(nvml: Nvml, card: Gpu): readonly Instance[] | null {
  if (nvml.call(MOST_INSTANCES, card.handle, nvml.out) !== CODE.ok) return null;
  const most = Math.min(nvml.out[0]!, SANE_COUNT);
  const found: Instance[] = [];
  for (let index = 0; index < most; index++) {
    const code = nvml.call(INSTANCE_BY_INDEX, card.handle, index, nvml.out);
    // The indexes have holes.
    if (code === CODE.notFound) continue;
    if (code !== CODE.ok) return null;
    const instance = identifyInstance(nvml, nvml.handle(), card.device);
    if (instance === null) return null;
    found.push(instance);
  }
  return found;
}

/** Null where not even its place on the card is known: then nothing could be told of it. */
function identifyInstance(nvml: Nvml, handle: Handle, card: Device): Instance | null {
  if (nvml.call(GPU_INSTANCE, handle, nvml.out) !== CODE.ok) return null;
  const gpuInstance = nvml.out[0]!;
  const computeInstance = nvml.call(COMPUTE_INSTANCE, handle, nvml.out) === CODE.ok ? nvml.out[0]! : 0;
  const uuid = textOf(nvml, UUID, handle, TEXT_SIZE.uuid);
  const name = textOf(nvml, NAME, handle, TEXT_SIZE.name) ?? card.name;
  const profile = /\bMIG (\S+)$/.exec(name)?.[1] ?? profileOf(nvml, handle);
  const mig: MigSlice = { parent: card.uuid, gpuInstance, computeInstance, profile };
  return {
    handle,
    device: {
      // The form in which drivers before R470 named instances.
      ...(uuid === null
        ? { uuid: `MIG-${card.uuid}/${gpuInstance}/${computeInstance}`, uuidIsDerived: true }
        : { uuid }),
      vendor: 'nvidia',
      name: profile === null || name.includes(profile) ? name : `${name} MIG ${profile}`,
      index: card.index,
      pciBusId: card.pciBusId,
      minor: null,
      serial: null,
      driverVersion: card.driverVersion,
      mig,
    },
  };
}

/** `3g.40gb`, or `1c.3g.40gb` for an instance that computes with fewer slices than it has memory. */
function profileOf(nvml: Nvml, handle: Handle): string | null {
  if (nvml.call(ATTRIBUTES, handle, nvml.out) !== CODE.ok) return null;
  const slices = nvml.out[MIG_ATTRIBUTES.gpuSlices / 4]!;
  const computeSlices = nvml.out[MIG_ATTRIBUTES.computeSlices / 4]!;
  const gib = Math.ceil(nvml.u64(MIG_ATTRIBUTES.memoryMib) / 1024);
  if (slices === 0 || slices > SANE_COUNT || gib === 0 || gib > MOST_GIB) return null;
  const compute = computeSlices > 0 && computeSlices < slices ? `${computeSlices}c.` : '';
  return `${compute}${slices}g.${gib}gb`;
}

function textOf(nvml: Nvml, call: number, handle: Handle, size: number): string | null {
  return nvml.call(call, handle, nvml.out, size) === CODE.ok ? nvml.text(0, size) || null : null;
}

/**
 * Gives processes to the instances in which they run: the driver lists them under the card, and each is to be counted
 * once. One whose instance is not listed stays with the card.
 */
export function routeProcesses({ records, count }: ProcessTable, gpus: readonly Gpu[]): void {
  for (let at = 0; at < count * RECORD_SIZE; at += RECORD_SIZE) {
    const gpuInstance = records[at + RECORD.gpuInstance]!;
    if (gpuInstance < 0) continue;
    const card = gpus[records[at + RECORD.gpu]!]!.device.uuid;
    const computeInstance = records[at + RECORD.computeInstance]!;
    const position = gpus.findIndex(({ device: { mig } }) => {
      if (mig?.parent !== card || mig.gpuInstance !== gpuInstance) return false;
      return computeInstance < 0 || mig.computeInstance === computeInstance;
    });
    if (position >= 0) records[at + RECORD.gpu] = position;
  }
}

/** By index, and the MIG instances of a card behind it. */
export function byPlace(a: Device, b: Device): number {
  return (
    a.index - b.index ||
    (a.mig?.gpuInstance ?? -1) - (b.mig?.gpuInstance ?? -1) ||
    (a.mig?.computeInstance ?? -1) - (b.mig?.computeInstance ?? -1)
  );
}
