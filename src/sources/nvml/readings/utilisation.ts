import { CODE, UTILIZATION } from '../abi.ts';
import type { Reader, Variant } from '../reader.ts';
import { symbol } from '../symbols.ts';

const RATES = symbol('nvmlDeviceGetUtilizationRates');
const ENCODER = symbol('nvmlDeviceGetEncoderUtilization');
const DECODER = symbol('nvmlDeviceGetDecoderUtilization');
const JPEG = symbol('nvmlDeviceGetJpgUtilization');
const OFA = symbol('nvmlDeviceGetOfaUtilization');

/** Percentages of time; more than 100 is one of the driver's sentinels. */
const MAX = 1;

const readRates: Variant = (nvml, { handle }, out) => {
  const code = nvml.call(RATES, handle, nvml.out);
  if (code !== CODE.ok) return code;
  out.put(0, nvml.out[UTILIZATION.gpu / 4]! / 100, 0, MAX);
  out.put(1, nvml.out[UTILIZATION.memory / 4]! / 100, 0, MAX);
  return code;
};

function readEngine(engine: number): Variant {
  return (nvml, { handle }, out) => {
    const code = nvml.call(engine, handle, nvml.out, nvml.ignored);
    if (code === CODE.ok) out.put(0, nvml.out[0]! / 100, 0, MAX);
    return code;
  };
}

export const UTILISATION_READERS: readonly Reader[] = [
  { metrics: ['utilization_ratio', 'memory_utilization_ratio'], variants: [readRates], notWithMig: true },
  { metrics: ['encoder_utilization_ratio'], variants: [readEngine(ENCODER)], notWithMig: true },
  { metrics: ['decoder_utilization_ratio'], variants: [readEngine(DECODER)], notWithMig: true },
  { metrics: ['jpeg_utilization_ratio'], variants: [readEngine(JPEG)], notWithMig: true },
  { metrics: ['ofa_utilization_ratio'], variants: [readEngine(OFA)], notWithMig: true },
];
