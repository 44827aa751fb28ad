import { closeSync, constants, openSync, readSync } from 'node:fs';
import { type AbsenceReason, type Absent, absent } from '../../model/reading.ts';

/** A named pipe in the place of a file must not block the reader; files of the kernel ignore the flag. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** A file of sysfs has a page at most, one of procfs a few. What is longer is cut. */
const buffer = Buffer.allocUnsafe(64 * 1024);

/** What the kernel says with an error number; `error` for one that is not in the table, so that it is asked again. */
const REASONS: Readonly<Record<string, AbsenceReason>> = {
  ENOENT: 'not-supported',
  ENOTDIR: 'not-supported',
  // Drivers answer so where the hardware lacks a sensor.
  EINVAL: 'not-supported',
  ENODATA: 'not-supported',
  EOPNOTSUPP: 'not-supported',
  ENOTSUP: 'not-supported',
  ENOSYS: 'not-supported',
  EACCES: 'no-permission',
};

/** Why a file could not be read. */
export function reasonOf(error: unknown): AbsenceReason {
  const { code, syscall } = error as NodeJS.ErrnoException;
  // amdgpu refuses reads with EPERM while it resets or suspends a card, whoever asks.
  if (code === 'EPERM') return syscall === 'open' ? 'no-permission' : 'error';
  return REASONS[code ?? ''] ?? 'error';
}

/** The bytes of a file, valid until the next read, or the reason why it cannot be read. Blocks as long as the driver does. */
export function readBytes(path: string): Buffer | Absent {
  let fd: number;
  try {
    fd = openSync(path, FLAGS);
  } catch (error) {
    return absent(reasonOf(error));
  }
  try {
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0));
  } catch (error) {
    return absent(reasonOf(error));
  } finally {
    closeSync(fd);
  }
}

/** The text of a file without white space around it, or the reason why it cannot be read. */
export function readText(path: string): string | Absent {
  const bytes = readBytes(path);
  return 'absent' in bytes ? bytes : bytes.toString('utf8').trim();
}

/** The text of a file, or null where it cannot be read or is empty. */
export function textOrNull(path: string): string | null {
  const text = readText(path);
  return typeof text === 'string' && text !== '' ? text : null;
}

/** One line for people to read: what a maker has put into it beside text is left out. Null where nothing is left. */
export function lineOrNull(path: string): string | null {
  const line = textOrNull(path)
    ?.replaceAll(/[\p{Cc}\p{Cf}\ufffd]+/gu, ' ')
    .trim();
  return line || null;
}
