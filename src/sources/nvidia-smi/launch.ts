import { AppError } from '../../model/errors.ts';

/** How nvidia-smi is started: on this machine, or on another one by ssh. */
export interface Launch {
  readonly command: string;
  /** Arguments before those of nvidia-smi. */
  readonly before: readonly string[];
  /** The other machine; null for this one. */
  readonly host: string | null;
  /** Name of the tool itself. */
  readonly tool: string;
}

const TOOL = 'nvidia-smi';

/** Never asks anything, forwards nothing, and notices when the other side is gone. */
const SSH_OPTIONS = [
  '-T',
  '-n',
  '-a',
  '-x',
  '-o',
  'BatchMode=yes',
  '-o',
  'ConnectTimeout=10',
  '-o',
  'ServerAliveInterval=15',
  '-o',
  'ServerAliveCountMax=2',
  '-o',
  'ClearAllForwardings=yes',
] as const;

export function launchHere(tool: string = TOOL): Launch {
  return { command: tool, before: [], host: null, tool };
}

/** `[user@]host[:port]`, with an IPv6 address in brackets. */
const TARGET =
  /^(?:(?<user>[A-Za-z0-9_][A-Za-z0-9_.-]*)@)?(?:(?<host>[A-Za-z0-9][A-Za-z0-9_.-]*)|\[(?<address>[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?)\])(?::(?<port>\d{1,5}))?$/;

/**
 * By ssh to `[user@]host[:port]`, with the keys and the configuration of the user. Throws BAD_OPTION for anything else:
 * no part of a target may ever be taken as an option of ssh or as a command.
 */
export function launchBySsh(target: string): Launch {
  const groups = TARGET.exec(target)?.groups;
  const port = groups?.['port'];
  if (groups === undefined || (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535))) {
    throw new AppError('BAD_OPTION', {
      option: '--remote',
      value: `ssh:${target}`,
      expected: 'ssh:[user@]host[:port]',
    });
  }
  const name = groups['host'] ?? groups['address'] ?? '';
  const user = groups['user'];
  const host = user === undefined ? name : `${user}@${name}`;
  const before = [...SSH_OPTIONS, ...(port === undefined ? [] : ['-p', port]), '--', host, TOOL];
  return { command: 'ssh', before, host: target, tool: TOOL };
}
