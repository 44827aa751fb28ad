import { type CgroupContainer, findContainer, findPod, RUNTIME_UNIT_PREFIX, splitNames } from './cgroup-container.ts';

/** What the cgroup of a process tells of its owner. Nothing in it is guessed: a part that is not certain is null. */
export interface CgroupPlace {
  readonly container: CgroupContainer | null;
  /** With dashes, or the 32 digits of a static pod. */
  readonly podUid: string | null;
  readonly job: CgroupJob | null;
  /** systemd unit of this host. */
  readonly unit: string | null;
  /**
   * The path begins above what this process may see, because it runs in a cgroup namespace of its own: what lies above
   * is hidden, and parts may be missing.
   */
  readonly isCut: boolean;
}

interface CgroupJob {
  readonly id: string;
  readonly step: string | null;
  /** Numeric id of the user, which only version 1 has in its path. */
  readonly uid: number | null;
}

const NOWHERE: CgroupPlace = { container: null, podUid: null, job: null, unit: null, isCut: false };

/**
 * Reads a `/proc/PID/cgroup` file of version 1 (`id:controllers:path` per hierarchy), version 2 (`0::path`) or both. The
 * hierarchies may disagree, since not every controller is used by everyone: the one that tells most decides.
 */
export function parseCgroup(text: string): CgroupPlace {
  const places: CgroupPlace[] = [];
  let unit: string | null = null;
  let last = '';
  for (const line of text.split('\n')) {
    const match = /^\d+:([^:]*):(\/.*)$/.exec(line);
    if (match === null) continue;
    const [, controllers, path = ''] = match;
    if (path === last) continue;
    last = path;
    const place = readPath(path);
    places.push(place);
    // systemd keeps its units in version 2 and in its own hierarchy; other controllers may lag behind.
    if (controllers === '' || controllers === 'name=systemd') unit ??= place.unit;
  }
  return places.length === 0 ? NOWHERE : merge(places, unit);
}

function merge(places: readonly CgroupPlace[], systemdUnit: string | null): CgroupPlace {
  const held =
    places.find(({ container, podUid }) => container !== null && podUid !== null) ??
    places.find(({ podUid }) => podUid !== null) ??
    places.find(({ container }) => container !== null);
  const job = places.find(({ job }) => job?.step != null)?.job ?? places.find(({ job }) => job !== null)?.job ?? null;
  const isOwned = held !== undefined || job !== null;
  return {
    container: held?.container ?? null,
    podUid: held?.podUid ?? null,
    job,
    // The daemon that started a container or a job is not whom it works for.
    unit: isOwned ? (held?.unit ?? null) : (systemdUnit ?? places.find(({ unit }) => unit !== null)?.unit ?? null),
    isCut: places.some(({ isCut }) => isCut),
  };
}

function readPath(path: string): CgroupPlace {
  // The kernel marks a cgroup that was removed while the process still runs in it.
  const segments = path
    .replace(/ \(deleted\)$/, '')
    .split('/')
    .filter((segment) => segment !== '');
  const isCut = segments[0] === '..';
  const names = splitNames(segments);
  const pod = findPod(names);
  const container = findContainer(names, pod === null ? 0 : pod.index + 1);
  return {
    container: container === null ? null : { id: container.id, runtime: container.runtime },
    podUid: pod?.uid ?? null,
    job: findJob(segments),
    unit: findUnit(segments, pod !== null, container?.name ?? null),
    isCut,
  };
}

/** Version 1 has `slurm[_node]/uid_U/job_J/step_S`, version 2 `[node_]slurmstepd.scope/job_J/step_S`. */
function findJob(segments: readonly string[]): CgroupJob | null {
  const root = segments.findIndex((segment) => /^slurm(_[\w.-]+)?$|slurmstepd[\w.-]*\.scope$/.test(segment));
  if (root < 0) return null;
  const at = segments.findIndex((segment, index) => index > root && /^job_\d+$/.test(segment));
  if (at < 0) return null;
  const uid = /^uid_(\d+)$/.exec(segments[at - 1] ?? '')?.[1];
  return {
    id: segments[at]?.slice('job_'.length) ?? '',
    step: /^step_([\w.+-]+)$/.exec(segments[at + 1] ?? '')?.[1] ?? null,
    uid: uid === undefined ? null : Number(uid),
  };
}

/** Scopes made for a login, a terminal window or a desktop application, and units named by a number: they name nobody. */
const SESSION = /^(session-|vte-spawn-|tmux-spawn-|kitty-|init\.scope$)|[0-9a-f]{32}/;
const USER_MANAGER = /^user@.+\.service$/;

/**
 * The unit in which a process runs: the outermost one, or below a user's own systemd the outermost one of that. In a
 * container only a unit that runs nothing but that container counts, as Quadlet's do.
 */
function findUnit(segments: readonly string[], isInPod: boolean, containerName: string | null): string | null {
  if (isInPod) return null;
  let end = segments.length;
  if (containerName !== null) {
    if (!containerName.startsWith(RUNTIME_UNIT_PREFIX)) return null;
    end = segments.findIndex((segment) => segment.startsWith(RUNTIME_UNIT_PREFIX));
  }
  const manager = segments.findIndex((segment) => USER_MANAGER.test(segment));
  for (let index = manager + 1; index < end; index++) {
    const unit = unitName(segments[index] ?? '', manager >= 0);
    if (unit !== null) return unit;
  }
  return null;
}

function unitName(segment: string, isUsers: boolean): string | null {
  // systemd puts an underscore before names the kernel could take for its own.
  const name = segment.replace(/^_/, '');
  if (!/^[A-Za-z0-9:_.\\@-]+\.(service|scope)$/.test(name)) return null;
  if (SESSION.test(name) || USER_MANAGER.test(name)) return null;
  return isUsers && /^app-.*\.scope$/.test(name) ? null : name;
}
