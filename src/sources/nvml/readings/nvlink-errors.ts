import { absent, type Reading } from '../../../model/reading.ts';
import { CODE, type Code, FIELD, NVLINK_ERROR } from '../abi.ts';
import { absenceOf } from '../answers.ts';
import { checked } from '../details.ts';
import { fieldCode, fieldValue, getFieldValues } from '../field-values.ts';
import type { Nvml } from '../nvml.ts';
import { MAX_COUNT } from '../ranges.ts';
import type { Subject } from '../reader.ts';
import { symbol } from '../symbols.ts';
import { notesOf } from './field-group.ts';

const ERROR_COUNTER = symbol('nvmlDeviceGetNvLinkErrorCounter');

/** One way to read a kind of errors: a field of each port, or an older call on each. */
type Way = { readonly field: number } | { readonly counter: number };

const CRC: readonly Way[] = [{ field: FIELD.linkCrcErrors }];
const REPLAY: readonly Way[] = [{ field: FIELD.linkReplays }, { counter: NVLINK_ERROR.replay }];
/** NVLink 5 counts events of recovery in place of the errors behind them. */
const RECOVERY: readonly Way[] = [
  { field: FIELD.linkRecoveries },
  { counter: NVLINK_ERROR.recovery },
  { field: FIELD.linkRecoveryEvents },
];
const CRC_FLIT: readonly Way[] = [{ counter: NVLINK_ERROR.crcFlit }];
const CRC_DATA: readonly Way[] = [{ counter: NVLINK_ERROR.crcData }];

/** Added to the number of a way that has worked: it is kept. */
const PROVEN = 16;

export interface LinkErrors {
  readonly crc: readonly Reading[];
  readonly replay: readonly Reading[];
  readonly recovery: readonly Reading[];
  /** Null where nobody wants them. */
  readonly crcFlit: readonly Reading[] | null;
  readonly crcData: readonly Reading[] | null;
}

/**
 * Errors of each of these ports since the driver was loaded. With `hasTotals` the two kinds of checksum errors are known
 * as totals already, and told apart only where a port does not tell their sum.
 */
export function readLinkErrors(nvml: Nvml, gpu: Subject, links: readonly number[], hasTotals: boolean): LinkErrors {
  const crc = readKind(nvml, gpu, links, CRC);
  const replay = readKind(nvml, gpu, links, REPLAY);
  const recovery = readKind(nvml, gpu, links, RECOVERY);
  if (hasTotals && !crc.some(isMissing)) return { crc, replay, recovery, crcFlit: null, crcData: null };
  const crcFlit = readKind(nvml, gpu, links, CRC_FLIT);
  const crcData = readKind(nvml, gpu, links, CRC_DATA);
  const sums = crc.map((sum, i) => (isMissing(sum) ? add(crcFlit[i]!, crcData[i]!) : sum));
  return { crc: sums, replay, recovery, crcFlit, crcData };
}

/** Walks the ways until one is supported by any port, and stays with it. */
function readKind(nvml: Nvml, gpu: Subject, links: readonly number[], ways: readonly Way[]): Reading[] {
  const notes = notesOf(gpu, ways, 1);
  for (;;) {
    const way = ways[notes[0]! & ~PROVEN];
    if (way === undefined) return links.map(() => absent('not-supported'));
    const column = 'field' in way ? readField(nvml, gpu, links, way.field) : readCounter(nvml, gpu, links, way.counter);
    if (column.some((reading) => typeof reading === 'number')) notes[0]! |= PROVEN;
    if ((notes[0]! & PROVEN) !== 0 || !column.every(isMissing)) return column;
    notes[0]!++;
  }
}

function readField(nvml: Nvml, gpu: Subject, links: readonly number[], field: number): Reading[] {
  const whole = getFieldValues(
    nvml,
    gpu.handle,
    links.map((scope) => ({ id: field, scope })),
  );
  return links.map((_, i) => readingOf(whole === CODE.ok ? fieldCode(nvml, i) : whole, () => fieldValue(nvml, i)));
}

function readCounter(nvml: Nvml, { handle }: Subject, links: readonly number[], counter: number): Reading[] {
  return links.map((link) =>
    readingOf(nvml.call(ERROR_COUNTER, handle, link, counter, nvml.out), () => nvml.amount(0)),
  );
}

/** A port or a kind of errors that the driver has never heard of is an invalid argument to it. */
function readingOf(code: Code, value: () => number): Reading {
  if (code === CODE.ok) return checked(value(), 0, MAX_COUNT);
  return absent(code === CODE.invalidArgument ? 'not-supported' : absenceOf(code));
}

function isMissing(reading: Reading): boolean {
  return typeof reading !== 'number' && reading.absent === 'not-supported';
}

function add(a: Reading, b: Reading): Reading {
  if (typeof a !== 'number') return a;
  return typeof b === 'number' ? a + b : b;
}
