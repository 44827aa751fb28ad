import type { Command } from 'commander';
import { AppError } from '../../model/errors.ts';
import type { GpuRequest } from '../../waiting/request.ts';
import type { Context } from '../context.ts';
import { addSourceOptions, deviceFilter, parseCount, type SourceFlags } from '../options.ts';
import { parseSize, parseSpan } from '../run/spans.ts';

/** Options that `wait` and `pick` share. */
export interface RequestFlags extends SourceFlags {
  readonly gpus: string;
  readonly freeMemory: string;
  readonly idle: string;
  readonly maxUtilization: string;
  readonly shared?: boolean;
  readonly gpu?: string;
}

/** `usualIdle` is how long a GPU must be idle unless something else is asked for. */
export function addRequestOptions(command: Command, usualIdle: string, context: Context): Command {
  const { t } = context;
  return addSourceOptions(
    command
      .option('-n, --gpus <N>', t('wait.gpus'), '1')
      .option('--free-memory <SIZE>', t('wait.free-memory'), '90%')
      .option('--idle <TIME>', t('wait.idle'), usualIdle)
      .option('--max-utilization <PERCENT>', t('wait.max-utilization'), '5%')
      .option('--shared', t('wait.shared'))
      .option('--gpu <LIST>', t('wait.gpu')),
    context,
  );
}

/** Throws BAD_OPTION. */
export function requestOf(flags: RequestFlags): GpuRequest {
  return {
    gpus: parseCount('--gpus', flags.gpus),
    freeMemory: parseMemory(flags.freeMemory),
    idleMs: parseSpan('--idle', flags.idle, 0),
    idleRatio: parsePercent('--max-utilization', flags.maxUtilization),
    isShared: flags.shared === true,
    wanted: deviceFilter(flags.gpu),
  };
}

function parseMemory(value: string): GpuRequest['freeMemory'] {
  if (value.endsWith('%')) return { ratio: parsePercent('--free-memory', value, '40GiB, 0%–100%') };
  return { bytes: parseSize('--free-memory', value, 0) };
}

function parsePercent(option: string, value: string, expected = '0%–100%'): number {
  const ratio = /^\d+(\.\d+)?%?$/.test(value) ? Number.parseFloat(value) / 100 : Number.NaN;
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new AppError('BAD_OPTION', { option, value, expected });
}
