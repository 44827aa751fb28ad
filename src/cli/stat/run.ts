import type { Look } from '../../app/look.ts';
import { AppError } from '../../model/errors.ts';
import type { DeviceView } from '../../model/reader.ts';
import type { Context } from '../context.ts';
import { fitLine } from '../fit-line.ts';
import { isUnhealthy, isUnwell, snapshotFilter } from './filter.ts';
import { filtersOf, gpustatLayout, intervalOf, type StatFlags, unhealthyExit } from './flags.ts';
import { gpustatLines } from './gpustat-text.ts';
import { statJson } from './json.ts';
import { lookOnce } from './look-once.ts';
import { ownLines } from './own-text.ts';
import type { Screen } from './screen.ts';

/** Prints what is known of the GPUs: once, or in place again and again. Throws where a GPU gives no data. */
export async function stat(flags: StatFlags, context: Context): Promise<void> {
  const color = flags.color ?? (flags.forceColor === true || context.color);
  const printed = { ...context, color };
  const layout = gpustatLayout(flags);
  const intervalMs = intervalOf(flags, context);
  const exit = unhealthyExit(flags);
  const filtered = snapshotFilter(filtersOf(flags));
  const narrow = (look: Look): Look => {
    if (look.snapshot.devices.length === 0) throw new AppError('NO_DEVICE', { source: look.source });
    return { ...look, snapshot: filtered(look.snapshot) };
  };
  const linesOf = (look: Look): string[] =>
    layout === null ? ownLines(look, printed) : gpustatLines(look, layout, color);
  if (intervalMs !== null) return follow(flags, intervalMs, context, narrow, linesOf);
  let last: Look | null = null;
  await lookOnce(flags, context, (found) => {
    const look = narrow(found);
    last = look;
    const width = process.stdout.isTTY === true ? process.stdout.columns : Number.POSITIVE_INFINITY;
    const lines = flags.json
      ? [JSON.stringify(statJson(look), null, 2)]
      : linesOf(look).map((line) => fitLine(line, width));
    if (lines.length > 0) context.print(lines.join('\n'));
    remark(look, flags, context);
  });
  if (last !== null) judge(last, flags, exit, context);
}

/** What was lost while nobody looked at the exit code is on the screen; a script reads the JSON. */
async function follow(
  flags: StatFlags,
  intervalMs: number,
  context: Context,
  narrow: (look: Look) => Look,
  linesOf: (look: Look) => string[],
): Promise<void> {
  const { lookRepeatedly } = await import('./look-repeatedly.ts');
  if (flags.json) {
    return lookRepeatedly(flags, intervalMs, context, (look) => context.print(JSON.stringify(statJson(narrow(look)))));
  }
  const { openScreen } = await import('./screen.ts');
  let screen: Screen | null = null;
  let isFirst = true;
  try {
    await lookRepeatedly(flags, intervalMs, context, (found) => {
      const look = narrow(found);
      const isTerminal = process.stdout.isTTY === true;
      if (isFirst && !isTerminal) remark(look, flags, context);
      isFirst = false;
      screen ??= openScreen(process.stdout);
      // On a screen of its own there is no other place for remarks.
      const remarks = isTerminal ? remarksOf(look, context) : [];
      screen.show([...linesOf(look), ...(remarks.length > 0 ? ['', ...remarks] : [])]);
    });
  } finally {
    (screen as Screen | null)?.close();
  }
}

function remarksOf({ origin, notices, snapshot }: Look, { t }: Context): readonly string[] {
  return [
    ...(origin === 'simulated' ? [t('cli.simulated')] : []),
    ...notices,
    ...(snapshot.devices.length === 0 ? [t('stat.no-gpu-fits')] : []),
  ];
}

function remark(look: Look, { debug = false }: StatFlags, context: Context): void {
  for (const text of remarksOf(look, context)) context.warn(text);
  if (!debug) return;
  const { source, server } = look;
  const ms = Math.round(performance.now());
  context.warn(context.t('stat.debug-line', { source: server === null ? source : `${server} (${source})`, ms }));
}

/** The list is complete, but a script must not take a GPU that gives nothing for a healthy one. */
function judge({ snapshot, failure }: Look, flags: StatFlags, exit: number | null, context: Context): void {
  if (exit !== null) {
    // Whoever named an owner looked at nothing; a state that no GPU is in was looked for on every one.
    const isVain = snapshot.devices.length === 0 && (flags.user !== undefined || flags.job !== undefined);
    if (isVain) process.exitCode = exit;
    const unhealthy = snapshot.devices.filter(isUnhealthy);
    if (unhealthy.length > 0) process.exitCode = exit;
    if (unhealthy.length > 0) context.warn(context.t('stat.unhealthy', { names: namesOf(unhealthy, context) }));
    return;
  }
  if (failure !== null) throw failure;
  const unwell = snapshot.devices.filter(isUnwell);
  if (unwell.length > 0) throw new AppError('GPU_UNWELL', { names: namesOf(unwell, context) });
}

/** The MIG instances of a card are as the card is. */
function namesOf(views: readonly DeviceView[], { lang, t }: Context): string {
  const names = views.map((view) => {
    const { device, state } = view;
    const word = state !== 'ok' ? `state.${state}` : isUnwell(view) ? 'absent.error' : 'stat.unhealthy-word';
    return `GPU ${device.index} ${t(word as 'state.lost')}`;
  });
  return [...new Set(names)].join(lang === 'zh' ? '、' : ', ');
}
