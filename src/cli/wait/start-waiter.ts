import { Waiter, type WaitOptions } from '../../app/wait.ts';
import type { GpuRequest } from '../../waiting/request.ts';
import type { Context } from '../context.ts';
import { requireListed, sourceOptions } from '../options.ts';
import type { RequestFlags } from './request-options.ts';

const INTERVAL_MS = 1000;

/** What a command adds to what the flags of {@link RequestFlags} say. */
type OwnOptions = Pick<WaitOptions, 'command' | 'isQueued' | 'isTaking' | 'isLastLook' | 'show'>;

/** Starts waiting for the GPUs of a request, and says so where they are simulated. Throws what the source throws. */
export async function startWaiter(
  flags: RequestFlags,
  request: GpuRequest,
  context: Context,
  own: OwnOptions,
): Promise<Waiter> {
  const waiter = await Waiter.start({
    ...own,
    request,
    source: sourceOptions(flags, context),
    requireListed: requireListed(flags.gpu),
    intervalMs: INTERVAL_MS,
    // Whoever names GPUs means these, whatever the shell is held to.
    env: flags.gpu === undefined ? process.env : {},
  });
  if (waiter.status().origin === 'simulated') context.warn(context.t('cli.simulated'));
  return waiter;
}
