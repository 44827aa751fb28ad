import { Waiter, type WaitOptions } from '../../app/wait.ts';
import type { GpuRequest } from '../../waiting/request.ts';
import type { Context } from '../context.ts';
import { requireListed, sourceOptions } from '../options.ts';
import { sayWaiting } from '../say-waiting.ts';
import type { RequestFlags } from './request-options.ts';

const INTERVAL_MS = 1000;

/** What a command adds to what the flags of {@link RequestFlags} say. */
type OwnOptions = Pick<WaitOptions, 'command' | 'isQueued' | 'isTaking' | 'isLastLook' | 'show'>;

/**
 * Starts waiting for the GPUs of a request, and says so where they are simulated, or where the driver takes its time. Throws
 * what the source throws.
 */
export async function startWaiter(
  flags: RequestFlags,
  request: GpuRequest,
  context: Context,
  own: OwnOptions,
): Promise<Waiter> {
  const stopWaiting = sayWaiting(context);
  const waiter = await Waiter.start({
    ...own,
    show: (state) => {
      stopWaiting();
      own.show(state);
    },
    request,
    source: sourceOptions(flags, context),
    requireListed: requireListed(flags.gpu),
    intervalMs: INTERVAL_MS,
    // Whoever names GPUs means these, whatever the shell is held to.
    env: flags.gpu === undefined ? process.env : {},
  }).catch((error: unknown) => {
    stopWaiting();
    throw error;
  });
  // What can never be had is refused before there is anything to show.
  waiter.granted().then(stopWaiting, stopWaiting);
  if (waiter.status().origin === 'simulated') context.warn(context.t('cli.simulated'));
  return waiter;
}
