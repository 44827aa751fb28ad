import { type Reader, simpleVariant } from './reader.ts';
import { symbol } from './symbols.ts';

const USAGE = symbol('nvmlDeviceGetPowerUsage');
const LIMIT = symbol('nvmlDeviceGetEnforcedPowerLimit');
const ENERGY = symbol('nvmlDeviceGetTotalEnergyConsumption');

/** No board draws ten kilowatts. */
const MAX_WATTS = 10_000;
/** Ten kilowatts for thirty years. */
const MAX_JOULES = 1e13;

/** Milliwatts and millijoules become watts and joules. */
export const POWER_READERS: readonly Reader[] = [
  {
    metrics: ['power_watts'],
    variants: [simpleVariant(USAGE, (nvml, out) => out.put(0, nvml.out[0]! / 1000, 0, MAX_WATTS))],
  },
  {
    metrics: ['power_limit_watts'],
    variants: [simpleVariant(LIMIT, (nvml, out) => out.put(0, nvml.out[0]! / 1000, 0, MAX_WATTS))],
  },
  {
    metrics: ['energy_joules_total'],
    variants: [simpleVariant(ENERGY, (nvml, out) => out.put(0, nvml.u64(0) / 1000, 0, MAX_JOULES))],
  },
];
