import type { Command } from 'commander';
import { parseBasePath, parseListen, parseSpeed } from '../../app/config.ts';
import { parseInterval } from '../../app/interval.ts';
import { parseKeep } from '../../app/keep.ts';
import { announceServer } from '../../app/local-server.ts';
import type { ReportingFlags } from '../../app/reporting-flags.ts';
import type { App } from '../../app/serve.ts';
import { VERSION } from '../../app/version.ts';
import type { Context } from '../context.ts';
import { addSourceOptions, checkTimeZone, type SourceFlags, sourceSpec } from '../options.ts';
import { untilSignal } from '../signals.ts';

interface Flags extends SourceFlags, ReportingFlags {
  readonly listen: string;
  readonly data?: string;
  readonly keep?: string;
  readonly interval: string;
  readonly speed: string;
  readonly basePath: string;
  readonly allowAnonymous?: boolean;
  readonly allowedHost?: string[];
  readonly demoWithoutGpu?: boolean;
}

export function addServe(program: Command, context: Context): void {
  const { t } = context;
  const command = program.command('serve').description(t('serve.about'));
  addSourceOptions(command, context)
    .option('--listen <HOST:PORT>', t('serve.listen'), '127.0.0.1:9400')
    .option('--data <DIR>', t('serve.data'))
    .option('--keep <LIST>', t('serve.keep'))
    .option('--history-url <URL>', t('serve.history-url'))
    .option('--interval <TIME>', t('cli.interval'), '1s')
    .option('--speed <SPEED>', t('serve.speed'), 'max')
    .option('--base-path <PATH>', t('serve.base-path'), '/')
    .option('--allow-anonymous', t('serve.allow-anonymous'))
    .option('--allowed-host <NAME...>', t('serve.allowed-host'))
    .option('--demo-without-gpu', t('serve.demo'))
    .option('--config <FILE>', t('serve.config'))
    .option('--metrics-profile <LIST>', t('serve.metrics-profile'))
    .option('--metrics-owner-labels', t('serve.metrics-owner-labels'))
    .option('--dcgm-host-label <NAME>', t('serve.dcgm-host-label'))
    .option('--dcgm-names <NAMES>', t('serve.dcgm-names'))
    .option('--dcgm-fields <FIELDS>', t('serve.dcgm-fields'))
    .option('--push-gateway <URL>', t('serve.push-gateway'))
    .option('--influx <URL>', t('serve.influx'))
    .option('--remote-write <URL>', t('serve.remote-write'))
    .option('--otlp <URL>', t('serve.otlp'))
    .action((flags: Flags) => serve(flags, context));
}

/** Closing waits for a disk and for receivers, each with a limit of its own. */
const SERVE_GRACE_MS = 60_000;

async function serve(flags: Flags, context: Context): Promise<void> {
  // A signal that comes while it starts ends it as soon as there is something to end.
  const stopped = untilSignal(SERVE_GRACE_MS);
  if (flags.timeZone !== undefined) checkTimeZone(flags.timeZone);
  // What serving takes is not loaded for a look at the help.
  const { startApp } = await import('../../app/serve.ts');
  const { parseReporting } = await import('../../app/reporting-flags.ts');
  const reporting = parseReporting(flags);
  const app = await startApp(
    {
      ...parseListen(flags.listen),
      basePath: parseBasePath(flags.basePath),
      allowAnonymous: flags.allowAnonymous ?? false,
      allowedHosts: flags.allowedHost ?? [],
      data: flags.data ?? null,
      keep: flags.keep === undefined ? null : parseKeep(flags.keep),
      intervalMs: parseInterval('--interval', flags.interval),
      source: sourceSpec(flags),
      speed: parseSpeed(flags.speed),
      nvmlLibrary: flags.nvmlLibrary ?? null,
      timeZone: flags.timeZone ?? null,
      demoWithoutGpu: flags.demoWithoutGpu ?? false,
      ...reporting,
    },
    context.clock,
    { lang: context.lang, print: context.warn },
  );
  announce(app, context);
  if (reporting.sinks.some(({ kind }) => kind === 'pushgateway')) context.warn(context.t('serve.push-gateway-keeps'));
  // Whoever asks for this machine's GPUs on it is answered from here, see local-server.ts.
  const withdraw = app.source().origin === 'live' ? announceServer(app.url, process.env) : () => {};
  await stopped;
  withdraw();
  context.warn(context.t('serve.stopping'));
  await app.close();
}

function announce(app: App, { print, t, lang }: Context): void {
  print(t('serve.ready', { version: VERSION, url: app.url }));
  const { reason, origin } = app.source();
  if (reason !== null) {
    print(t('serve.no-gpu', { reason: reason.text(lang) }));
    print(t('serve.remedy', { hint: reason.hint(lang) }));
    print(origin === 'simulated' ? t('serve.demonstration') : t('serve.searching'));
  }
  print(t('serve.stop'));
}
