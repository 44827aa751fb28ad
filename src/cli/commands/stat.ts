import { hostname } from 'node:os';
import type { Command } from 'commander';
import { takeSnapshot } from '../../app/one-shot.ts';
import type { Stop } from '../../model/clock.ts';
import { isMute } from '../../model/core-readings.ts';
import { AppError } from '../../model/errors.ts';
import { noticeText } from '../../model/i18n/notice-text.ts';
import type { DeviceView } from '../../model/reader.ts';
import { apiGpus } from '../../server/wire/api-gpu.ts';
import type { Context } from '../context.ts';
import { statHead, statLine } from '../gpu-text.ts';
import { addSourceOptions, type SourceFlags, sourceOptions } from '../options.ts';

/** Longer than an ordinary start takes. */
const WAITING_MS = 2000;

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
  const { print, warn, t, lang } = context;
  const stopWaiting = flags.source.includes(':') ? () => {} : sayWaiting(context);
  const { source, origin, snapshot, notices, failure } = await takeSnapshot(sourceOptions(flags, context)).finally(
    stopWaiting,
  );
  if (origin === 'simulated') warn(t('cli.simulated'));
  if (flags.json) {
    print(JSON.stringify(apiGpus(snapshot, hostname(), source), null, 2));
  } else {
    if (snapshot.devices.length === 0) throw new AppError('NO_DEVICE', { source });
    const width = Math.max(0, ...snapshot.devices.map(({ device }) => statHead(device).length));
    for (const view of snapshot.devices) print(statLine(view, width, context));
  }
  if (origin !== 'live') return;
  for (const notice of notices) warn(noticeText(notice, lang));
  if (failure !== null) throw failure;
  failIfUnwell(snapshot.devices, context);
}

/** A driver may take long to start: whoever waits is told so. */
function sayWaiting({ clock, warn, t }: Context): Stop {
  return clock.after(WAITING_MS, () => warn(t('cli.waiting')));
}

/** The list is complete, but a script must not take a GPU that gives nothing for a healthy one. */
function failIfUnwell(devices: readonly DeviceView[], { lang, t }: Context): void {
  const unwell = devices.filter(({ state, readings }) => state === 'lost' || state === 'stale' || isMute(readings));
  if (unwell.length === 0) return;
  const names = unwell.map(
    ({ device, state }) => `GPU ${device.index} ${t(state === 'ok' ? 'absent.error' : `state.${state}`)}`,
  );
  // The MIG instances of a card are as the card is.
  throw new AppError('GPU_UNWELL', { names: [...new Set(names)].join(lang === 'zh' ? '、' : ', ') });
}
