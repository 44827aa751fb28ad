import { badValue, conflict } from './failure.ts';
import { DEVICE_GROUPS, USUAL_DEVICE_GROUPS } from './monitor/device-columns.ts';
import type { MonitorLayout } from './monitor/layout.ts';
import { PROCESS_GROUPS, USUAL_PROCESS_GROUPS } from './monitor/pmon.ts';
import { hostOf, intervalMs, OWN_OPTIONS, sourceFlags } from './own-options.ts';
import type { SmiRequest } from './request.ts';
import { type OptionSpec, sortWords } from './words.ts';

const MONITOR_OPTIONS = {
  ...OWN_OPTIONS,
  ids: { names: ['-i', '--id'], value: 'required' },
  delay: { names: ['-d', '--delay'], value: 'required' },
  count: { names: ['-c', '--count'], value: 'required' },
  select: { names: ['-s', '--select'], value: 'required' },
  options: { names: ['-o', '--options'], value: 'required' },
  file: { names: ['-f', '--filename'], value: 'required' },
  format: { names: ['--format'], value: 'required' },
} as const satisfies Record<string, OptionSpec>;

/** Reads the words behind `dmon` or `pmon`; throws a SmiFailure. */
export function monitorRequest(kind: 'dmon' | 'pmon', words: readonly string[]): SmiRequest {
  const given = sortWords(words, MONITOR_OPTIONS);
  const isDevices = kind === 'dmon';
  const groups = given.select ?? (isDevices ? USUAL_DEVICE_GROUPS : USUAL_PROCESS_GROUPS);
  const known = isDevices ? DEVICE_GROUPS : PROCESS_GROUPS;
  if (groups === '' || ![...groups].every((letter) => letter in known)) {
    throw badValue('-s', groups, Object.keys(known).join(''));
  }
  if (given.format !== undefined && !isDevices) throw conflict('pmon', '--format');
  const count = given.count === undefined ? Number.POSITIVE_INFINITY : Number(given.count);
  if (Number.isNaN(count) || count < 1 || (given.count !== undefined && !Number.isInteger(count))) {
    throw badValue('-c', given.count ?? '', '1, 2, 3, …');
  }
  return {
    what:
      given.help === undefined
        ? { kind, groups, layout: layoutOf(given.options ?? '', given.format) }
        : { kind: 'help' },
    source: sourceFlags(given),
    host: hostOf(given),
    ids: given.ids ?? null,
    file: given.file ?? null,
    intervalMs: intervalMs('-d', given.delay ?? '1', 1000),
    limit: count,
  };
}

/** `format` is `csv`, with or without `noheader` and `nounit`. */
function layoutOf(options: string, format: string | undefined): MonitorLayout {
  const letters = options.toUpperCase();
  if (!/^[DT]*$/.test(letters)) throw badValue('-o', options, 'D, T, DT');
  const words = format?.split(',').map((word) => word.trim()) ?? [];
  const stray = words.find((word) => !['csv', 'noheader', 'nounit', 'nounits'].includes(word));
  if (stray !== undefined) throw badValue('--format', stray, 'csv[,noheader][,nounit]');
  return {
    hasDate: letters.includes('D'),
    hasTime: letters.includes('T'),
    isCsv: words.includes('csv'),
    hasHeader: !words.includes('noheader'),
    hasUnits: !words.includes('nounit') && !words.includes('nounits'),
  };
}
