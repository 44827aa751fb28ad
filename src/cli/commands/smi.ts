import type { Command } from 'commander';
import { AppError, toAppError } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import { addSourceOptions } from '../options.ts';
import { inItsWords, SmiFailure } from '../smi/failure.ts';

const NAME = 'smi';

/**
 * Registers the command. Its words are read by a parser of its own, since nvidia-smi spells options in ways that commander
 * does not know: see {@link guardSmi}. What is registered here is what the help lists.
 */
export function addSmi(program: Command, context: Context): void {
  const { t } = context;
  const command = program.command(NAME).usage('[dmon|pmon|topo] [options]').description(t('smi.about'));
  addSourceOptions(command, context)
    .argument('[words...]')
    .option('-L, --list-gpus', t('smi.list'))
    .option('--query-gpu <FIELDS>', t('smi.query-gpu'))
    .option('--query-compute-apps <FIELDS>', t('smi.query-compute-apps'))
    .option('--query-remapped-rows <FIELDS>', t('smi.query-remapped-rows'))
    .option('--help-query-gpu', t('smi.help-query-gpu'))
    .option('--format <FORMAT>', t('smi.format'))
    .option('-q, --query', t('smi.query'))
    .option('-x, --xml-format', t('smi.xml'))
    .option('-d, --display <LIST>', t('smi.display'))
    .option('-i, --id <LIST>', t('smi.id'))
    .option('-f, --filename <FILE>', t('smi.filename'))
    .option('-l, --loop [SECONDS]', t('smi.loop'))
    .option('--loop-ms <MS>', t('smi.loop-ms'))
    .option('--version', t('smi.version'))
    .addHelpText('after', () => `\n${t('smi.monitors')}`)
    .action((words: readonly string[]) => smi(words, command, context));
}

/** Puts `--` behind the name of the command, so that commander hands all that follows to it as it is. */
export function guardSmi(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((word, i) => !word.startsWith('--lang') && argv[i - 1] !== '--lang');
  if (argv[at] !== NAME || argv[at + 1] === '--') return argv;
  return [...argv.slice(0, at + 1), '--', ...argv.slice(at + 1)];
}

async function smi(words: readonly string[], command: Command, context: Context): Promise<void> {
  // Other commands start faster without its tables.
  const { parseRequest } = await import('../smi/arguments.ts');
  try {
    const request = parseRequest(words);
    if (request.what.kind === 'help') return command.outputHelp();
    const { runRequest } = await import('../smi/run.ts');
    process.exitCode = await runRequest(request, context);
  } catch (error) {
    const failure = error instanceof SmiFailure ? error : inItsWords(toAppError(error));
    if (failure === null) throw error;
    context.print(failure.message);
    if (error instanceof AppError) context.warn(`gpulse: ${error.text(context.lang)}`);
    process.exitCode = failure.exit;
  }
}
