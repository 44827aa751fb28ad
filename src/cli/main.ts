import { Command, CommanderError, type Help, Option } from 'commander';
import { VERSION } from '../app/version.ts';
import { AppError, toAppError } from '../model/errors.ts';
import { LANGUAGES } from '../model/i18n/text.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExport } from './commands/export.ts';
import { addRelease } from './commands/release.ts';
import { addReport } from './commands/report.ts';
import { addServe } from './commands/serve.ts';
import { addSmi, guardSmi } from './commands/smi.ts';
import { addStat } from './commands/stat.ts';
import { addWatch } from './commands/watch.ts';
import { type Context, createContext } from './context.ts';
import { usageError } from './usage.ts';

/** Commander's own headings, which it knows in English only. */
const HEADINGS = { 'Usage:': 'cli.usage', 'Options:': 'cli.options', 'Commands:': 'cli.commands' } as const;

/** Every command, in the order in which the help lists them. */
const COMMANDS = [addServe, addStat, addSmi, addWatch, addExport, addDoctor, addRelease, addReport];

function createProgram(context: Context): Command {
  const { t } = context;
  const program = new Command('gpulse')
    .description(t('cli.about'))
    .version(VERSION, '-V, --version', t('cli.version'))
    .helpCommand('help [command]', t('cli.help-command'));
  for (const add of COMMANDS) add(program, context);
  for (const command of [program, ...program.commands]) {
    command
      .helpOption('-h, --help', t('cli.help'))
      .addOption(new Option('--lang <LANG>', t('cli.lang')).choices(LANGUAGES))
      .exitOverride()
      .configureOutput({ outputError: () => {} })
      .configureHelp({
        styleTitle: (title) => (title in HEADINGS ? t(HEADINGS[title as keyof typeof HEADINGS]) : title),
        optionDescription: (option) => describeOption(option, context),
      });
  }
  return program;
}

/** The description of an option with its default in words; commander would say "default" in English. */
function describeOption(option: Parameters<Help['optionDescription']>[0], { t }: Context): string {
  const { description, defaultValue } = option;
  const plain = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  return plain ? `${description} ${t('cli.default', { value: defaultValue })}` : description;
}

/** Runs one command line. Failures go to standard error as one line: what, where, what to do. */
export async function main(argv: readonly string[]): Promise<void> {
  const context = createContext(argv, process.env);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that went away (`gpulse watch | head`) is no failure.
    if (error.code === 'EPIPE') process.exit(0);
    context.warn(failureLine(new AppError('OUTPUT_FAILED', { detail: error.message }), context));
    process.exit(1);
  });
  const program = createProgram(context);
  try {
    if (argv.length === 0) program.help();
    await program.parseAsync([...guardSmi(argv)], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const failure = error instanceof CommanderError ? usageError(error, argv, context.lang) : toAppError(error);
    context.warn(failureLine(failure, context));
    process.exitCode = failure.entry.exit;
  }
}

/** A failure as one line: the cause, then the remedy. */
function failureLine(error: AppError, { lang }: Context): string {
  const separator = lang === 'zh' ? '；' : '; ';
  return `gpulse: ${error.text(lang)}${separator}${error.hint(lang)}`;
}
