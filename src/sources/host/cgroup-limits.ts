import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Limits of the cgroup this process is in; null where there is none. */
export interface CgroupLimits {
  readonly memoryBytes: number | null;
  readonly cpuCores: number | null;
}

/** What version 1 writes for "no limit" is the largest number of whole pages. */
const NO_LIMIT_BYTES = 2 ** 60;

/** The narrowest limits on the way from the cgroup of this process up to the root; `root` stands before `/proc` and `/sys`. */
export function readCgroupLimits(root: string): CgroupLimits {
  const groups = readText(join(root, '/proc/self/cgroup'))?.split('\n') ?? [];
  const unified = pathOf(groups, '');
  const base = join(root, '/sys/fs/cgroup');
  const memory = [
    ...(unified === null ? [] : upwards(base, unified).map((folder) => bytesIn(join(folder, 'memory.max')))),
    ...upwards(join(base, 'memory'), pathOf(groups, 'memory') ?? '/').map((folder) =>
      bytesIn(join(folder, 'memory.limit_in_bytes')),
    ),
  ];
  const cpu = [
    ...(unified === null ? [] : upwards(base, unified).map((folder) => coresIn(readText(join(folder, 'cpu.max'))))),
    ...['cpu', 'cpu,cpuacct'].flatMap((name) =>
      upwards(join(base, name), pathOf(groups, 'cpu') ?? '/').map(coresOfVersion1),
    ),
  ];
  return { memoryBytes: narrowest(memory), cpuCores: narrowest(cpu) };
}

/** Path of the line of a controller in `/proc/self/cgroup`; the unified hierarchy has an empty name. */
function pathOf(groups: readonly string[], controller: string): string | null {
  for (const group of groups) {
    const [, names, path] = /^\d+:([^:]*):(\/.*)$/.exec(group) ?? [];
    if (names?.split(',').includes(controller) && path !== undefined) return path;
  }
  return null;
}

/** The folder of a group and those above it; in a container its own group is the root, whatever its path says. */
function upwards(base: string, path: string): string[] {
  const folders: string[] = [];
  for (let at = path.includes('..') ? '/' : path; at !== '/'; at = dirname(at)) folders.push(join(base, at));
  return [...folders, base];
}

function coresOfVersion1(folder: string): number | null {
  const quota = readText(join(folder, 'cpu.cfs_quota_us'));
  const period = readText(join(folder, 'cpu.cfs_period_us'));
  return quota === null || period === null ? null : coresIn(`${quota} ${period}`);
}

/** `quota period` in microseconds; a quota of `max` or -1 is none. */
function coresIn(text: string | null): number | null {
  const [quota, period] = (text ?? '').split(/\s+/).map(Number);
  return quota !== undefined && period !== undefined && quota > 0 && period > 0 ? quota / period : null;
}

function bytesIn(file: string): number | null {
  const text = readText(file);
  const bytes = text === null || text === '' ? Number.NaN : Number(text);
  return bytes >= 0 && bytes < NO_LIMIT_BYTES ? bytes : null;
}

function narrowest(limits: readonly (number | null)[]): number | null {
  return limits.reduce((least, limit) => (limit !== null && (least === null || limit < least) ? limit : least), null);
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'latin1').trim();
  } catch {
    return null;
  }
}
