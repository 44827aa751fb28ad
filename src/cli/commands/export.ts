import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { defaultDataDirectory } from '../../app/config.ts';
import type { EngineConfig } from '../../app/history-config.ts';
import { emptySpan } from '../../app/report-span.ts';
import { findMetric, type Metric, metric } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import { AppError } from '../../model/errors.ts';
import { isoTime } from '../../model/format.ts';
import type { TickReader } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import { MOMENT_NOTATION, parseMoment } from '../../server/query/moment.ts';
import { unknownMetric } from '../../server/query/unknown-metric.ts';
import type { Context } from '../context.ts';
import { csvFormat, ndjsonFormat } from '../export/plain-formats.ts';
import { type MakeFormat, rowsOf } from '../export/sample-rows.ts';
import { smiFormat } from '../export/smi-format.ts';
import { deviceFilter } from '../options.ts';

interface Flags {
  readonly data?: string;
  readonly from: string;
  readonly to: string;
  readonly format: keyof typeof FORMATS;
  readonly gpu?: string;
  readonly metric?: string;
  readonly config?: string;
}

const FORMATS = { csv: csvFormat, ndjson: ndjsonFormat, 'nvidia-smi-csv': smiFormat } as const satisfies Record<
  string,
  MakeFormat
>;

/** Text gathered before it is written: few large writes cost less than many small ones. */
const CHUNK = 65_536;

export function addExport(program: Command, context: Context): void {
  const { t } = context;
  program
    .command('export')
    .description(t('export.about'))
    .option('--data <DIR>', t('export.data'))
    .option('--from <TIME>', t('export.from'), 'all')
    .option('--to <TIME>', t('export.to'), 'now')
    .addOption(new Option('--format <FORMAT>', t('export.format')).choices(Object.keys(FORMATS)).default('csv'))
    .option('--gpu <LIST>', t('export.gpu'))
    .option('--metric <LIST>', t('export.metric'))
    .option('--config <FILE>', t('export.config'))
    .action((flags: Flags) => exportTicks(flags, context));
}

async function exportTicks(flags: Flags, context: Context): Promise<void> {
  const path = flags.data ?? defaultDataDirectory(process.env);
  const chosen = flags.metric === undefined ? null : metricsNamed(flags.metric);
  // Not needed by the commands that must start fast.
  const { openTicks } = await import('../../app/open-ticks.ts');
  const { clock } = context;
  const reader = await openTicks(path, { engine: await engineIn(flags.config), until: untilOf(flags) }, clock);
  try {
    const { from, to } = spanOf(flags, reader, context);
    const wanted = checkedFilter(flags.gpu, reader);
    if (!reader.isComplete) context.warn(context.t('export.converting', { path }));
    await print(reader, { from, to, wanted, chosen, make: FORMATS[flags.format] }, context);
    const { damaged } = reader;
    if (damaged > 0) context.warn(context.t('export.damaged', { path, count: damaged }));
  } finally {
    reader.close();
  }
}

/** The history engine that a configuration file names. */
async function engineIn(config: string | undefined): Promise<EngineConfig | undefined> {
  if (config === undefined) return undefined;
  const { readConfigFile } = await import('../../app/config-file.ts');
  return readConfigFile(config).history;
}

/** No sample from then on is wanted. */
function untilOf({ to }: Flags): Millis {
  const moment = to === 'now' ? undefined : parseMoment(to);
  return moment?.kind === 'at' ? moment.at : Number.POSITIVE_INFINITY;
}

interface Wanted {
  readonly from: Millis;
  readonly to: Millis;
  readonly wanted: (device: Device) => boolean;
  readonly chosen: readonly Metric[] | null;
  readonly make: MakeFormat;
}

async function print(reader: TickReader, { from, to, wanted, chosen, make }: Wanted, context: Context): Promise<void> {
  const format = make(chosen ?? (await reader.metrics(from, to)).map(metric));
  let text = format.header === null ? '' : `${format.header}\n`;
  let lines = 0;
  for await (const tick of reader.ticks(from, to)) {
    for (const row of rowsOf(tick, wanted)) {
      const line = format.line(row);
      if (line === null) continue;
      text += `${line}\n`;
      lines++;
    }
    if (text.length < CHUNK) continue;
    await write(text);
    text = '';
  }
  await write(text);
  if (lines === 0) context.warn(context.t('export.empty', { from: isoTime(from), to: isoTime(to) }));
}

/** Waits for a reader that is slower, so that no more than a chunk is in memory. */
async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

function spanOf(flags: Flags, reader: TickReader, { clock, lang }: Context): { from: Millis; to: Millis } {
  const extent = reader.extent();
  const now = clock.now();
  const at = (option: 'from' | 'to', all: Millis): Millis => {
    const moment = parseMoment(flags[option]);
    if (moment === undefined) {
      throw new AppError('BAD_OPTION', {
        option: `--${option}`,
        value: flags[option],
        expected: MOMENT_NOTATION[lang],
      });
    }
    if (moment.kind === 'all') return all;
    return moment.kind === 'at' ? moment.at : Math.max(0, now - moment.ms);
  };
  // A clock that was set back since leaves samples behind what is now.
  const end = Math.max(now, (extent?.to ?? now) + 1);
  const to = flags.to === 'now' ? end : at('to', end);
  const from = at('from', Math.min(extent?.from ?? 0, to - 1));
  if (from < to) return { from, to };
  throw emptySpan(flags.from, to);
}

function metricsNamed(list: string): readonly Metric[] {
  return list.split(',').map((word) => {
    const found = findMetric(word.trim());
    if (found !== undefined) return found;
    throw unknownMetric(word.trim());
  });
}

/** Throws GPU_NOT_LISTED where the list names no device of the history. */
function checkedFilter(list: string | undefined, reader: TickReader): (device: Device) => boolean {
  const wanted = deviceFilter(list);
  if (list !== undefined && !reader.devices().some(wanted)) throw new AppError('GPU_NOT_LISTED', { name: list });
  return wanted;
}
