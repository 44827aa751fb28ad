import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addSourceOptions, refuseTwoSources } from '../options.ts';
import { addStatOptions, type StatFlags } from '../stat/flags.ts';

export function addStat(program: Command, context: Context): void {
  const command = program.command('stat').description(context.t('stat.about'));
  addSourceOptions(command, context);
  addStatOptions(command, context);
  refuseTwoSources(command, context);
  command.action(async (flags: StatFlags) => {
    const { stat } = await import('../stat/run.ts');
    await stat(flags, context);
  });
}
