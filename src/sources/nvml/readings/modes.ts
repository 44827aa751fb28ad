import type { MetricId } from '../../../model/catalogue.ts';
import { ADDRESSING_V1, CODE, CONFIDENTIAL_COMPUTE, FIELD } from '../abi.ts';
import { type Reader, simpleVariant, type Variant } from '../reader.ts';
import { symbol } from '../symbols.ts';
import { fieldVariant } from './field-group.ts';

const MIG_MODE = symbol('nvmlDeviceGetMigMode');
const DRIVER_MODEL_V2 = symbol('nvmlDeviceGetDriverModel_v2');
const DRIVER_MODEL = symbol('nvmlDeviceGetDriverModel');
const ADDRESSING_MODE = symbol('nvmlDeviceGetAddressingMode');
const CONFIDENTIAL = symbol('nvmlSystemGetConfComputeState');

/** Newer drivers may know more states than there are words for: a number says more than nothing, up to here. */
const MAX_STATE = 31;

function mode(metric: MetricId, call: number, max: number): Reader {
  return { metrics: [metric], variants: [simpleVariant(call, (nvml, out) => out.put(0, nvml.out[0]!, 0, max))] };
}

const readMig: Variant = (nvml, { handle }, out) => {
  const code = nvml.call(MIG_MODE, handle, nvml.results[0], nvml.results[1]);
  if (code !== CODE.ok) return code;
  out.put(0, nvml.out[0]!, 0, 1);
  out.put(1, nvml.out[2]!, 0, 1);
  return code;
};

function driverModel(call: number): Variant {
  return (nvml, { handle }, out) => {
    const code = nvml.call(call, handle, nvml.out, nvml.ignored);
    if (code === CODE.ok) out.put(0, nvml.out[0]!, 0, MAX_STATE);
    return code;
  };
}

const readAddressing: Variant = (nvml, { handle }, out) => {
  nvml.out[0] = ADDRESSING_V1.word;
  const code = nvml.call(ADDRESSING_MODE, handle, nvml.out);
  if (code === CODE.ok) out.put(0, nvml.out[ADDRESSING_V1.value / 4]!, 0, MAX_STATE);
  return code;
};

/** It is the state of the machine, and so the same for all of its GPUs. */
const readConfidential: Variant = (nvml, _gpu, out) => {
  const code = nvml.call(CONFIDENTIAL, nvml.out);
  if (code === CODE.ok) out.put(0, nvml.out[CONFIDENTIAL_COMPUTE.feature / 4]!, 0, 1);
  return code;
};

export const MODE_READERS: readonly Reader[] = [
  mode('compute_mode', symbol('nvmlDeviceGetComputeMode'), MAX_STATE),
  mode('persistence_mode', symbol('nvmlDeviceGetPersistenceMode'), 1),
  mode('display_active', symbol('nvmlDeviceGetDisplayActive'), 1),
  { metrics: ['mig_mode', 'mig_mode_pending'], variants: [readMig] },
  { metrics: ['driver_model'], variants: [driverModel(DRIVER_MODEL_V2), driverModel(DRIVER_MODEL)] },
  { metrics: ['addressing_mode'], variants: [readAddressing] },
  { metrics: ['confidential_compute'], variants: [readConfidential] },
  { metrics: ['recovery_action'], variants: [fieldVariant([{ field: FIELD.recoveryAction, max: MAX_STATE }])] },
];
