import { hostname } from 'node:os';
import { Live } from '../../app/live.ts';
import type { Look } from '../../app/look.ts';
import { openSource, type SourceOptions } from '../../app/open-source.ts';
import { Supply } from '../../app/supply.ts';
import { noticeText } from '../../model/i18n/notice-text.ts';
import type { Probe } from '../../model/ports.ts';
import { staleAfter } from '../../sources/sampler.ts';
import type { Context } from '../context.ts';
import { sourceOptions } from '../options.ts';
import { sayWaiting } from '../say-waiting.ts';
import { untilSignal } from '../signals.ts';
import { askerOf } from './ask-server.ts';
import type { StatFlags } from './flags.ts';
import { Health } from './health.ts';
import { lookOnce } from './look-once.ts';

const PROBE_MS = 30_000;

/**
 * Shows what is known, again and again, until a signal comes, and sets the exit code that was asked for by what was seen. A
 * server that can be asked is; when it can no longer, and was not named, the source is read from then on.
 */
export async function lookRepeatedly(
  flags: StatFlags,
  intervalMs: number,
  context: Context,
  show: (look: Look) => void,
): Promise<void> {
  const health = new Health(flags, context);
  const showAndSee = (look: Look): void => {
    show(look);
    health.see(look);
  };
  // A recording has one end, which does not change.
  if (flags.source.startsWith('replay:')) {
    await lookOnce(flags, context, showAndSee);
    return health.concludeLast(null);
  }
  await followUntilSignal(flags, intervalMs, context, showAndSee);
  health.conclude();
}

async function followUntilSignal(
  flags: StatFlags,
  intervalMs: number,
  context: Context,
  show: (look: Look) => void,
): Promise<void> {
  const stopped = untilSignal();
  const ask = await askerOf(flags, context);
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  for (let look = await ask(); look !== null && !isStopped; look = await ask()) {
    show(look);
    await Promise.race([stopped, new Promise<void>((resolve) => context.clock.after(intervalMs, resolve))]);
  }
  if (!isStopped) await followSource(sourceOptions(flags, context), intervalMs, context, stopped, show);
}

async function followSource(
  options: SourceOptions,
  intervalMs: number,
  context: Context,
  stopped: Promise<void>,
  show: (look: Look) => void,
): Promise<void> {
  const open = (): Promise<Probe> => openSource({ ...options, simulatePast: false, probeMs: PROBE_MS, intervalMs });
  const { clock, lang } = context;
  const stopWaiting = sayWaiting(context);
  const probe = await open().finally(stopWaiting);
  if (!probe.ok) throw probe.reason;
  const { origin, name } = probe.source;
  const live = new Live({ clock, origin, staleAfterMs: staleAfter(intervalMs) });
  const failed = Promise.withResolvers<void>();
  const supply = new Supply({
    clock,
    intervalMs,
    origin,
    name,
    open,
    drained: async () => {},
    publish: (tick) => {
      live.accept(tick);
      const { notices } = supply.status();
      const texts = notices.map((notice) => noticeText(notice, lang));
      try {
        const snapshot = live.snapshot();
        show({ source: name, host: hostname(), origin, server: null, snapshot, notices: texts, failure: null });
      } catch (error) {
        // What cannot be shown, such as a GPU that is not there, ends the command and not the source.
        failed.reject(error);
      }
    },
  });
  await supply.start(probe);
  await Promise.race([stopped, failed.promise]).finally(() => supply.stop());
}
