import { absent, type Reading } from '../../../model/reading.ts';
import { CODE, type Code, FAN_SPEED_V1 } from '../abi.ts';
import { absenceOf } from '../answers.ts';
import { checked } from '../details.ts';
import type { Handle, Nvml } from '../nvml.ts';
import type { Reader, Subject, Variant } from '../reader.ts';
import { symbol } from '../symbols.ts';

const NUM_FANS = symbol('nvmlDeviceGetNumFans');
const SPEED_V2 = symbol('nvmlDeviceGetFanSpeed_v2');
const SPEED = symbol('nvmlDeviceGetFanSpeed');
const SPEED_RPM = symbol('nvmlDeviceGetFanSpeedRPM');

/** A fan may run above its nominal maximum, in percent; ten times that is no fan. */
const MAX_PERCENT = 1000;
/** Turns per minute; the small fans of servers make a third of it. */
const MAX_RPM = 60_000;

/** More fans than any board has: such a count is a sentinel, and asking each one would never end. */
const MAX_FANS = 64;

/** Number of fans: null where the library cannot tell, NaN where it failed to for now. */
export function countFans(nvml: Nvml, handle: Handle): number | null {
  return countOf(nvml.call(NUM_FANS, handle, nvml.out), nvml);
}

function countOf(code: Code, nvml: Nvml): number | null {
  if (code === CODE.ok) return nvml.out[0]!;
  if (code === CODE.notSupported) return 0;
  return code === CODE.functionNotFound ? null : Number.NaN;
}

/** Counts the fans again where that failed before. The code where it still does: one of several would pass for the fastest. */
function recount(nvml: Nvml, gpu: Subject): Code {
  if (!Number.isNaN(gpu.fans)) return CODE.ok;
  const code = nvml.call(NUM_FANS, gpu.handle, nvml.out);
  gpu.fans = countOf(code, nvml);
  return Number.isNaN(gpu.fans) ? code : CODE.ok;
}

/** How a number of every fan is asked for. */
interface FanQuestion {
  readonly ask: (nvml: Nvml, gpu: Subject, fan: number) => Code;
  /** Word of the scratch buffer with the answer, in so many units per base unit, and the largest that is believed. */
  readonly at: number;
  readonly per: number;
  readonly max: number;
  /** The first fan is asked for where the driver cannot count them. */
  readonly alone: boolean;
}

interface Fans {
  readonly code: Code;
  readonly fastest: number;
  /** Good until the next fans are read. */
  readonly fans: readonly Reading[];
}

/** Every tick of every GPU fills it. */
const found: Reading[] = [];

/** The fastest of all fans, and each of them. One that fails is left out of the first as long as another answers. */
function readFans(nvml: Nvml, gpu: Subject, { ask, at, per, max, alone }: FanQuestion): Fans {
  const counted = recount(nvml, gpu);
  if (counted !== CODE.ok) return { code: counted, fastest: -1, fans: [] };
  const count = gpu.fans ?? (alone ? 1 : 0);
  if (count === 0) return { code: CODE.notSupported, fastest: -1, fans: [] };
  if (count > MAX_FANS) return { code: CODE.unknown, fastest: -1, fans: [] };
  found.length = 0;
  let fastest = -1;
  let failure: Code = CODE.notSupported;
  for (let fan = 0; fan < count; fan++) {
    const code = ask(nvml, gpu, fan);
    if (code === CODE.functionNotFound) return { code, fastest: -1, fans: [] };
    const reading = code === CODE.ok ? checked(nvml.out[at]! / per, 0, max) : absent(absenceOf(code));
    found.push(reading);
    if (typeof reading === 'number') fastest = Math.max(fastest, reading);
    else failure = code === CODE.ok ? CODE.unknown : code;
  }
  return { code: fastest < 0 ? failure : CODE.ok, fastest, fans: found };
}

const RATIO: FanQuestion = {
  ask: (nvml, { handle }, fan) => nvml.call(SPEED_V2, handle, fan, nvml.out),
  at: 0,
  per: 100,
  max: MAX_PERCENT / 100,
  alone: false,
};

const RPM: FanQuestion = {
  ask(nvml, { handle }, fan) {
    nvml.out[0] = FAN_SPEED_V1.word;
    nvml.out[FAN_SPEED_V1.fan / 4] = fan;
    return nvml.call(SPEED_RPM, handle, nvml.out);
  },
  at: FAN_SPEED_V1.speed / 4,
  per: 1,
  max: MAX_RPM,
  alone: true,
};

const readEach: Variant = (nvml, gpu, out) => {
  const { code, fastest, fans } = readFans(nvml, gpu, RATIO);
  if (code === CODE.ok) out.put(0, fastest, 0, RATIO.max);
  if (fans.length > 0) gpu.details.setFans(fans);
  return code;
};

/** The older call knows of one fan, or of all as one. */
const readOne: Variant = (nvml, gpu, out) => {
  if (gpu.fans === 0) return CODE.notSupported;
  const code = nvml.call(SPEED, gpu.handle, nvml.out);
  if (code === CODE.ok) {
    const reading = checked(nvml.out[0]! / 100, 0, RATIO.max);
    out.put(0, nvml.out[0]! / 100, 0, RATIO.max);
    gpu.details.setFans([reading]);
  }
  return code;
};

const readRpm: Variant = (nvml, gpu, out) => {
  const { code, fastest } = readFans(nvml, gpu, RPM);
  if (code === CODE.ok) out.put(0, fastest, 0, MAX_RPM);
  return code;
};

export const FAN_READERS: readonly Reader[] = [
  { metrics: ['fan_speed_ratio'], variants: [readEach, readOne] },
  { metrics: ['fan_speed_rpm'], variants: [readRpm] },
];
