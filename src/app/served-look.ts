import { hostname } from 'node:os';
import type { ApiGpus, ApiHealth } from '../model/api.ts';
import type { Clock } from '../model/clock.ts';
import type { Lang } from '../model/i18n/text.ts';
import { type LocalServer, localServers } from './local-server.ts';
import type { Look } from './look.ts';
import { servedSnapshot } from './served-snapshot.ts';
import { getJson } from './server-request.ts';

/** A server that somebody named is waited for. */
const NAMED_MS = 10_000;
/** One that merely listens on this machine is waited for no longer than the driver would take on a busy machine. */
const LOCAL_MS = 1000;
/** Older readings of this machine are not "now": the driver is read instead. */
const FRESH_MS = 3000;

interface Answer {
  readonly health: ApiHealth;
  readonly gpus: ApiGpus;
}

/** What the server that somebody named knows now. Throws the AppError that says why it cannot be asked. */
export async function namedLook(base: URL, lang: Lang): Promise<Look> {
  return lookOf(base, await ask(base, lang, NAMED_MS));
}

/**
 * What the `serve` of this machine knows now; null where there is none, or it does not show this machine's GPUs as they are
 * at this moment: a simulation or a recording, another machine, released GPUs, a driver that does not answer.
 */
export async function localLook(clock: Clock, lang: Lang, env: NodeJS.ProcessEnv): Promise<Look | null> {
  for (const server of localServers(env)) {
    const base = addressOf(server);
    try {
      const answer = await ask(base, lang, LOCAL_MS);
      if (isThisMachineNow(answer, clock)) return lookOf(base, answer);
    } catch {
      // Whatever listens there is no gpulse, or not well: the driver knows more.
    }
  }
  return null;
}

async function ask(base: URL, lang: Lang, limitMs: number): Promise<Answer> {
  const [health, gpus] = await Promise.all([
    getJson<ApiHealth>(base, 'health', lang, limitMs),
    getJson<ApiGpus>(base, 'gpus', lang, limitMs),
  ]);
  return { health, gpus };
}

function isThisMachineNow({ health, gpus }: Answer, clock: Clock): boolean {
  const { origin, state, name } = health.source;
  return (
    origin === 'live' &&
    state === 'running' &&
    !name.includes('ssh:') &&
    (gpus.host === hostname() || gpus.host === process.env['NODE_NAME']) &&
    gpus.at !== null &&
    Math.abs(clock.now() - gpus.at) < FRESH_MS
  );
}

function lookOf(base: URL, { health, gpus }: Answer): Look {
  return {
    source: gpus.source,
    host: gpus.host,
    origin: health.source.origin,
    server: base.href,
    snapshot: servedSnapshot(gpus),
    notices: health.source.notices.map(({ text }) => text),
    failure: null,
  };
}

function addressOf({ host, port, basePath }: LocalServer): URL {
  const name = host === '' || host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : bracketed(host);
  return new URL(`http://${name}:${port}${basePath}/`);
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
