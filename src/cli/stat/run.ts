import type { Look } from '../../app/look.ts';
import { AppError } from '../../model/errors.ts';
import { isoTime } from '../../model/format.ts';
import type { Context } from '../context.ts';
import { fitLine } from '../fit-line.ts';
import { snapshotFilter } from './filter.ts';
import { filtersOf, gpustatLayout, intervalOf, type StatFlags } from './flags.ts';
import { gpustatLines } from './gpustat-text.ts';
import { Health } from './health.ts';
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
  const filtered = snapshotFilter(filtersOf(flags));
  const narrow = (look: Look): Look => {
    if (look.snapshot.devices.length === 0) throw new AppError('NO_DEVICE', { source: look.source });
    return { ...look, snapshot: filtered(look.snapshot) };
  };
  const linesOf = (look: Look): string[] =>
    layout === null ? ownLines(look, printed) : gpustatLines(look, layout, color);
  if (intervalMs !== null) {
    // gpustat's layout has the time in its first line.
    const isStamped = layout === null && process.stdout.isTTY !== true;
    const stampedLinesOf = (look: Look): string[] => [
      isoTime(look.snapshot.at ?? context.clock.now()),
      ...linesOf(look),
    ];
    return follow(flags, intervalMs, context, narrow, isStamped ? stampedLinesOf : linesOf);
  }
  const health = new Health(flags, context);
  let failure: AppError | null = null;
  await lookOnce(flags, context, (found) => {
    const look = narrow(found);
    health.see(found);
    ({ failure } = found);
    const width = process.stdout.isTTY === true ? process.stdout.columns : Number.POSITIVE_INFINITY;
    const lines = flags.json
      ? [JSON.stringify(statJson(look), null, 2)]
      : linesOf(look).map((line) => fitLine(line, width));
    if (lines.length > 0) context.print(lines.join('\n'));
    remark(look, flags, context);
  });
  health.concludeLast(failure, true);
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
  let isFirst = true;
  const remarkOnce = (look: Look): void => {
    if (isFirst) remark(look, flags, context);
    isFirst = false;
  };
  if (flags.json) {
    return lookRepeatedly(flags, intervalMs, context, (found) => {
      const look = narrow(found);
      context.print(JSON.stringify(statJson(look)));
      remarkOnce(look);
    });
  }
  const { openScreen } = await import('./screen.ts');
  let screen: Screen | null = null;
  try {
    await lookRepeatedly(flags, intervalMs, context, (found) => {
      const look = narrow(found);
      const isTerminal = process.stdout.isTTY === true;
      if (!isTerminal) remarkOnce(look);
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
