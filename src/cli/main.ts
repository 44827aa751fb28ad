import { CommanderError } from 'commander';
import { AppError, toAppError } from '../model/errors.ts';
import { type Context, createContext } from './context.ts';
import { createProgram, unknownTopic } from './program.ts';
import { guardSmi } from './smi/guard.ts';
import { usageError } from './usage.ts';

/** Runs one command line. Failures go to standard error as one line: what, where, what to do. */
export async function main(argv: readonly string[]): Promise<void> {
  const context = createContext(argv, process.env);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that went away (`gpulse watch | head`) is no failure.
    if (error.code === 'EPIPE') process.exit(0);
    context.warn(failureLine(new AppError('OUTPUT_FAILED', { detail: error.message }), context));
    process.exit(1);
  });
  try {
    const topic = unknownTopic(argv);
    if (topic !== undefined) {
      throw new AppError('BAD_USAGE', { detail: context.t('usage.unknown-command', { word: topic }), command: '' });
    }
    const program = await createProgram(commandOf(argv), context);
    if (commandOf(argv) === undefined) program.help();
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

/** The word that calls a command: the first that is no option of all of them. */
function commandOf(argv: readonly string[]): string | undefined {
  return argv.find((word, i) => !word.startsWith('--lang') && argv[i - 1] !== '--lang');
}
