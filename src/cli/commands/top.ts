import { hostname } from 'node:os';
import type { ReadStream, WriteStream } from 'node:tty';
import { type Command, Option } from 'commander';
import { parseSpeed } from '../../app/config.ts';
import { parseInterval } from '../../app/interval.ts';
import { VERSION } from '../../app/version.ts';
import { AppError } from '../../model/errors.ts';
import type { Feed } from '../../tui/data/feed.ts';
import type { Settings } from '../../tui/ui/state.ts';
import type { Context } from '../context.ts';
import { addSourceOptions, refuseTwoSources, type SourceFlags, sourceOptions } from '../options.ts';

const WAITING_MS = 2000;
/** How often a server of this machine is asked before the driver is opened instead. */
const TRIES = 3;
const THEME_NAMES = ['dark', 'light', 'mono'] as const;

interface Flags extends SourceFlags {
  readonly interval: string;
  readonly gpu?: string;
  /** The address; false for `--no-server`. */
  readonly server?: string | false;
  readonly readonly?: boolean;
  readonly mouse: boolean;
  readonly ascii?: boolean;
  readonly theme?: (typeof THEME_NAMES)[number];
  readonly speed: string;
}

export function addTop(program: Command, context: Context): void {
  const { t } = context;
  const command = program.command('top').description(t('top.about'));
  refuseTwoSources(addSourceOptions(command, context), context)
    .option('-d, --interval <TIME>', t('cli.interval'), '1s')
    .option('-i, --gpu <LIST>', t('top.gpu-option'))
    .option('--server <URL>', t('top.server-option'))
    .option('--no-server', t('top.no-server'))
    .option('--readonly', t('top.readonly'))
    .option('--no-mouse', t('top.no-mouse'))
    .option('--ascii', t('top.ascii'))
    .addOption(new Option('--theme <THEME>', t('top.theme')).choices(THEME_NAMES))
    .option('--speed <SPEED>', t('top.speed'), 'max')
    .action((flags: Flags) => top(flags, context));
}

async function top(flags: Flags, context: Context): Promise<void> {
  const intervalMs = parseInterval('--interval', flags.interval);
  const speed = parseSpeed(flags.speed);
  const { input, output } = terminalOf(context);
  const feed = await chooseFeed(flags, intervalMs, speed, context);
  const [{ Top }, files, { usualSettings }, { TopKill }] = await Promise.all([
    import('../../tui/top.ts'),
    import('../../tui/settings-file.ts'),
    import('../../tui/ui/state.ts'),
    import('../../app/top-kill.ts'),
  ]);
  const path = files.settingsPath(process.env);
  const isRecorded = flags.source.startsWith('replay:');
  const usual = usualSettings(feed.server !== null ? 'served' : isRecorded ? 'recorded' : 'from-now-on');
  const kill = new TopKill(context.clock);
  const view = new Top({
    ...{ feed, input, output, clock: context.clock, lang: context.lang, version: VERSION, host: hostname() },
    isReadonly: flags.readonly ?? false,
    hasMouse: flags.mouse,
    isWanted: gpuFilter(flags.gpu),
    settings: asFlagged(await files.loadSettings(path, usual), flags, context),
    depth: output.getColorDepth() >= 8 ? 256 : 16,
    kill: (target, signal) => kill.send(target, signal),
    save: (settings) => files.saveSettings(path, settings),
  });
  const signal = await view.run();
  // Whoever sent the signal finds the process ended by it.
  if (signal !== null) process.kill(process.pid, signal);
}

/** Flags go before what was saved; NO_COLOR before both. */
function asFlagged(saved: Settings, { ascii, theme }: Flags, { color }: Context): Settings {
  const isPoor = process.env['TERM'] === 'dumb' || process.env['TERM'] === 'linux';
  return {
    ...saved,
    isAscii: ascii ?? (saved.isAscii || isPoor),
    theme: color ? (theme ?? saved.theme) : 'mono',
  };
}

function terminalOf({ t }: Context): { input: ReadStream; output: WriteStream } {
  const { stdin, stdout } = process;
  for (const [stream, name] of [
    [stdout, t('top.output')],
    [stdin, t('top.input')],
  ] as const) {
    if (!stream.isTTY) throw new AppError('NO_TERMINAL', { command: 'top', stream: name });
  }
  return { input: stdin, output: stdout };
}

/** The server that was named, else one that runs here, else the source itself. */
async function chooseFeed(flags: Flags, intervalMs: number, speed: number, context: Context): Promise<Feed> {
  const { server, source, remote, nvmlLibrary } = flags;
  const { lang, clock } = context;
  const isOwn = server === false || source !== 'auto' || remote !== undefined || nvmlLibrary !== undefined;
  const base = typeof server === 'string' ? addressOf(server) : isOwn ? null : await localServer(context);
  if (base !== null) {
    const { ServerFeed } = await import('../../tui/data/server-feed.ts');
    return new ServerFeed({ base, lang, clock });
  }
  const { TopFeed } = await import('../../app/top-feed.ts');
  const options = sourceOptions(flags, context);
  const stopWaiting = clock.after(WAITING_MS, () => context.warn(context.t('cli.waiting')));
  return TopFeed.open({ source: options, intervalMs, speed, lang }).finally(stopWaiting);
}

/** Address of the `serve` that samples this machine now; null where there is none. */
async function localServer({ clock, lang }: Context): Promise<string | null> {
  const [{ localLook }, { localServers }] = await Promise.all([
    import('../../app/served-look.ts'),
    import('../../app/local-server.ts'),
  ]);
  if (localServers(process.env).length === 0) return null;
  // One that is busy answers late; whoever stays for hours can ask it again.
  for (let tries = 0; tries < TRIES; tries++) {
    const look = await localLook(clock, lang, process.env);
    if (look !== null) return look.server;
  }
  return null;
}

function addressOf(server: string): string {
  if (!URL.canParse(server) || !/^https?:/.test(server)) {
    throw new AppError('BAD_OPTION', { option: '--server', value: server, expected: 'URL' });
  }
  return server.endsWith('/') ? server : `${server}/`;
}

/** True for the GPUs a comma-separated list of indexes and UUIDs names; without a list for all. */
function gpuFilter(list: string | undefined): (gpu: { readonly uuid: string; readonly index: number }) => boolean {
  if (list === undefined) return () => true;
  const wanted = new Set(list.split(',').map((word) => word.trim()));
  return ({ uuid, index }) => wanted.has(uuid) || wanted.has(String(index));
}
