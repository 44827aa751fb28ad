import type { Command } from 'commander';
import { parseInterval } from '../../app/interval.ts';
import { runCommand } from '../../app/run.ts';
import type { CapturedChild } from '../../app/run-capture.ts';
import type { AppError } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import {
  addSourceOptions,
  deviceFilter,
  parseCount,
  requireListed,
  type SourceFlags,
  sourceOptions,
} from '../options.ts';
import { runsRoot } from '../run/runs-root.ts';
import { parseSize } from '../run/spans.ts';
import { summaryLines } from '../run/summary-text.ts';

interface Flags extends SourceFlags {
  readonly interval: string;
  readonly data?: string;
  readonly gpu?: string;
  readonly log?: string;
  readonly pty: boolean;
  readonly summary: boolean;
  readonly keep: string;
  readonly keepSize: string;
}

export function addRun(program: Command, context: Context): void {
  const { t } = context;
  addSourceOptions(program.command('run').description(t('run.about')), context)
    .option('-i, --interval <TIME>', t('cli.interval'), '1s')
    .option('--data <DIR>', t('run.data'))
    .option('--gpu <LIST>', t('record.gpu'))
    .option('--log <FILE>', t('run.log'))
    .option('--no-pty', t('run.no-pty'))
    .option('--no-summary', t('run.no-summary'))
    .option('--keep <N>', t('run.keep'), '100')
    .option('--keep-size <SIZE>', t('run.keep-size'), '5GB')
    .argument('<COMMAND...>', t('run.command'))
    .passThroughOptions()
    .action((command: string[], flags: Flags) => run(command, flags, context));
}

async function run(command: readonly string[], flags: Flags, context: Context): Promise<void> {
  const { warn, t, lang } = context;
  const said = new Set<string>();
  const outcome = await runCommand({
    command,
    source: sourceOptions(flags, context),
    intervalMs: parseInterval('--interval', flags.interval),
    root: runsRoot(flags.data),
    limits: { count: parseCount('--keep', flags.keep), bytes: parseSize('--keep-size', flags.keepSize) },
    wanted: flags.gpu === undefined ? null : deviceFilter(flags.gpu),
    requireListed: requireListed(flags.gpu),
    logFile: flags.log ?? null,
    hasTerminal: flags.pty,
    warn: (failure: AppError) => {
      const text = t('run.trouble', { text: failure.text(lang), hint: failure.hint(lang) });
      if (!said.has(text)) warn(`gpulse: ${text}`);
      said.add(text);
    },
    started: ({ mode, missing }: CapturedChild) => {
      if (missing.length === 0) return;
      const programs = missing.join(lang === 'zh' ? '、' : ', ');
      warn(`gpulse: ${t(mode === 'none' ? 'run.not-copied' : 'run.no-script', { programs })}`);
    },
  });
  if (flags.summary) for (const line of summaryLines(outcome, context)) warn(line);
  // Whatever the driver still does: the command has ended.
  process.exit(outcome.exitCode);
}
