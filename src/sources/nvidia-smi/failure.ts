import { AppError } from '../../model/errors.ts';
import type { Launch } from './launch.ts';

/** How a run of nvidia-smi ended. */
export interface Ending {
  /** Null where a signal ended it, or it could not be started. */
  readonly code: number | null;
  /** Why it could not be started, such as `ENOENT`; null where it was. */
  readonly startError: string | null;
  /** The last of what it wrote that is no row, both streams together. */
  readonly text: string;
}

const UNKNOWN_FIELD = /Field "([^"]+)" is not a valid field to query/g;
const NO_HANDLE = /Unable to determine the device handle for (?:GPU\s*)?(\S*[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])/i;
const LONGEST_DETAIL = 300;

/** The fields that the tool says it does not know. */
export function unknownFields(text: string): readonly string[] {
  return [...text.matchAll(UNKNOWN_FIELD)].flatMap(([, name]) => name ?? []);
}

/** The place of a GPU because of which the tool gives nothing at all; null where it says nothing of the kind. */
export function unreachableGpu(text: string): string | null {
  return NO_HANDLE.exec(text)?.[1]?.replace(/^GPU/i, '') ?? null;
}

/** Exit codes of nvidia-smi, which are those of its library. */
const EXIT = { noPermission: 4, noDevice: 6, noDriver: 9, noLibrary: 12, offTheBus: 15 } as const;
/** Exit codes of a shell that cannot run a command, and of ssh that cannot connect. */
const NOT_EXECUTABLE = 126;
const NO_COMMAND = 127;
const SSH_EXIT = 255;

/** The failure behind the end of a run, by what it said and, where that is nothing known, by its exit code. */
export function failureOf(ending: Ending, launch: Launch): AppError {
  const { host, tool } = launch;
  const bySsh = host === null ? null : sshFailure(ending, host);
  if (bySsh !== null) return bySsh;
  const { code, startError, text } = ending;
  const where = host === null ? '' : ` (${host})`;
  const detail = detailIn(text) || (startError ?? (code === null ? 'killed' : `exit code ${code}`));
  const is = (words: RegExp, exit: number | null): boolean => words.test(text) || (exit !== null && code === exit);
  if (startError === 'ENOENT' || is(/command not found|: not found|No such file/i, NO_COMMAND)) {
    return new AppError('SMI_NOT_FOUND', { command: tool, where });
  }
  if (
    startError === 'EACCES' ||
    is(/Insufficient Permissions|Permission denied/i, EXIT.noPermission) ||
    code === NOT_EXECUTABLE
  ) {
    return new AppError('SMI_NO_PERMISSION', { where, detail });
  }
  if (is(/version mismatch/i, null)) return new AppError('SMI_VERSION_MISMATCH', { where, detail });
  if (is(/couldn't communicate with the NVIDIA driver|Driver Not Loaded/i, EXIT.noDriver)) {
    return new AppError('SMI_DRIVER_NOT_LOADED', { where });
  }
  if (is(/NVML library|libnvidia-ml/i, EXIT.noLibrary)) return new AppError('SMI_LIBRARY_NOT_FOUND', { where });
  if (unreachableGpu(text) !== null || code === EXIT.offTheBus) {
    return new AppError('SMI_GPU_UNREACHABLE', { where, detail });
  }
  if (is(/No devices were found/i, EXIT.noDevice)) return new AppError('SMI_NO_DEVICES', { where });
  return new AppError('SMI_FAILED', { where, detail });
}

function sshFailure({ code, startError, text }: Ending, host: string): AppError | null {
  if (startError === 'ENOENT') return new AppError('SSH_NOT_FOUND');
  if (code !== SSH_EXIT && startError === null) return null;
  const detail = detailIn(text) || (startError ?? `exit code ${SSH_EXIT}`);
  if (/host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i.test(text)) {
    return new AppError('SSH_HOST_KEY', { host, detail });
  }
  if (/Permission denied|Too many authentication failures/i.test(text))
    return new AppError('SSH_DENIED', { host, detail });
  return new AppError('SSH_UNREACHABLE', { host, detail });
}

/** The last line that says something. */
function detailIn(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.replaceAll(/\p{Cc}/gu, ' ').trim());
  const said = lines.filter((line) => line !== '' && !/^[@\s]*$/.test(line));
  return (said.at(-1) ?? '').slice(0, LONGEST_DETAIL);
}
