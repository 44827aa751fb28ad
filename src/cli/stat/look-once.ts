import { type Look, ownLook } from '../../app/look.ts';
import type { Context } from '../context.ts';
import { sourceOptions } from '../options.ts';
import { sayWaiting } from '../say-waiting.ts';
import { askerOf } from './ask-server.ts';
import type { StatFlags } from './flags.ts';
import { STAT_METRICS } from './stat-metrics.ts';

/** Shows what is known now, before what was opened for it is closed. */
export async function lookOnce(flags: StatFlags, context: Context, show: (look: Look) => void): Promise<void> {
  // Whoever started this process starts it again, with patience, should this try end at its deadline.
  const isDeadlined = process.env['GPULSE_TRY'] === 'first';
  const options = { ...sourceOptions(flags, context), isDeadlined, ...(flags.json ? {} : { only: STAT_METRICS }) };
  const served = await (await askerOf(flags, context))();
  if (served !== null) return show(served);
  const stopWaiting = flags.source.includes(':') ? () => {} : sayWaiting(context);
  // What reads the driver is not loaded for an answer of a server.
  const { withSnapshot } = await import('../../app/one-shot.ts');
  await withSnapshot(options, (shot) => {
    stopWaiting();
    show(ownLook(shot, context.lang));
  }).finally(stopWaiting);
}
