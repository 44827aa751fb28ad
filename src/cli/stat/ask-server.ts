import { localServers } from '../../app/local-server.ts';
import type { Look } from '../../app/look.ts';
import type { Context } from '../context.ts';
import type { StatFlags } from './flags.ts';

/** Asks whoever is to be asked; null where the source itself is to be read. */
export type Ask = () => Promise<Look | null>;

/**
 * A server that was named is asked; else the one of this machine, unless the flags are about something else. What it takes
 * to ask is loaded only where somebody listens.
 */
export async function askerOf(flags: StatFlags, { clock, lang }: Context): Promise<Ask> {
  const { server, source, remote, nvmlLibrary } = flags;
  if (typeof server === 'string') {
    const { namedLook } = await import('../../app/served-look.ts');
    const { parseServer } = await import('../../app/server-request.ts');
    const base = parseServer('--server', server);
    return () => namedLook(base, lang);
  }
  const isOfThisMachine = source === 'auto' && remote === undefined && nvmlLibrary === undefined;
  if (server === false || !isOfThisMachine || localServers(process.env).length === 0) return async () => null;
  const { localLook } = await import('../../app/served-look.ts');
  return () => localLook(clock, lang, process.env);
}
