import type { Command } from 'commander';
import { parseInterval } from '../../app/interval.ts';
import { openSource } from '../../app/open-source.ts';
import { Supply } from '../../app/supply.ts';
import type { Stop } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import { AppError } from '../../model/errors.ts';
import { noticeText } from '../../model/i18n/notice-text.ts';
import type { Probe, Source } from '../../model/ports.ts';
import type { Tick } from '../../model/tick.ts';
import type { Context } from '../context.ts';
import { watchLine, watchTickLine, watchTime } from '../gpu-text.ts';
import { addSourceOptions, deviceFilter, parseCount, type SourceFlags, sourceOptions } from '../options.ts';
import { untilSignal } from '../signals.ts';

/** How often is looked for something to say beside the data. */
const TROUBLE_MS = 2000;

interface Flags extends SourceFlags {
  readonly interval: string;
  readonly count?: string;
  readonly gpu?: string;
  readonly utc?: boolean;
  readonly oneLine?: boolean;
}

export function addWatch(program: Command, context: Context): void {
  const { t } = context;
  const command = program.command('watch').description(t('watch.about'));
  addSourceOptions(command, context)
    .option('-i, --interval <TIME>', t('cli.interval'), '1s')
    .option('-c, --count <N>', t('watch.count'))
    .option('--gpu <LIST>', t('watch.gpu'))
    .option('--utc', t('watch.utc'))
    .option('--one-line', t('watch.one-line'))
    .action((flags: Flags) => watch(flags, context));
}

async function watch(flags: Flags, context: Context): Promise<void> {
  const limit = flags.count === undefined ? Number.POSITIVE_INFINITY : parseCount('--count', flags.count);
  const intervalMs = parseInterval('--interval', flags.interval);
  const wanted = deviceFilter(flags.gpu);
  const print = tickPrinter(wanted, flags, context);
  const open = (): Promise<Probe> => openSource({ ...sourceOptions(flags, context), simulatePast: false });
  const probe = await open();
  if (!probe.ok) throw probe.reason;
  const enough = Promise.withResolvers<void>();
  let count = 0;
  const supply = createSupply(probe.source, open, context, intervalMs, (tick) => {
    if (count >= limit || tick.devices.length === 0) return;
    print(tick);
    // A list that names no GPU of this machine would print nothing for ever.
    const isVain = probe.source.origin !== 'recorded' && !probe.source.devices().some(wanted);
    if (++count >= limit || isVain) enough.resolve();
  });
  const signal = untilSignal();
  const stopReporting = reportTrouble(supply, context);
  if (probe.source.origin === 'simulated') context.warn(context.t('cli.simulated'));
  await supply.start(probe);
  await Promise.race([signal, enough.promise, supply.ended()]);
  stopReporting();
  const known = probe.source.devices();
  await supply.stop();
  if (flags.gpu !== undefined && !known.some(wanted)) {
    throw new AppError('GPU_NOT_LISTED', { name: flags.gpu });
  }
}

/** Says on standard error why no line comes, and what the source remarks: each once, until it has changed. */
function reportTrouble(supply: Supply, { clock, warn, lang }: Context): Stop {
  const said = new Set<string>();
  return clock.every(TROUBLE_MS, () => {
    const { reason, notices, origin } = supply.status();
    if (origin !== 'live') return;
    const texts = new Map(
      notices.map((notice) => [`${notice.key} ${notice.params['index'] ?? ''}`, noticeText(notice, lang)]),
    );
    if (reason !== null) texts.set(reason.code, reason.text(lang));
    for (const id of said) if (!texts.has(id)) said.delete(id);
    for (const [id, text] of texts) {
      if (said.has(id)) continue;
      said.add(id);
      warn(text);
    }
  });
}

function createSupply(
  { origin, name }: Source,
  open: () => Promise<Probe>,
  { clock }: Context,
  intervalMs: number,
  publish: (tick: Tick) => void,
): Supply {
  return new Supply({
    clock,
    intervalMs,
    origin,
    name,
    publish,
    open,
    readsHost: false,
    drained: outputDrained,
  });
}

/** Resolves once the reader of standard output has taken what was written. */
async function outputDrained(): Promise<void> {
  if (process.stdout.writableNeedDrain) await new Promise((resolve) => process.stdout.once('drain', resolve));
}

function tickPrinter(
  wanted: (device: Device) => boolean,
  { utc = false, oneLine = false }: Flags,
  context: Context,
): (tick: Tick) => void {
  return ({ at, devices }) => {
    const time = watchTime(at, utc);
    const shown = devices.filter(({ device }) => wanted(device));
    if (oneLine && shown.length > 0) context.print(watchTickLine(shown, time, context));
    if (!oneLine) for (const sample of shown) context.print(watchLine(sample, time, context));
  };
}
