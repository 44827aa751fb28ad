import { hostname } from 'node:os';
import { type Command, Option } from 'commander';
import { parseInterval } from '../../app/interval.ts';
import { type Recording, startRecording, watchTrouble } from '../../app/record.ts';
import { VERSION } from '../../app/version.ts';
import type { Stop } from '../../model/clock.ts';
import { AppError } from '../../model/errors.ts';
import { duration, quantityText } from '../../model/format.ts';
import { noticeText } from '../../model/i18n/notice-text.ts';
import type { Origin } from '../../model/ports.ts';
import { RecordingEncoder } from '../../sources/recording/own-format/encoder.ts';
import type { TickText } from '../../sources/recording/own-format/record-file.ts';
import type { Context } from '../context.ts';
import {
  addSourceOptions,
  deviceFilter,
  parseCount,
  requireListed,
  type SourceFlags,
  sourceOptions,
} from '../options.ts';
import { SmiText } from '../run/smi-text.ts';
import { parseSize, parseSpan } from '../run/spans.ts';
import { untilSignal } from '../signals.ts';

const FORMATS = ['ndjson', 'csv'] as const;

/** What a csv has unless other fields are asked for: enough for every diagnosis that such a log allows. */
const FIELDS =
  'timestamp,index,uuid,name,pci.bus_id,driver_version,pstate,utilization.gpu,utilization.memory,memory.total,memory.used,temperature.gpu,temperature.memory,power.draw,enforced.power.limit,clocks.sm,clocks.max.sm,clocks.mem,clocks_event_reasons.active,pcie.link.gen.current,pcie.link.width.current,ecc.errors.uncorrected.volatile.total';

interface Flags extends SourceFlags {
  readonly output?: string;
  readonly format: (typeof FORMATS)[number];
  readonly fields?: string;
  readonly interval: string;
  readonly duration?: string;
  readonly rotateSize?: string;
  readonly rotateTime?: string;
  readonly keep?: string;
  readonly gpu?: string;
  readonly commands: boolean;
}

export function addRecord(program: Command, context: Context): void {
  const { t } = context;
  const command = program.command('record').description(t('record.about'));
  addSourceOptions(command, context)
    .option('-o, --output <FILE>', t('record.output'))
    .addOption(new Option('--format <FORMAT>', t('record.format')).choices(FORMATS).default('ndjson'))
    .option('--fields <LIST>', t('record.fields'))
    .option('-i, --interval <TIME>', t('cli.interval'), '1s')
    .option('-d, --duration <TIME>', t('record.duration'))
    .option('--rotate-size <SIZE>', t('record.rotate-size'))
    .option('--rotate-time <TIME>', t('record.rotate-time'))
    .option('--keep <N>', t('record.keep'))
    .option('--gpu <LIST>', t('record.gpu'))
    .option('--no-commands', t('record.no-commands'))
    .action((flags: Flags) => record(flags, context));
}

/** The last ticks are still written, also to a slow disk. */
const RECORD_GRACE_MS = 10_000;

async function record(flags: Flags, context: Context): Promise<void> {
  const { clock, lang, warn, t } = context;
  const { rotateSize, rotateTime, keep, format } = flags;
  const path = flags.output ?? `gpulse-${stampOf(clock.now())}.${format}`;
  const intervalMs = parseInterval('--interval', flags.interval);
  const endMs = flags.duration === undefined ? null : parseSpan('--duration', flags.duration);
  // Made before anything is opened, so that a wrong field is said at once.
  const csv = format === 'csv' ? new SmiText(flags.fields ?? FIELDS, flags.timeZone ?? null) : null;
  if (csv === null && flags.fields !== undefined) {
    throw new AppError('BAD_USAGE', { detail: t('record.fields-csv'), command: 'record ' });
  }
  const signal = untilSignal(RECORD_GRACE_MS);
  const recording = await startRecording({
    source: sourceOptions(flags, context),
    path,
    intervalMs,
    wanted: deviceFilter(flags.gpu),
    check: requireListed(flags.gpu),
    rotateBytes: rotateSize === undefined ? Number.POSITIVE_INFINITY : parseSize('--rotate-size', rotateSize),
    rotateMs: rotateTime === undefined ? Number.POSITIVE_INFINITY : parseSpan('--rotate-time', rotateTime),
    keep: keep === undefined ? Number.POSITIVE_INFINITY : parseCount('--keep', keep),
    text: (source) => csv ?? ownText(source, intervalMs, flags.commands),
  });
  if (recording.origin === 'simulated') warn(t('cli.simulated'));
  const stopProgress = showProgress(recording, path, context);
  const enough = Promise.withResolvers<void>();
  const stopTimer = endMs === null ? () => {} : clock.after(endMs, enough.resolve);
  await Promise.race([signal, enough.promise, recording.ended()]);
  stopTimer();
  try {
    for (const notice of await recording.stop()) warn(noticeText(notice, lang));
  } finally {
    stopProgress();
  }
}

function ownText(source: { name: string; origin: Origin }, intervalMs: number, hasCommands: boolean): TickText {
  return new RecordingEncoder({
    version: VERSION,
    host: hostname(),
    source: source.name,
    origin: source.origin,
    intervalMs,
    hasCommands,
  });
}

/** One line that is written over on a terminal; elsewhere only trouble is said. Stopping it leaves the last state. */
function showProgress(recording: Recording, path: string, context: Context): Stop {
  const { clock, lang, warn, t } = context;
  const isTerminal = process.stderr.isTTY === true;
  const started = clock.monotonic();
  const line = (): string => {
    const { ticks, bytes } = recording.status();
    const time = duration(clock.monotonic() - started, lang);
    return t('record.progress', { path, ticks, size: quantityText(bytes, 'bytes', lang), time });
  };
  const draw = (): void => {
    if (isTerminal) process.stderr.write(`\r\u001b[K${line()}`);
  };
  const stops = [
    clock.every(1000, draw),
    watchTrouble(recording.status, clock.every, (failure, dropped) => {
      if (isTerminal) process.stderr.write('\r\u001b[K');
      warn(
        failure === null ? t('record.resumed', { path }) : t('record.trouble', { text: failure.text(lang), dropped }),
      );
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    draw();
    if (isTerminal) process.stderr.write('\n');
    else warn(line());
  };
}

/** `20261130-194210`, local. */
function stampOf(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString();
  return date.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}
