import { CODE, FABRIC, FABRIC_V1 } from '../abi.ts';
import type { Cells, Reader, Variant } from '../reader.ts';
import { symbol } from '../symbols.ts';

const INFO_V = symbol('nvmlDeviceGetGpuFabricInfoV');
const INFO = symbol('nvmlDeviceGetGpuFabricInfo');

/** Values of the state: there is no fabric, and the device has joined it. */
const NOT_SUPPORTED = 0;
const COMPLETED = 3;

/** A return code of the library. */
const MAX_STATUS = 999;
const MAX_STATE = 31;

/** Positions of the metrics. */
const STATE = 0;
const STATUS = 1;
const SUMMARY = 2;
const HEALTH = 3;

/** Two bits of the mask each: 1 is yes, 2 is no, 0 is not known. The last one has four bits and says what is wrong. */
const FLAG_SHIFTS = [0, 2, 4, 6] as const;
const MISCONFIGURATION_SHIFT = 8;
const MISCONFIGURATION = HEALTH + FLAG_SHIFTS.length;
/** All ones are a sentinel, of the mask and of what is wrong. */
const NO_MASK = 0xffffffff;
const MAX_MISCONFIGURATION = 14;

function readVersion(word: number): Variant {
  return (nvml, { handle }, out) => {
    nvml.out.fill(0, 0, FABRIC.summary / 4 + 1);
    nvml.out[0] = word;
    const code = nvml.call(INFO_V, handle, nvml.out);
    // Some drivers call a version that they do not know an invalid argument.
    if (code === CODE.invalidArgument) return CODE.argumentVersionMismatch;
    if (code !== CODE.ok) return code;
    const state = nvml.bytes[FABRIC.state]!;
    if (!putState(out, state, nvml.out[FABRIC.status / 4]!)) return code;
    putHealth(out, nvml.out[FABRIC.health / 4]!);
    const summary = word === FABRIC.word3 ? nvml.bytes[FABRIC.summary]! : 0;
    putKnown(out, SUMMARY, summary, 3);
    return code;
  };
}

/** The oldest form knows nothing of health. */
const readPlain: Variant = (nvml, { handle }, out) => {
  const code = nvml.call(INFO, handle, nvml.out);
  if (code !== CODE.ok) return code;
  putState(out, nvml.bytes[FABRIC_V1.state]!, nvml.out[FABRIC_V1.status / 4]!);
  for (let position = SUMMARY; position <= MISCONFIGURATION; position++) out.putAbsent(position, 'not-supported');
  return code;
};

/** False where there is no fabric. The result says something only once the device has joined. */
function putState(out: Cells, state: number, status: number): boolean {
  if (state === NOT_SUPPORTED) {
    out.putAllAbsent('not-supported');
    return false;
  }
  out.put(STATE, state, 0, MAX_STATE);
  if (state === COMPLETED) out.put(STATUS, status, 0, MAX_STATUS);
  else out.putAbsent(STATUS, 'not-found');
  return true;
}

function putHealth(out: Cells, mask: number): void {
  if (mask === NO_MASK) {
    for (let position = HEALTH; position <= MISCONFIGURATION; position++) out.putAbsent(position, 'error');
    return;
  }
  for (let i = 0; i < FLAG_SHIFTS.length; i++) {
    const flag = (mask >>> FLAG_SHIFTS[i]!) & 3;
    if (flag === 1 || flag === 2) out.put(HEALTH + i, flag === 1 ? 1 : 0, 0, 1);
    else out.putAbsent(HEALTH + i, flag === 0 ? 'not-supported' : 'error');
  }
  putKnown(out, MISCONFIGURATION, (mask >>> MISCONFIGURATION_SHIFT) & 15, MAX_MISCONFIGURATION);
}

/** In these enumerations 0 says that the device does not tell. */
function putKnown(out: Cells, position: number, value: number, max: number): void {
  if (value === 0) out.putAbsent(position, 'not-supported');
  else out.put(position, value, 1, max);
}

export const FABRIC_READERS: readonly Reader[] = [
  {
    metrics: [
      'fabric_state',
      'fabric_status',
      'fabric_health',
      'fabric_bandwidth_degraded',
      'fabric_route_recovery',
      'fabric_route_unhealthy',
      'fabric_access_timeout',
      'fabric_misconfiguration',
    ],
    variants: [readVersion(FABRIC.word3), readVersion(FABRIC.word2), readPlain],
  },
];
