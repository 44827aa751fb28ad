import type { Command } from 'commander';
import { AppError } from '../../model/errors.ts';
import type { RuleId } from '../../model/finding.ts';
import { dateTime, duration, quantityText } from '../../model/format.ts';
import { findRun, type KeptRun, listRuns, pruneRuns, removeRun } from '../../runs/run-store.ts';
import type { Context } from '../context.ts';
import { parseCount } from '../options.ts';
import { existingRunsRoot } from '../run/runs-root.ts';
import { parseSize } from '../run/spans.ts';
import { endText, progressText } from '../run/summary-text.ts';

interface Flags {
  readonly data?: string;
  readonly json?: boolean;
}

interface PruneFlags extends Flags {
  readonly keep?: string;
  readonly keepSize?: string;
}

export function addRuns(program: Command, context: Context): void {
  const { t } = context;
  const runs = program
    .command('runs')
    .description(t('runs.about'))
    .option('--data <DIR>', t('run.data'))
    .option('--json', t('cli.json'))
    .allowExcessArguments()
    .action((flags: Flags, command: Command) => {
      const [word] = command.args;
      if (word === undefined) return list(flags, context);
      throw new AppError('BAD_USAGE', { detail: t('runs.unknown', { word }), command: 'runs ' });
    });
  runs
    .command('rm')
    .description(t('runs.rm'))
    .argument('<RUN...>', t('runs.run'))
    .option('--data <DIR>', t('run.data'))
    .action((words: string[], _flags: Flags, command: Command) => removeAll(words, command.optsWithGlobals(), context));
  runs
    .command('prune')
    .description(t('runs.prune'))
    .option('--data <DIR>', t('run.data'))
    .option('--keep <N>', t('run.keep'))
    .option('--keep-size <SIZE>', t('run.keep-size'))
    .action((_flags: PruneFlags, command: Command) => pruneAll(command.optsWithGlobals(), context));
}

async function list(flags: Flags, context: Context): Promise<void> {
  const root = await existingRunsRoot(flags.data);
  const runs = await listRuns(root);
  if (flags.json === true) {
    const entries = runs.map(({ run, state, bytes, directory }) => ({ ...run, state, bytes, directory }));
    context.print(JSON.stringify({ runs: entries }, null, 2));
    return;
  }
  if (runs.length === 0) context.warn(context.t('runs.none', { path: root }));
  for (const run of runs) context.print(lineOf(run, context));
}

function lineOf({ run, state, bytes }: KeptRun, context: Context): string {
  const { t, lang, clock } = context;
  const { id, startedAt, endedAt, command, gpus, progress, findings } = run;
  const use = gpus.flatMap(({ meanUtilization }) => meanUtilization ?? []);
  const mean = use.reduce((sum, ratio) => sum + ratio, 0) / use.length;
  const end = state === 'ended' ? endText(run, context) : t(`runs.${state}`);
  const lasted = state === 'broken' ? null : duration((endedAt ?? clock.now()) - startedAt, lang);
  const words = progress === null ? '' : progressText(progress, context);
  const parts = [
    dateTime(startedAt),
    lasted,
    end,
    use.length === 0 ? null : t('runs.use', { gpus: gpus.length, mean: quantityText(mean, 'ratio', lang) }),
    words === '' ? null : words,
    findings.length === 0
      ? null
      : findings.map(({ rule }) => t(`rule.${rule as RuleId}`)).join(lang === 'zh' ? '、' : ', '),
    quantityText(bytes, 'bytes', lang),
  ].filter((part) => part !== null);
  return `${id}  ${shortCommand(command)}  ${parts.join(' · ')}`;
}

const LONGEST_COMMAND = 60;

/** On one line, whatever is in it. */
function shortCommand(command: readonly string[]): string {
  const text = command.join(' ').replaceAll(/[\s\p{C}]+/gu, ' ');
  return text.length > LONGEST_COMMAND ? `${text.slice(0, LONGEST_COMMAND - 1)}…` : text;
}

async function removeAll(words: readonly string[], flags: Flags, { print, t }: Context): Promise<void> {
  const root = await existingRunsRoot(flags.data);
  // All are found before the first is removed.
  const runs = await Promise.all(words.map((word) => findRun(root, word)));
  for (const kept of runs) {
    await removeRun(kept);
    print(t('runs.removed', { id: kept.run.id }));
  }
}

async function pruneAll({ keep, keepSize, ...flags }: PruneFlags, { print, t }: Context): Promise<void> {
  const count = keep === undefined ? Number.POSITIVE_INFINITY : parseCount('--keep', keep);
  const bytes = keepSize === undefined ? Number.POSITIVE_INFINITY : parseSize('--keep-size', keepSize);
  const removed = await pruneRuns(await existingRunsRoot(flags.data), { count, bytes });
  for (const { run } of removed) print(t('runs.removed', { id: run.id }));
}
