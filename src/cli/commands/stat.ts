import { hostname } from 'node:os';
import type { Command } from 'commander';
import { takeSnapshot } from '../../app/one-shot.ts';
import { AppError } from '../../model/errors.ts';
import { apiGpus } from '../../server/wire/api-gpu.ts';
import type { Context } from '../context.ts';
import { statLine } from '../gpu-text.ts';
import { addSourceOptions, type SourceFlags, sourceOptions } from '../options.ts';

interface Flags extends SourceFlags {
  readonly json?: boolean;
}

export function addStat(program: Command, context: Context): void {
  const { t } = context;
  const command = program.command('stat').description(t('stat.about'));
  addSourceOptions(command, context)
    .option('--json', t('cli.json'))
    .action((flags: Flags) => stat(flags, context));
}

async function stat(flags: Flags, context: Context): Promise<void> {
  const { print } = context;
  const { source, origin, snapshot } = await takeSnapshot(sourceOptions(flags, context));
  if (origin === 'simulated') context.warn(context.t('cli.simulated'));
  if (flags.json) {
    print(JSON.stringify(apiGpus(snapshot, hostname(), source), null, 2));
    return;
  }
  if (snapshot.devices.length === 0) throw new AppError('NO_DEVICE', { source });
  const nameWidth = Math.max(0, ...snapshot.devices.map(({ device }) => device.name.length));
  for (const view of snapshot.devices) print(statLine(view, nameWidth, context));
}
