import type { Command } from 'commander';
import {
  asStarted,
  exitCodeOf,
  findCommand,
  passSignals,
  plainEnvironment,
  sendSignal,
  startChild,
} from '../../app/run-child.ts';
import { type Granted, withinTime } from '../../app/wait.ts';
import { AppError, toAppError } from '../../model/errors.ts';
import { duration } from '../../model/format.ts';
import { isInSomeEnvironment } from '../../waiting/left-behind.ts';
import { visibleDevices } from '../../waiting/visible-devices.ts';
import type { Context } from '../context.ts';
import { parseSpan } from '../run/spans.ts';
import { endAfter } from '../signals.ts';
import { choiceText, failureText } from '../wait/choice-text.ts';
import { WaitProgress } from '../wait/progress.ts';
import { addRequestOptions, type RequestFlags, requestOf } from '../wait/request-options.ts';
import { deviceName } from '../wait/standing-text.ts';
import { startWaiter } from '../wait/start-waiter.ts';

interface Flags extends RequestFlags {
  readonly timeout?: string;
  readonly hold: string;
  readonly quiet?: boolean;
}

export function addWait(program: Command, context: Context): void {
  const { t } = context;
  addRequestOptions(program.command('wait').description(t('wait.about')), '30s', context)
    .option('--timeout <TIME>', t('wait.timeout'))
    .option('--hold <TIME>', t('wait.hold'), '60s')
    .option('-q, --quiet', t('wait.quiet'))
    .argument('[COMMAND...]', t('wait.command'))
    .passThroughOptions()
    .action((command: string[], flags: Flags) => wait(command, flags, context));
}

async function wait(command: readonly string[], flags: Flags, context: Context): Promise<void> {
  if (command.length > 0) return waitAndRun(command, flags, context);
  let code = 0;
  try {
    await waitAndRun(command, flags, context);
    code = Number(process.exitCode ?? 0);
  } catch (error) {
    code = toAppError(error).entry.exit;
    throw error;
  } finally {
    if (code !== 0 && process.stdout.isTTY !== true) context.print(failureText(code));
  }
}

async function waitAndRun(command: readonly string[], flags: Flags, context: Context): Promise<void> {
  const request = requestOf(flags);
  const timeoutMs = flags.timeout === undefined ? null : parseSpan('--timeout', flags.timeout, 0);
  const holdMs = parseSpan('--hold', flags.hold, 0);
  // Waiting for hours only to find that the command does not exist would be a pity.
  if (command[0] !== undefined) findCommand(command[0], process.env);
  const { t, lang, warn, print } = context;
  const progress = new WaitProgress(request, context);
  const signal = untilSignalled();
  const waiter = await startWaiter(flags, request, context, {
    command,
    isQueued: true,
    isTaking: true,
    isLastLook: () => false,
    show: (state) => {
      if (flags.quiet !== true) progress.show(state);
    },
  });
  let granted: Granted | NodeJS.Signals;
  try {
    const failure = (): AppError =>
      new AppError('WAIT_TIMED_OUT', { wanted: request.gpus, time: duration(timeoutMs ?? 0, lang) });
    granted = await Promise.race([withinTime(waiter, context, timeoutMs, failure), signal.promise]);
  } finally {
    signal.stop();
    progress.clear();
    await waiter.stop();
  }
  if (typeof granted === 'string') {
    process.exitCode = exitCodeOf({ code: null, signal: granted });
    return;
  }
  if (flags.quiet !== true) {
    const gpus = granted.devices.map(deviceName).join(lang === 'zh' ? '、' : ', ');
    warn(t('wait.starting', { gpus, time: duration(progress.waitedMs, lang) }));
  }
  if (command.length > 0) {
    await runOn(granted, command, holdMs);
    return;
  }
  // Whoever reads the choice needs some time until its processes show up on the GPUs.
  await leave(granted, holdMs);
  print(choiceText(granted, 'env'));
}

async function leave({ claim }: Granted, holdMs: number): Promise<void> {
  if (holdMs > 0) await claim?.leave(holdMs);
  else await claim?.release();
}

/** Names those that a command leaves behind. */
const MARK = 'GPULSE_WAIT_ID';

/** The GPUs stay held until the command has ended: it may take its time until its processes show up on them. */
async function runOn(granted: Granted, command: readonly string[], holdMs: number): Promise<void> {
  const { devices, all } = granted;
  const id = `${process.pid}-${process.hrtime.bigint()}`;
  const env = { ...plainEnvironment(process.env), ...visibleDevices(devices, all), [MARK]: id };
  const child = startChild({ command: asStarted(command, process.env), env, stdio: 'inherit' });
  const stopSignals = passSignals((name) => sendSignal(child.pid, name));
  process.exitCode = exitCodeOf(await child.ended);
  stopSignals();
  // A launcher that has ended may have left a training behind which is not on the GPUs yet.
  if (await isInSomeEnvironment(`${MARK}=${id}`)) await leave(granted, holdMs);
  else await granted.claim?.release();
}

/** The first signal that asks to end. */
function untilSignalled(): { readonly promise: Promise<NodeJS.Signals>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = (name: NodeJS.Signals): void => {
    resolve(name);
    endAfter(name);
  };
  const listeners = names.map((name) => [name, () => end(name)] as const);
  for (const [name, listener] of listeners) process.on(name, listener);
  return {
    promise,
    stop: () => {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}
