import { CODE, type Code, FIELD_VALUE, VALUE_TYPE } from './abi.ts';
import type { Handle, Nvml } from './nvml.ts';
import { symbol } from './symbols.ts';

const GET_FIELD_VALUES = symbol('nvmlDeviceGetFieldValues');

const OK = CODE.ok;
const WORDS = FIELD_VALUE.size / 4;
const TYPE = FIELD_VALUE.type / 4;
const FIELD_CODE = FIELD_VALUE.code / 4;
const VALUE = FIELD_VALUE.value / 4;
const { double: DOUBLE, u32: U32, ulong: ULONG, u64: U64, i64: I64, i32: I32, u16: U16 } = VALUE_TYPE;

/** The entries of each list of fields as they are before a call: most lists are asked for again and again. */
const requests = new WeakMap<readonly Field[], Uint32Array>();

/** One number that the driver knows by an id. */
export interface Field {
  readonly id: number;
  /** Which link, or which part of the board; 0 where the field has no parts. */
  readonly scope: number;
}

/**
 * Asks for several fields in one call. The call succeeds although single fields may have failed: each has a code of its
 * own. At most as many as the scratch buffer holds, which is about a hundred. What is asked for often is one list that is
 * kept, and never changed.
 */
export function getFieldValues(nvml: Nvml, handle: Handle, fields: readonly Field[]): Code {
  const { out } = nvml;
  out.set(requests.get(fields) ?? requestFor(fields));
  return nvml.call(GET_FIELD_VALUES, handle, fields.length, out);
}

function requestFor(fields: readonly Field[]): Uint32Array {
  const request = new Uint32Array(fields.length * WORDS);
  for (const [i, { id, scope }] of fields.entries()) {
    request[i * WORDS + FIELD_VALUE.id / 4] = id;
    request[i * WORDS + FIELD_VALUE.scope / 4] = scope;
    request[i * WORDS + FIELD_CODE] = CODE.unknown;
  }
  requests.set(fields, request);
  return request;
}

/**
 * Makes lists of these fields for each of some links, with some of no link behind them: one list for one list of links, which
 * is never changed.
 */
export function perLink(
  ids: readonly number[],
  ...more: readonly number[]
): (links: readonly number[]) => readonly Field[] {
  const lists = new WeakMap<readonly number[], readonly Field[]>();
  return (links) => {
    const known = lists.get(links);
    if (known !== undefined) return known;
    const ofLinks = links.flatMap((scope) => ids.map((id): Field => ({ id, scope })));
    const fields = [...ofLinks, ...more.map((id): Field => ({ id, scope: 0 }))];
    lists.set(links, fields);
    return fields;
  };
}

/**
 * Code of the field at a position of the last call. An id that the driver has never heard of is an invalid argument to
 * it: that is `notSupported` here.
 */
export function fieldCode(nvml: Nvml, position: number): Code {
  const code = nvml.out[position * WORDS + FIELD_CODE]!;
  if (code === OK) return code;
  return code === CODE.invalidArgument || code === CODE.deprecated ? CODE.notSupported : code;
}

/**
 * Value of the field at a position of the last call. NaN for a type that the header does not name, and for what drivers
 * write where they have no number: all ones of either width, and the largest signed numbers.
 */
export function fieldValue(nvml: Nvml, position: number): number {
  const at = position * WORDS + VALUE;
  const low = nvml.out[at]!;
  const high = nvml.out[at + 1]!;
  switch (nvml.out[position * WORDS + TYPE]) {
    case DOUBLE:
      return nvml.float[at / 2]!;
    case U32:
      return isSentinel32(low) ? Number.NaN : low;
    case ULONG:
    case U64:
      return isSentinel64(high, low) ? Number.NaN : high * 2 ** 32 + low;
    case I64:
      return isSentinel64(high & 0x7fffffff, low) ? Number.NaN : nvml.signed[at + 1]! * 2 ** 32 + low;
    case I32:
      // A true -1 is written to the lower half alone.
      return low === 0x7fffffff || (low === 0xffffffff && high === 0xffffffff) ? Number.NaN : nvml.signed[at]!;
    case U16:
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

/** What was answered to some fields: the codes and the values, without the times at which they were measured. */
export interface FieldAnswers {
  readonly fields: readonly Field[];
  readonly words: Uint32Array;
}

/** Keeps the answers of the last call, which asked for these fields. */
export function keepAnswers({ out }: Nvml, fields: readonly Field[]): FieldAnswers {
  const words = new Uint32Array(fields.length * 3);
  for (let i = 0, at = 0; i < fields.length; i++, at += WORDS) {
    words[i * 3] = out[at + FIELD_CODE]!;
    words[i * 3 + 1] = out[at + VALUE]!;
    words[i * 3 + 2] = out[at + VALUE + 1]!;
  }
  return { fields, words };
}

/** Asks for the same fields again. False where any answer is another one than then, or the call fails. */
export function areAnswersAsKept(nvml: Nvml, handle: Handle, { fields, words }: FieldAnswers): boolean {
  if (getFieldValues(nvml, handle, fields) !== OK) return false;
  const { out } = nvml;
  for (let i = 0, at = 0; i < words.length; i += 3, at += WORDS) {
    if (words[i] !== out[at + FIELD_CODE] || words[i + 1] !== out[at + VALUE] || words[i + 2] !== out[at + VALUE + 1])
      return false;
  }
  return true;
}
