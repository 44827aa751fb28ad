import { CODE, type Code, FIELD_VALUE, VALUE_TYPE } from './abi.ts';
import type { Handle, Nvml } from './nvml.ts';
import { symbol } from './symbols.ts';

const GET_FIELD_VALUES = symbol('nvmlDeviceGetFieldValues');

const WORDS = FIELD_VALUE.size / 4;

/**
 * Asks for several fields in one call. The call succeeds although single fields may have failed: each has a code of its
 * own. At most twelve ids, which is what the scratch buffer holds.
 */
export function getFieldValues(nvml: Nvml, handle: Handle, ids: readonly number[]): Code {
  const { out } = nvml;
  for (let i = 0; i < ids.length; i++) {
    const at = i * WORDS;
    out.fill(0, at, at + WORDS);
    out[at + FIELD_VALUE.id / 4] = ids[i]!;
    out[at + FIELD_VALUE.code / 4] = CODE.unknown;
  }
  return nvml.call(GET_FIELD_VALUES, handle, ids.length, out);
}

/** Code of the field at a position of the last call. */
export function fieldCode(nvml: Nvml, position: number): Code {
  return nvml.out[position * WORDS + FIELD_VALUE.code / 4]!;
}

/** Value of the field at a position of the last call; NaN for a type that the header does not name. */
export function fieldValue(nvml: Nvml, position: number): number {
  const at = position * WORDS + FIELD_VALUE.value / 4;
  const low = nvml.out[at]!;
  switch (nvml.out[position * WORDS + FIELD_VALUE.type / 4]) {
    case VALUE_TYPE.double:
      return nvml.float[at / 2]!;
    case VALUE_TYPE.u32:
      return low;
    case VALUE_TYPE.ulong:
    case VALUE_TYPE.u64:
      return nvml.out[at + 1]! * 2 ** 32 + low;
    case VALUE_TYPE.i64:
      return nvml.signed[at + 1]! * 2 ** 32 + low;
    case VALUE_TYPE.i32:
      return nvml.signed[at]!;
    case VALUE_TYPE.u16:
      return low & 0xffff;
    default:
      return Number.NaN;
  }
}
