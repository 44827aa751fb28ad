import { type Command, Option } from 'commander';
import type { SourceOptions } from '../app/open-source.ts';
import type { Device } from '../model/device.ts';
import { AppError } from '../model/errors.ts';
import type { Context } from './context.ts';

/** Options that mean the same in every command that reads devices. */
export interface SourceFlags {
  readonly source: string;
  readonly remote?: string;
  readonly nvmlLibrary?: string;
  readonly timeZone?: string;
}

export function addSourceOptions(command: Command, { t }: Context): Command {
  return command
    .addOption(new Option('--source <SOURCE>', t('cli.source')).default('auto'))
    .addOption(new Option('--remote <ssh:HOST>', t('cli.remote')))
    .addOption(new Option('--nvml-library <FILE>', t('cli.nvml-library')))
    .addOption(new Option('--time-zone <ZONE>', t('cli.time-zone')));
}

/** The source that the flags of a command ask for. Throws BAD_OPTION for a zone that does not exist, whatever is read. */
export function sourceOptions(flags: SourceFlags, { clock }: Context): SourceOptions {
  const { nvmlLibrary = null, timeZone = null } = flags;
  if (timeZone !== null) checkTimeZone(timeZone);
  return { spec: sourceSpec(flags), nvmlLibrary, timeZone, clock };
}

/** Throws BAD_OPTION for a zone that does not exist. */
export function checkTimeZone(zone: string): void {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
  } catch {
    throw new AppError('BAD_OPTION', { option: '--time-zone', value: zone, expected: 'Europe/Berlin, …' });
  }
}

/**
 * Makes a command that can ask a server refuse what would be ignored beside it: another source, and `--no-server`. Throws
 * BAD_USAGE before the command does anything.
 */
export function refuseTwoSources(command: Command, { t }: Context): Command {
  const refuse = (one: string, other: string): never => {
    throw new AppError('BAD_USAGE', { detail: t('usage.not-both', { one, other }), command: `${command.name()} ` });
  };
  const given = new Set<string>();
  for (const name of ['server', 'no-server']) {
    command.on(`option:${name}`, () => {
      if (given.add(name).size > 1) refuse('--server', '--no-server');
    });
  }
  return command.hook('preAction', () => {
    if (!given.has('server')) return;
    const other = SOURCE_NAMES.find(([key]) => command.getOptionValueSource(key) === 'cli');
    if (other !== undefined) refuse('--server', other[1]);
  });
}

/** Options that each name a source, by their keys. */
const SOURCE_NAMES = [
  ['source', '--source'],
  ['remote', '--remote'],
  ['nvmlLibrary', '--nvml-library'],
] as const;

/** What `--source` and `--remote` ask for together; throws BAD_OPTION where they do not go together. */
export function sourceSpec({ source, remote }: SourceFlags): string {
  if (remote === undefined) return source;
  const option = '--remote';
  if (!remote.startsWith('ssh:')) {
    throw new AppError('BAD_OPTION', { option, value: remote, expected: 'ssh:[user@]host[:port]' });
  }
  if (source !== 'auto' && source !== 'nvidia-smi') {
    throw new AppError('BAD_OPTION', { option, value: remote, expected: '--source nvidia-smi' });
  }
  return `nvidia-smi:${remote}`;
}

/** Placeholders of values that are names of something, with what stands for none at all. */
const NAMED: readonly (readonly [placeholder: RegExp, empty: RegExp])[] = [
  [/<LIST>/, /^[\s,]*$/],
  [/<(?:FILE|DIR|NAME)(?:\.\.\.)?>/, /^\s*$/],
];

/**
 * Makes every option that takes a list or the name of something refuse an empty one, as an unset variable of a shell makes
 * it: it would choose nothing, everything, or what was not meant. Throws BAD_USAGE.
 */
export function refuseEmptyValues(command: Command, { t }: Context): void {
  for (const option of command.options) {
    const empty = NAMED.find(([placeholder]) => placeholder.test(option.flags))?.[1];
    if (empty === undefined) continue;
    const parse = option.parseArg ?? (option.variadic ? collected : (value: string) => value);
    option.argParser((value, previous) => {
      if (empty.test(value)) {
        const detail = t('usage.missing-value', { word: option.long ?? option.flags });
        throw new AppError('BAD_USAGE', { detail, command: `${command.name()} ` });
      }
      return parse(value, previous);
    });
  }
}

/** What commander makes of an option that may be repeated and has no parser of its own. */
function collected(value: string, previous: unknown): readonly string[] {
  return Array.isArray(previous) ? [...previous, value] : [value];
}

/** Throws BAD_OPTION unless `value` is a whole number of at least 1. */
export function parseCount(option: string, value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1)
    throw new AppError('BAD_OPTION', { option, value, expected: '1, 2, 3, …' });
  return count;
}

/** True for the devices a comma-separated list of indexes and UUIDs names; without a list for all. */
export function deviceFilter(list: string | undefined): (device: Device) => boolean {
  if (list === undefined) return () => true;
  const wanted = new Set(list.split(',').map((word) => word.trim()));
  return ({ uuid, index }) => wanted.has(uuid) || wanted.has(String(index));
}

/** Throws GPU_NOT_LISTED for the words of such a list that name none of all devices; null without a list. */
export function requireListed(list: string | undefined): ((all: readonly Device[]) => void) | null {
  if (list === undefined) return null;
  const named = list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const words = named.length === 0 ? [''] : named;
  return (all) => {
    const missing = words.filter((word) => !all.some(deviceFilter(word)));
    if (missing.length > 0) throw new AppError('GPU_NOT_LISTED', { name: missing.join(',') });
  };
}
