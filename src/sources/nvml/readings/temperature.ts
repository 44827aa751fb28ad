import type { MetricId } from '../../../model/catalogue.ts';
import { CODE, FIELD, GPU_SENSOR, MARGIN_V1, TEMPERATURE_V1, THRESHOLD } from '../abi.ts';
import { MAX_CELSIUS, MIN_CELSIUS } from '../ranges.ts';
import type { Reader, Variant } from '../reader.ts';
import { symbol } from '../symbols.ts';
import { fieldGroup, type GroupItem } from './field-group.ts';

const TEMPERATURE_V = symbol('nvmlDeviceGetTemperatureV');
const TEMPERATURE = symbol('nvmlDeviceGetTemperature');
const MARGIN = symbol('nvmlDeviceGetMarginTemperature');
const TEMPERATURE_THRESHOLD = symbol('nvmlDeviceGetTemperatureThreshold');

/** All ones, which as a signed number would be a degree below zero. */
const NOT_AVAILABLE = -1;

const readV: Variant = (nvml, { handle }, out) => {
  nvml.out[0] = TEMPERATURE_V1.word;
  nvml.out[TEMPERATURE_V1.sensor / 4] = GPU_SENSOR;
  const code = nvml.call(TEMPERATURE_V, handle, nvml.out);
  const celsius = nvml.signed[TEMPERATURE_V1.temperature / 4]!;
  if (code === CODE.ok) out.put(0, celsius === NOT_AVAILABLE ? Number.NaN : celsius, MIN_CELSIUS, MAX_CELSIUS);
  return code;
};

const readPlain: Variant = (nvml, { handle }, out) => {
  const code = nvml.call(TEMPERATURE, handle, GPU_SENSOR, nvml.out);
  if (code === CODE.ok) out.put(0, nvml.out[0]!, 0, MAX_CELSIUS);
  return code;
};

/** Negative while the device is hotter than it should be. */
const readMargin: Variant = (nvml, { handle }, out) => {
  nvml.out[0] = MARGIN_V1.word;
  const code = nvml.call(MARGIN, handle, nvml.out);
  if (code === CODE.ok) out.put(0, nvml.signed[MARGIN_V1.margin / 4]!, MIN_CELSIUS, MAX_CELSIUS);
  return code;
};

/** A kind of threshold that the driver has never heard of is an invalid argument to it. */
function readThreshold(threshold: number): Variant {
  return (nvml, { handle }, out) => {
    const code = nvml.call(TEMPERATURE_THRESHOLD, handle, threshold, nvml.out);
    if (code === CODE.ok) out.put(0, nvml.out[0]!, 1, MAX_CELSIUS);
    return code === CODE.invalidArgument ? CODE.notSupported : code;
  };
}

/** Relative to the limit, as newer boards tell their thresholds; most are below zero. */
function marginAt(metric: MetricId, field: number): GroupItem {
  return { metric, field, min: MIN_CELSIUS, max: MAX_CELSIUS };
}

/** The temperature of the memory comes with the field values. */
export const TEMPERATURE_READERS: readonly Reader[] = [
  { metrics: ['temperature_celsius'], variants: [readV, readPlain] },
  { metrics: ['temperature_margin_celsius'], variants: [readMargin] },
  { metrics: ['temperature_slowdown_celsius'], variants: [readThreshold(THRESHOLD.slowdown)] },
  { metrics: ['temperature_shutdown_celsius'], variants: [readThreshold(THRESHOLD.shutdown)] },
  { metrics: ['temperature_max_operating_celsius'], variants: [readThreshold(THRESHOLD.gpuMax)] },
  { metrics: ['memory_temperature_max_celsius'], variants: [readThreshold(THRESHOLD.memoryMax)] },
  fieldGroup([
    marginAt('temperature_shutdown_margin_celsius', FIELD.marginAtShutdown),
    marginAt('temperature_slowdown_margin_celsius', FIELD.marginAtSlowdown),
    marginAt('temperature_max_operating_margin_celsius', FIELD.marginAtGpuMax),
    marginAt('temperature_memory_max_margin_celsius', FIELD.marginAtMemoryMax),
  ]),
];
