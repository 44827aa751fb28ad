import type { Command } from 'commander';
import { type Check, examine } from '../../app/doctor.ts';
import type { Context } from '../context.ts';
import { addSourceOptions, type SourceFlags, sourceOptions } from '../options.ts';

interface Flags extends SourceFlags {
  readonly json?: boolean;
}

export function addDoctor(program: Command, context: Context): void {
  const { t } = context;
  const command = program.command('doctor').description(t('doctor.about'));
  addSourceOptions(command, context)
    .option('--json', t('cli.json'))
    .action((flags: Flags) => doctor(flags, context));
}

async function doctor(flags: Flags, context: Context): Promise<void> {
  const checks = await examine(sourceOptions(flags, context));
  if (flags.json) printJson(checks, context);
  else printText(checks, context);
  if (checks.some(({ level }) => level === 'fault')) process.exitCode = 1;
}

function printJson(checks: readonly Check[], { lang, print }: Context): void {
  const rows = checks.map(({ id, level, text, remedy }) => ({ id, level, text: text(lang), remedy: remedy(lang) }));
  print(JSON.stringify(rows, null, 2));
}

function printText(checks: readonly Check[], { lang, t, print }: Context): void {
  for (const { level, text, remedy } of checks) {
    print(`[${t(`doctor.${level}`)}] ${text(lang)}`);
    const advice = remedy(lang);
    if (advice !== null) print(`    ${t('doctor.remedy', { remedy: advice })}`);
  }
  if (checks.every(({ level }) => level === 'ok')) print(t('doctor.healthy'));
}
