import { absent, type Reading } from '../../../model/reading.ts';
import { CODE, type Code, FIELD, NVLINK_ERROR } from '../abi.ts';
import { absenceOf } from '../answers.ts';
import { checked } from '../details.ts';
import { type FieldAnswers, fieldCode, fieldValue, getFieldValues, keepAnswers, perLink } from '../field-values.ts';
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

/** More fields than this are not asked for in one call. */
const MOST_FIELDS = 100;

/** Added to the number of a way that has worked: it is kept. */
const PROVEN = 16;

export interface LinkErrors {
  readonly crc: readonly Reading[];
  readonly replay: readonly Reading[];
  readonly recovery: readonly Reading[];
  /** Null where nobody wants them. */
  readonly crcFlit: readonly Reading[] | null;
  readonly crcData: readonly Reading[] | null;
  /** What the driver said where several kinds were asked for in one call. */
  readonly answers: FieldAnswers | null;
}

interface Together {
  readonly columns: ReadonlyMap<readonly Way[], Reading[]>;
  readonly answers: FieldAnswers | null;
}

/**
 * Errors of each of these ports since the driver was loaded. With `hasTotals` the two kinds of checksum errors are known
 * as totals already, and told apart only where a port does not tell their sum.
 */
export function readLinkErrors(nvml: Nvml, gpu: Subject, links: readonly number[], hasTotals: boolean): LinkErrors {
  const { columns, answers } = askTogether(nvml, gpu, links, [CRC, REPLAY, RECOVERY]);
  const crc = readKind(nvml, gpu, links, CRC, columns.get(CRC));
  const replay = readKind(nvml, gpu, links, REPLAY, columns.get(REPLAY));
  const recovery = readKind(nvml, gpu, links, RECOVERY, columns.get(RECOVERY));
  if (hasTotals && !crc.some(isMissing)) return { crc, replay, recovery, crcFlit: null, crcData: null, answers };
  const crcFlit = readKind(nvml, gpu, links, CRC_FLIT);
  const crcData = readKind(nvml, gpu, links, CRC_DATA);
  const sums = crc.map((sum, i) => (isMissing(sum) ? add(crcFlit[i]!, crcData[i]!) : sum));
  return { crc: sums, replay, recovery, crcFlit, crcData, answers };
}

/** One call for those of these kinds that are read as fields: what it says of each. */
function askTogether(nvml: Nvml, gpu: Subject, links: readonly number[], kinds: readonly (readonly Way[])[]): Together {
  const byField = kinds.flatMap((ways) => {
    const way = ways[notesOf(gpu, ways, 1)[0]! & ~PROVEN];
    return way !== undefined && 'field' in way ? [{ ways, field: way.field }] : [];
  });
  const count = byField.length;
  if (count < 2 || count * links.length > MOST_FIELDS) return { columns: new Map(), answers: null };
  const fields = fieldsOf(byField.map(({ field }) => field))(links);
  const whole = getFieldValues(nvml, gpu.handle, fields);
  const columns = byField.map(
    ({ ways }, kind) => [ways, links.map((_, i) => readField(nvml, whole, i * count + kind))] as const,
  );
  return { columns: new Map(columns), answers: keepAnswers(nvml, fields) };
}

/** Walks the ways until one is supported by any port, and stays with it. `known` is what the present one gives, if it was asked. */
function readKind(
  nvml: Nvml,
  gpu: Subject,
  links: readonly number[],
  ways: readonly Way[],
  known?: Reading[],
): Reading[] {
  const notes = notesOf(gpu, ways, 1);
  let first = known;
  for (;;) {
    const way = ways[notes[0]! & ~PROVEN];
    if (way === undefined) return links.map(() => absent('not-supported'));
    const column = first ?? readBy(nvml, gpu, links, way);
    first = undefined;
    if (column.some((reading) => typeof reading === 'number')) notes[0]! |= PROVEN;
    if ((notes[0]! & PROVEN) !== 0 || !column.every(isMissing)) return column;
    notes[0]!++;
  }
}

function readBy(nvml: Nvml, gpu: Subject, links: readonly number[], way: Way): Reading[] {
  if ('counter' in way) return readCounter(nvml, gpu, links, way.counter);
  const whole = getFieldValues(nvml, gpu.handle, fieldsOf([way.field])(links));
  return links.map((_, i) => readField(nvml, whole, i));
}

/** How fields are listed that are asked for together, by their ids. */
const lists = new Map<string, ReturnType<typeof perLink>>();

function fieldsOf(ids: readonly number[]): ReturnType<typeof perLink> {
  const key = ids.join();
  const known = lists.get(key) ?? perLink(ids);
  lists.set(key, known);
  return known;
}

function readField(nvml: Nvml, whole: Code, position: number): Reading {
  return readingOf(whole === CODE.ok ? fieldCode(nvml, position) : whole, fieldValue(nvml, position));
}

function readCounter(nvml: Nvml, { handle }: Subject, links: readonly number[], counter: number): Reading[] {
  return links.map((link) => readingOf(nvml.call(ERROR_COUNTER, handle, link, counter, nvml.out), nvml.amount(0)));
}

/** A port or a kind of errors that the driver has never heard of is an invalid argument to it. */
function readingOf(code: Code, value: number): Reading {
  if (code === CODE.ok) return checked(value, 0, MAX_COUNT);
  return absent(code === CODE.invalidArgument ? 'not-supported' : absenceOf(code));
}

function isMissing(reading: Reading): boolean {
  return typeof reading !== 'number' && reading.absent === 'not-supported';
}

function add(a: Reading, b: Reading): Reading {
  if (typeof a !== 'number') return a;
  return typeof b === 'number' ? a + b : b;
}
