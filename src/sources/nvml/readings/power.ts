import { CODE, FIELD } from '../abi.ts';
import { MAX_WATTS } from '../ranges.ts';
import { type Reader, simpleVariant, type Variant } from '../reader.ts';
import { symbol } from '../symbols.ts';
import { fieldVariant } from './field-group.ts';

const USAGE = symbol('nvmlDeviceGetPowerUsage');
const LIMIT = symbol('nvmlDeviceGetEnforcedPowerLimit');
const LIMIT_REQUESTED = symbol('nvmlDeviceGetPowerManagementLimit');
const LIMIT_DEFAULT = symbol('nvmlDeviceGetPowerManagementDefaultLimit');
const LIMIT_CONSTRAINTS = symbol('nvmlDeviceGetPowerManagementLimitConstraints');
const ENERGY = symbol('nvmlDeviceGetTotalEnergyConsumption');

/** The driver speaks of milliwatts and millijoules. */
const MILLI = 1000;

/** Ten kilowatts for thirty years. */
const MAX_JOULES = 1e13;

function watts(call: number): Variant {
  return simpleVariant(call, (nvml, out) => out.put(0, nvml.out[0]! / MILLI, 0, MAX_WATTS));
}

const readConstraints: Variant = (nvml, { handle }, out) => {
  const code = nvml.call(LIMIT_CONSTRAINTS, handle, nvml.results[0], nvml.results[1]);
  if (code !== CODE.ok) return code;
  out.put(0, nvml.out[0]! / MILLI, 0, MAX_WATTS);
  out.put(1, nvml.out[2]! / MILLI, 0, MAX_WATTS);
  return code;
};

/** A limit as a field value, for libraries without the older function. */
function limitFields(...fields: readonly number[]): Variant {
  return fieldVariant(fields.map((field) => ({ field, per: MILLI, max: MAX_WATTS })));
}

/** Power now and over the last second comes with the fields of every tick. */
export const POWER_READERS: readonly Reader[] = [
  { metrics: ['power_watts'], variants: [watts(USAGE)] },
  { metrics: ['power_limit_watts'], variants: [watts(LIMIT), limitFields(FIELD.powerLimit)] },
  {
    metrics: ['power_limit_requested_watts'],
    variants: [watts(LIMIT_REQUESTED), limitFields(FIELD.powerLimitRequested)],
  },
  {
    metrics: ['power_limit_default_watts'],
    variants: [watts(LIMIT_DEFAULT), limitFields(FIELD.powerLimitDefault)],
  },
  {
    metrics: ['power_limit_min_watts', 'power_limit_max_watts'],
    variants: [readConstraints, limitFields(FIELD.powerLimitMin, FIELD.powerLimitMax)],
  },
  {
    metrics: ['energy_joules_total'],
    variants: [simpleVariant(ENERGY, (nvml, out) => out.put(0, nvml.u64(0) / MILLI, 0, MAX_JOULES))],
  },
];
