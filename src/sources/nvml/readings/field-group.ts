import type { MetricId } from '../../../model/catalogue.ts';
import { CODE, type Code } from '../abi.ts';
import { absenceOf } from '../answers.ts';
import { type Field, fieldCode, fieldValue, getFieldValues } from '../field-values.ts';
import type { Nvml } from '../nvml.ts';
import type { Cells, Reader, Subject, Variant } from '../reader.ts';

/** A number that comes as a field value. */
interface FieldItem {
  readonly field: number;
  /** Which part of the board or which link; 0 where it is left out. */
  readonly scope?: number;
  /** Units of the driver in one base unit; 1 where it is left out. */
  readonly per?: number;
  readonly min?: number;
  readonly max: number;
}

/** One metric of a group. */
export interface GroupItem extends FieldItem {
  readonly metric: MetricId;
  /** An older function for the same number, for drivers without the field: its code, and where the result lies. */
  readonly call?: { readonly ask: (nvml: Nvml, gpu: Subject) => Code; readonly value: (nvml: Nvml) => number };
}

interface Group {
  readonly items: readonly GroupItem[];
  readonly selections: Map<number, Selection>;
  readonly notes: Uint8Array;
  readonly out: Cells;
  /** Takes the code of each item. */
  readonly codes: Code[];
}

/** Those items of a group that are asked for as fields: their positions, and their fields. */
interface Selection {
  readonly asked: readonly number[];
  readonly fields: readonly Field[];
}

/** How one item is asked for. */
const BY_FIELD = 0;
const BY_CALL = 1;
const NOT_AT_ALL = 2;
/** Added once it has given a value: then it is asked for in the same way for ever. */
const PROVEN = 4;

/**
 * A reader of several metrics with one call for all their fields. A field that the driver does not have is asked for by
 * the older function from then on, each metric by itself.
 */
export function fieldGroup(items: readonly GroupItem[]): Reader {
  const selections = new Map<number, Selection>();
  const key = {};
  /** The code of each item; filled anew with every call. */
  const codes = new Array<Code>(items.length).fill(CODE.notSupported);
  const read: Variant = (nvml, gpu, out) => {
    const notes = notesOf(gpu, key, items.length);
    askFields(nvml, gpu, { items, selections, notes, out, codes });
    for (let i = 0; i < items.length; i++) {
      const item = items[i]!;
      const { call } = item;
      const way = notes[i]! & ~PROVEN;
      // What is refused to this user as a field may be open to him as a call.
      if (way === BY_FIELD && (codes[i] !== CODE.noPermission || call === undefined)) continue;
      if (call === undefined || way === NOT_AT_ALL) {
        out.putAbsent(i, 'not-supported');
        continue;
      }
      const answer = call.ask(nvml, gpu);
      const code = answer === CODE.invalidArgument ? CODE.notSupported : answer;
      if (way === BY_CALL) settle(notes, i, code, NOT_AT_ALL);
      else if (code !== CODE.ok) continue;
      codes[i] = code;
      put(out, i, item, code, code === CODE.ok ? call.value(nvml) : 0);
    }
    return summary(codes);
  };
  return { metrics: items.map(({ metric }) => metric), variants: [read] };
}

/** A variant with one call for the fields of all metrics of its reader, in their order. */
export function fieldVariant(items: readonly FieldItem[]): Variant {
  const fields = items.map(({ field, scope = 0 }): Field => ({ id: field, scope }));
  return (nvml, gpu, out) => {
    const whole = getFieldValues(nvml, gpu.handle, fields);
    if (whole !== CODE.ok) return whole === CODE.invalidArgument ? CODE.notSupported : whole;
    const codes = fields.map((_, i) => fieldCode(nvml, i));
    items.forEach((item, i) => {
      put(out, i, item, codes[i]!, fieldValue(nvml, i));
    });
    return summary(codes);
  };
}

/** Asks for all items that come as fields; a field that is not supported goes over to its call. */
function askFields(nvml: Nvml, gpu: Subject, group: Group): void {
  const { items, selections, notes, out, codes } = group;
  codes.fill(CODE.notSupported);
  const { asked, fields } = select(items, notes, selections);
  if (asked.length === 0) return;
  const whole = getFieldValues(nvml, gpu.handle, fields);
  const isKnown = whole !== CODE.functionNotFound && whole !== CODE.invalidArgument;
  for (let position = 0; position < asked.length; position++) {
    const i = asked[position]!;
    const code = whole === CODE.ok ? fieldCode(nvml, position) : isKnown ? whole : CODE.notSupported;
    codes[i] = code;
    settle(notes, i, code, items[i]!.call === undefined ? NOT_AT_ALL : BY_CALL);
    put(out, i, items[i]!, code, fieldValue(nvml, position));
  }
}

/** The items that come as fields, as a set of bits; what that means is worked out once for each set. */
function select(items: readonly GroupItem[], notes: Uint8Array, selections: Map<number, Selection>): Selection {
  let bits = 0;
  for (let i = 0; i < items.length; i++) if ((notes[i]! & ~PROVEN) === BY_FIELD) bits |= 1 << i;
  const known = selections.get(bits);
  if (known !== undefined) return known;
  const asked = items.flatMap((_, i) => ((bits & (1 << i)) === 0 ? [] : [i]));
  const fields = asked.map((i): Field => ({ id: items[i]!.field, scope: items[i]!.scope ?? 0 }));
  const selection = { asked, fields };
  selections.set(bits, selection);
  return selection;
}

/** Remembers what an answer says about how to ask; `next` is the way where this one is not supported. */
function settle(notes: Uint8Array, i: number, code: Code, next: number): void {
  if (code === CODE.ok) notes[i]! |= PROVEN;
  else if ((notes[i]! & PROVEN) === 0 && absenceOf(code) === 'not-supported') notes[i] = next;
}

function put(out: Cells, i: number, item: FieldItem, code: Code, value: number): void {
  if (code === CODE.ok) out.put(i, value / (item.per ?? 1), item.min ?? 0, item.max);
  else out.putAbsent(i, absenceOf(code));
}

/** One code for several answers: their common one, and else `ok`, since each has left its reason already. */
export function summary(codes: readonly Code[]): Code {
  const [first = CODE.notSupported] = codes;
  if (first === CODE.ok) return first;
  const isCommon = codes.every((code) => absenceOf(code) === absenceOf(first));
  return isCommon ? first : CODE.ok;
}

/** What is noted under a key about the parts of a reader, all 0 at first. */
export function notesOf(gpu: Subject, key: object, size: number): Uint8Array {
  const known = gpu.notes.get(key);
  if (known !== undefined) return known;
  const notes = new Uint8Array(size);
  gpu.notes.set(key, notes);
  return notes;
}
