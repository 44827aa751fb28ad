import type { ApiGpus } from '../model/api.ts';
import type { ApiProcess } from '../model/api-process.ts';
import type { Translate } from '../model/i18n/messages.ts';
import type { SourceInfo } from './data/feed.ts';
import type { Tone } from './text/span.ts';
import type { SignalName } from './ui/state.ts';
import type { Command, World } from './ui/world.ts';
import { ownerText } from './view/process-table.ts';

/**
 * What became of a signal:
 *
 * - `sent`
 * - `no-permission`: EPERM, `gone`: ESRCH
 * - `other`: the pid is another process by now, `unknown`: that cannot be told; nothing was sent in both cases
 * - else why the system refused
 */
export type KillOutcome = 'sent' | 'no-permission' | 'gone' | 'other' | 'unknown' | { readonly detail: string };

/** Sends a signal to a process, if it is still the one that was listed. */
export type KillPort = (process: Pick<ApiProcess, 'pid' | 'startedAt'>, signal: SignalName) => KillOutcome;

export interface Refusing {
  readonly isReadonly: boolean;
  /** Name of this machine. */
  readonly host: string;
  readonly server: string | null;
  readonly source: SourceInfo | null;
  readonly state: ApiGpus | null;
}

/** Why no signal may be sent: the processes have to be those of this machine, beyond doubt. */
export function refusalOf({ isReadonly, host, server, source, state }: Refusing): World['refusal'] {
  if (isReadonly) return 'readonly';
  if (source === null || state === null || source.origin !== 'live') return 'elsewhere';
  const isHere = server === null || isLoopback(server);
  return isHere && state.host === host && !source.name.includes('ssh:') ? null : 'elsewhere';
}

function isLoopback(server: string): boolean {
  const { hostname } = new URL(server);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** The outcome in a sentence. */
export function killWords(
  outcome: KillOutcome,
  { target, signal }: Extract<Command, { kind: 'kill' }>,
  t: Translate,
): { readonly words: string; readonly tone: Extract<Tone, 'text' | 'warning'> } {
  const { pid } = target.process;
  switch (outcome) {
    case 'sent':
      return { words: t('top.kill.sent', { signal, pid }), tone: 'text' };
    case 'no-permission':
      return { words: t('top.kill.no-permission', { pid, owner: ownerText(target) }), tone: 'warning' };
    case 'gone':
    case 'other':
    case 'unknown':
      return { words: t(`top.kill.${outcome}`, { pid }), tone: 'warning' };
    default:
      return { words: t('top.kill.failed', { signal, pid, detail: outcome.detail }), tone: 'warning' };
  }
}
