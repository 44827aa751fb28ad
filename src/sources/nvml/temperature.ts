import { CODE, GPU_SENSOR, MARGIN_V1, SLOWDOWN_THRESHOLD, TEMPERATURE_V1 } from './abi.ts';
import type { Reader, Variant } from './reader.ts';
import { symbol } from './symbols.ts';

const TEMPERATURE_V = symbol('nvmlDeviceGetTemperatureV');
const TEMPERATURE = symbol('nvmlDeviceGetTemperature');
const MARGIN = symbol('nvmlDeviceGetMarginTemperature');
const THRESHOLD = symbol('nvmlDeviceGetTemperatureThreshold');

/** What a chip can be at and still answer, °C. */
export const MIN_CELSIUS = -60;
export const MAX_CELSIUS = 180;

const readV: Variant = (nvml, { handle }, out) => {
  nvml.out[0] = TEMPERATURE_V1.word;
  nvml.out[TEMPERATURE_V1.sensor / 4] = GPU_SENSOR;
  const code = nvml.call(TEMPERATURE_V, handle, nvml.out);
  if (code === CODE.ok) out.put(0, nvml.signed[TEMPERATURE_V1.temperature / 4]!, MIN_CELSIUS, MAX_CELSIUS);
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

const readSlowdown: Variant = (nvml, { handle }, out) => {
  const code = nvml.call(THRESHOLD, handle, SLOWDOWN_THRESHOLD, nvml.out);
  if (code === CODE.ok) out.put(0, nvml.out[0]!, 1, MAX_CELSIUS);
  return code;
};

/** The temperature of the memory comes with the field values. */
export const TEMPERATURE_READERS: readonly Reader[] = [
  { metrics: ['temperature_celsius'], variants: [readV, readPlain] },
  { metrics: ['temperature_margin_celsius'], variants: [readMargin] },
  { metrics: ['temperature_slowdown_celsius'], variants: [readSlowdown] },
];
