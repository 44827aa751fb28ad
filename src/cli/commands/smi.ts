import type { Command } from 'commander';
import { AppError, toAppError } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import { addSourceOptions } from '../options.ts';
import { inItsWords, SmiFailure } from '../smi/failure.ts';

/**
 * Registers the command. Its words are read by a parser of its own, since nvidia-smi spells options in ways that commander
 * does not know: see guard.ts. What is registered here is what the help lists.
 */
export function addSmi(program: Command, context: Context): void {
  const { t } = context;
  const command = program.command('smi').usage('[dmon|pmon|topo] [options]').description(t('smi.about'));
  addSourceOptions(command, context)
    .argument('[words...]')
    .option('--host <URL>', t('smi.host'))
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
    if (failure.reason !== null) context.warn(`gpulse: ${context.t(failure.reason.key, failure.reason.params)}`);
    process.exitCode = failure.exit;
  }
}
