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

/** The source that the flags of a command ask for. */
export function sourceOptions(flags: SourceFlags, { clock }: Context): SourceOptions {
  const { nvmlLibrary = null, timeZone = null } = flags;
  return { spec: sourceSpec(flags), nvmlLibrary, timeZone, clock };
}

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
