export interface CgroupContainer {
  readonly id: string;
  readonly runtime: 'docker' | 'containerd' | 'cri-o' | 'podman' | 'lxc' | 'unknown';
}

/** How runtimes begin the names of their cgroups, or call the cgroup in which they keep them. */
const RUNTIMES: Readonly<Record<string, CgroupContainer['runtime']>> = {
  docker: 'docker',
  'cri-containerd': 'containerd',
  containerd: 'containerd',
  nerdctl: 'containerd',
  crio: 'cri-o',
  libpod: 'podman',
  'libpod-payload': 'podman',
  libpod_parent: 'podman',
  podman: 'podman',
};

/** Podman in a unit with `--cgroups=split`: what is above it is the unit that runs this container alone. */
export const RUNTIME_UNIT_PREFIX = 'libpod-payload-';

/** Segments of a path, of which those in the form `slice:prefix:id` are three. */
export function splitNames(segments: readonly string[]): readonly string[] {
  return segments.flatMap((segment) => segment.split(':'));
}

const POD =
  /^(?:.+-)?pod([0-9a-f]{8}([-_])[0-9a-f]{4}\2[0-9a-f]{4}\2[0-9a-f]{4}\2[0-9a-f]{12}|[0-9a-f]{32})(?:\.slice)?$/;

/** The outermost pod: one that runs inside the container of another is unknown to the kubelet of this host. */
export function findPod(names: readonly string[]): { readonly uid: string; readonly index: number } | null {
  for (let index = 0; index < names.length; index++) {
    const uid = POD.exec(names[index] ?? '')?.[1];
    if (uid !== undefined) return { uid: uid.replaceAll('_', '-'), index };
  }
  return null;
}

interface FoundContainer extends CgroupContainer {
  /** The cgroup that it was read from. */
  readonly name: string;
}

/** The outermost container from a position on: what it runs inside itself is unknown to the engine of this host. */
export function findContainer(names: readonly string[], from: number): FoundContainer | null {
  for (let index = from; index < names.length; index++) {
    const name = names[index] ?? '';
    const found = byId(name, names[index - 1] ?? '') ?? byTask(names, index) ?? byLxc(name, names[index - 1] ?? '');
    if (found !== null) return { ...found, name };
  }
  return null;
}

function byId(name: string, parent: string): CgroupContainer | null {
  const match = /^(?:([A-Za-z][\w.-]*)-)?([0-9a-f]{64})(\.scope)?$/.exec(name);
  if (match === null) return null;
  const [, prefix, id = '', scope] = match;
  if (prefix === undefined) return { id, runtime: runtimeOf(parent) ?? 'unknown' };
  // conmon watches a container from outside.
  if (prefix.endsWith('conmon')) return null;
  const runtime = runtimeOf(prefix);
  if (runtime !== null) return { id, runtime };
  return scope === undefined ? null : { id, runtime: 'unknown' };
}

function runtimeOf(word: string): CgroupContainer['runtime'] | null {
  return Object.hasOwn(RUNTIMES, word) ? (RUNTIMES[word] ?? null) : null;
}

/** A container of Amazon ECS: `/ecs/<task>/<task>-<number>`. */
function byTask(names: readonly string[], index: number): CgroupContainer | null {
  const name = names[index] ?? '';
  if (names[index - 2] !== 'ecs' || !/^[0-9a-f]{32}-\d+$/.test(name)) return null;
  return { id: name, runtime: 'unknown' };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `/lxc/<name>`, `/lxc.payload/<name>` and `/lxc.payload.<name>`; a UUID is given by a platform on top of LXC. */
function byLxc(name: string, parent: string): CgroupContainer | null {
  const id = /^lxc\.payload\.([\w.-]+)$/.exec(name)?.[1] ?? (/^lxc(\.payload)?$/.test(parent) ? name : '');
  if (!/^\w[\w.-]*$/.test(id)) return null;
  return { id, runtime: UUID.test(id) ? 'unknown' : 'lxc' };
}
