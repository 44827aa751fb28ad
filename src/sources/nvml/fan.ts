import { CODE, type Code } from './abi.ts';
import type { Reader, Variant } from './reader.ts';
import { symbol } from './symbols.ts';

const SPEED_V2 = symbol('nvmlDeviceGetFanSpeed_v2');
const SPEED = symbol('nvmlDeviceGetFanSpeed');

/** A fan may run above its nominal maximum, in percent; ten times that is no fan. */
const MAX_PERCENT = 1000;

/** More fans than any board has: such a count is a sentinel, and asking each one would never end. */
const MAX_FANS = 64;

/** The fastest of all fans. One that fails is left out as long as another answers. */
const readEach: Variant = (nvml, { handle, fans }, out) => {
  if (fans === null || fans === 0) return CODE.notSupported;
  if (fans > MAX_FANS) return CODE.unknown;
  let fastest = -1;
  let failure: Code = CODE.notSupported;
  for (let fan = 0; fan < fans; fan++) {
    const code = nvml.call(SPEED_V2, handle, fan, nvml.out);
    const speed = nvml.out[0]!;
    if (code === CODE.gpuIsLost || code === CODE.resetRequired) return code;
    if (code !== CODE.ok) failure = code;
    else if (speed > MAX_PERCENT) failure = CODE.unknown;
    else fastest = Math.max(fastest, speed);
  }
  if (fastest < 0) return failure;
  out.put(0, fastest / 100, 0, MAX_PERCENT / 100);
  return CODE.ok;
};

const readOne: Variant = (nvml, { handle, fans }, out) => {
  if (fans === 0) return CODE.notSupported;
  const code = nvml.call(SPEED, handle, nvml.out);
  if (code === CODE.ok) out.put(0, nvml.out[0]! / 100, 0, MAX_PERCENT / 100);
  return code;
};

export const FAN_READERS: readonly Reader[] = [{ metrics: ['fan_speed_ratio'], variants: [readEach, readOne] }];
