import { CODE, FIELD } from '../abi.ts';
import { MAX_JOULES, MAX_WATTS } from '../ranges.ts';
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

/** The function, where the same number did not come with the fields of this tick. */
const readEnergy: Variant = (nvml, { handle, hasEnergy }, out) => {
  if (hasEnergy) return CODE.ok;
  const code = nvml.call(ENERGY, handle, nvml.out);
  if (code === CODE.ok) out.put(0, nvml.amount(0) / MILLI, 0, MAX_JOULES);
  return code;
};

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
  { metrics: ['energy_joules_total'], variants: [readEnergy] },
];
