import { CODE, type Code, FIELD_VALUE, VALUE_TYPE } from './abi.ts';
import type { Handle, Nvml } from './nvml.ts';
import { symbol } from './symbols.ts';

const GET_FIELD_VALUES = symbol('nvmlDeviceGetFieldValues');

const WORDS = FIELD_VALUE.size / 4;

/** One number that the driver knows by an id. */
export interface Field {
  readonly id: number;
  /** Which link, or which part of the board; 0 where the field has no parts. */
  readonly scope: number;
}

/**
 * Asks for several fields in one call. The call succeeds although single fields may have failed: each has a code of its
 * own. At most as many as the scratch buffer holds, which is about a hundred.
 */
export function getFieldValues(nvml: Nvml, handle: Handle, fields: readonly Field[]): Code {
  const { out } = nvml;
  for (let i = 0; i < fields.length; i++) {
    const at = i * WORDS;
    const { id, scope } = fields[i]!;
    out.fill(0, at, at + WORDS);
    out[at + FIELD_VALUE.id / 4] = id;
    out[at + FIELD_VALUE.scope / 4] = scope;
    out[at + FIELD_VALUE.code / 4] = CODE.unknown;
  }
  return nvml.call(GET_FIELD_VALUES, handle, fields.length, out);
}

/**
 * Code of the field at a position of the last call. An id that the driver has never heard of is an invalid argument to
 * it: that is `notSupported` here.
 */
export function fieldCode(nvml: Nvml, position: number): Code {
  const code = nvml.out[position * WORDS + FIELD_VALUE.code / 4]!;
  return code === CODE.invalidArgument || code === CODE.deprecated ? CODE.notSupported : code;
}

/**
 * Value of the field at a position of the last call. NaN for a type that the header does not name, and for what drivers
 * write where they have no number: all ones of either width, and the largest signed numbers.
 */
export function fieldValue(nvml: Nvml, position: number): number {
  const at = position * WORDS + FIELD_VALUE.value / 4;
  const low = nvml.out[at]!;
  const high = nvml.out[at + 1]!;
  switch (nvml.out[position * WORDS + FIELD_VALUE.type / 4]) {
    case VALUE_TYPE.double:
      return nvml.float[at / 2]!;
    case VALUE_TYPE.u32:
      return isSentinel32(low) ? Number.NaN : low;
    case VALUE_TYPE.ulong:
    case VALUE_TYPE.u64:
      return isSentinel64(high, low) ? Number.NaN : high * 2 ** 32 + low;
    case VALUE_TYPE.i64:
      return isSentinel64(high & 0x7fffffff, low) ? Number.NaN : nvml.signed[at + 1]! * 2 ** 32 + low;
    case VALUE_TYPE.i32:
      // A true -1 is written to the lower half alone.
      return low === 0x7fffffff || (low === 0xffffffff && high === 0xffffffff) ? Number.NaN : nvml.signed[at]!;
    case VALUE_TYPE.u16:
      return (low & 0xffff) === 0xffff ? Number.NaN : low & 0xffff;
    default:
      return Number.NaN;
  }
}

/** "Not available" in 32 bits, with and without the sign. */
function isSentinel32(value: number): boolean {
  return value >= 0xfffffffe || value === 0x7fffffff;
}

/** The same in 64 bits, or in 32 of them: the upper half of a true counter is far from its end. */
function isSentinel64(high: number, low: number): boolean {
  return high >= 0x7fffffff || (high === 0 && low >= 0xfffffffe);
}
