import type { NoticeKey } from '../../model/i18n/messages-notices.ts';
import type { Notice } from '../../model/ports.ts';

/**
 * Why a line was not read.
 *
 * - `stray-text`: banner, prompt or other output beside the log
 * - `table`: part of nvidia-smi's table
 * - `no-devices`, `device-handle`, `driver-failure`: nvidia-smi failed and said so in place of rows
 * - `wrong-columns`: values, but not as many as the header has columns
 * - `no-time`: the time stamp cannot be read
 * - `unknown-device`: it cannot be told which device the row is about
 * - `unplaced`: rows are told apart by their place only, and their instant has other than the usual number
 * - `truncated`: the last row was cut off
 * - `too-long`, `open-quote`: no line of a log
 * - `other-query`: a row of another query of nvidia-smi
 * - `broken-document`: JSON that is cut off or not valid
 * - `too-large`: more than is kept in memory at a time
 * - `unknown-series`: a series of Prometheus of which no metric is known
 */
const SKIP_REASONS = [
  'stray-text',
  'table',
  'no-devices',
  'device-handle',
  'driver-failure',
  'wrong-columns',
  'no-time',
  'unknown-device',
  'unplaced',
  'truncated',
  'too-long',
  'open-quote',
  'other-query',
  'broken-document',
  'too-large',
  'unknown-series',
] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * What is worth counting in rows that were read.
 *
 * - `error-rows`: the driver gave errors and no value at all
 * - `impossible-values`: numbers no device can report, such as sentinels; they are read errors
 * - `unreadable-cells`: text where a number belongs; they are read errors
 * - `cut-cells`: the last cell of the last row may have been cut off; it is not collected
 * - `multi-line-cells`: several lines in one cell, of which the first was taken
 */
const ROW_FAULTS = ['error-rows', 'impossible-values', 'unreadable-cells', 'cut-cells', 'multi-line-cells'] as const;

export type RowFault = (typeof ROW_FAULTS)[number];

interface Tally {
  count: number;
  readonly line: number;
  readonly params: Notice['params'];
}

/** Collects what a reader of the recording should know: counts by reason with the first place, and single remarks. */
export class RecordingReport {
  readonly #skipped = new Map<SkipReason, Tally>();
  readonly #faults = new Map<RowFault, Tally>();
  readonly #remarks = new Map<NoticeKey, Notice>();

  /** A line that was not read. `line` counts from 1. */
  skip(reason: SkipReason, line: number): void {
    tally(this.#skipped, reason, line);
  }

  /** Something in a row that was read. `params` of the first one are kept. */
  fault(fault: RowFault, line: number, params: Notice['params'] = {}): void {
    tally(this.#faults, fault, line, params);
  }

  /** A remark on the log as a whole; the first of its kind stays. */
  remark(key: NoticeKey, params: Notice['params'] = {}): void {
    if (!this.#remarks.has(key)) this.#remarks.set(key, { key, params });
  }

  /** Lines that were not read, by reason. */
  skippedRows(): Readonly<Partial<Record<SkipReason, number>>> {
    return Object.fromEntries([...this.#skipped].map(([reason, { count }]) => [reason, count]));
  }

  /** Faults in rows that were read, by kind. */
  faults(): Readonly<Partial<Record<RowFault, number>>> {
    return Object.fromEntries([...this.#faults].map(([fault, { count }]) => [fault, count]));
  }

  /** Remarks, then faults, then skipped lines, each with its count and the number of the first line. */
  notices(): Notice[] {
    return [
      ...this.#remarks.values(),
      ...ROW_FAULTS.flatMap((fault) => asNotice(`notice.${fault}`, this.#faults.get(fault))),
      ...SKIP_REASONS.flatMap((reason) => asNotice(`notice.skipped-${reason}`, this.#skipped.get(reason))),
    ];
  }
}

function tally<Key>(into: Map<Key, Tally>, key: Key, line: number, params: Notice['params'] = {}): void {
  const before = into.get(key);
  if (before === undefined) into.set(key, { count: 1, line, params });
  else before.count++;
}

function asNotice(key: NoticeKey, found: Tally | undefined): Notice[] {
  return found === undefined ? [] : [{ key, params: { ...found.params, count: found.count, line: found.line } }];
}
