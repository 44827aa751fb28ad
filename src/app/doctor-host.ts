import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { detailOf } from '../model/errors.ts';
import { quantityText } from '../model/format.ts';
import { type Check, said } from './doctor-check.ts';

/** Programs that keep the clock of a machine right, by the names of their processes, which the kernel cuts off. */
const TIME_KEEPERS = [
  'chronyd',
  'ntpd',
  'ntpsec',
  'openntpd',
  'systemd-timesyn',
  'phc2sys',
  'ptp4l',
  'VBoxService',
  'vmtoolsd',
];

/** Readings are put beside training logs by their times, so that a clock that runs free makes them disagree. */
export function examineClock(isContainer: boolean, root: string): Check[] {
  // The clock is that of the host, whose programs a container does not see.
  if (isContainer) return [];
  if (existsSync(join(root, '/run/systemd/timesync/synchronized'))) return [said('clock', 'ok', 'doctor.clock-synced')];
  const keeper = processNames(root).find((name) => TIME_KEEPERS.includes(name));
  if (keeper !== undefined) return [said('clock', 'ok', 'doctor.clock-kept', { name: keeper })];
  return [said('clock', 'warning', 'doctor.clock-free', {}, 'doctor.clock-free-remedy')];
}

function processNames(root: string): readonly string[] {
  try {
    return readdirSync(join(root, '/proc')).flatMap((pid) => {
      if (!/^\d+$/.test(pid)) return [];
      try {
        return [readFileSync(join(root, '/proc', pid, 'comm'), 'utf8').trim()];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** Below this a day of eight GPUs still fits, below the second figure the disk is about to be full. */
const LITTLE_BYTES = 1e9;
const NOTHING_BYTES = 50e6;

/** The directory itself, or the nearest folder above it that exists and would have to be written to create it. */
export function examineDataDirectory(path: string): Check[] {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    // Root may write anywhere, and still cannot make a directory in a file.
    accessSync(`${folder}/.`, constants.W_OK);
  } catch (error) {
    return [said('data', 'fault', 'doctor.data-fault', { path, detail: detailOf(error) }, 'doctor.data-remedy')];
  }
  const checks = [said('data', 'ok', 'doctor.data', { path })];
  try {
    const { bavail, bsize } = statfsSync(folder);
    checks.push(examineRoom(bavail * bsize, path));
  } catch {
    // A file system that does not tell its size.
  }
  return checks;
}

/** How many bytes are left for the history. */
export function examineRoom(bytes: number, path: string): Check {
  const room = quantityText(bytes, 'bytes', 'en');
  if (bytes >= LITTLE_BYTES) return said('disk', 'ok', 'doctor.disk', { room });
  const level = bytes < NOTHING_BYTES ? 'fault' : 'warning';
  return said('disk', level, 'doctor.disk-low', { room, path }, 'doctor.disk-low-remedy');
}
