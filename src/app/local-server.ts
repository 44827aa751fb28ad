import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a `serve` on this machine answers, as it can be told without asking it. */
export interface LocalServer {
  readonly host: string;
  readonly port: number;
  /** '' or a path such as `/gpulse`. */
  readonly basePath: string;
}

const USUAL: LocalServer = { host: '127.0.0.1', port: 9400, basePath: '' };

/** Where root leaves word, and whoever systemd gives a folder of that name. */
const SYSTEM_FOLDER = '/run/gpulse';

/** Who may answer for the GPUs of this machine: root, this user, and whoever may write into root's folder. */
type Listeners = ReadonlyMap<string, ReadonlySet<number>>;

/**
 * The servers of this machine that listen now, those that left word first. Only what root, this user or the service's own
 * user runs is listed: anybody else could listen there and make up readings. Without the kernel's list of sockets nothing
 * is listed. It costs a fraction of a millisecond.
 */
export function localServers(env: NodeJS.ProcessEnv, proc = '/proc', systemFolder = SYSTEM_FOLDER): LocalServer[] {
  const listeners = readListeners(proc);
  if (listeners.size === 0) return [];
  const own = process.getuid?.() ?? 0;
  const folders = [...new Set([...runFolders(env), systemFolder])];
  const told = folders.flatMap((folder) => readRunFiles(folder));
  const known = [...told, { ...USUAL, uid: own }];
  const seen = new Set<number>();
  return known.flatMap(({ uid, host, port, basePath }) => {
    const uids = listeners.get(listenerKey(host, port)) ?? listeners.get(listenerKey('', port));
    const isTrusted = [...(uids ?? [])].some((each) => each === 0 || each === own || each === uid);
    if (!isTrusted || seen.has(port)) return [];
    seen.add(port);
    return [{ host, port, basePath }];
  });
}

/**
 * Leaves word of where this process answers, by the address for a browser on this machine; gives back what takes it away. A
 * folder that cannot be written is no fault.
 */
export function announceServer(address: string, env: NodeJS.ProcessEnv): () => void {
  const { hostname, port, pathname } = new URL(address);
  const server: LocalServer = {
    host: hostname === 'localhost' ? USUAL.host : hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 80),
    basePath: pathname.replace(/\/$/, ''),
  };
  for (const folder of runFolders(env)) {
    const file = join(folder, `serve-${server.port}.json`);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o755 });
      // Whole or not at all.
      writeFileSync(`${file}.new`, JSON.stringify({ ...server, pid: process.pid }));
      renameSync(`${file}.new`, file);
      return () => rmSync(file, { force: true });
    } catch {
      // The next place may do.
    }
  }
  return () => {};
}

/** Folders in which this process may leave word. */
function runFolders(env: NodeJS.ProcessEnv): readonly string[] {
  const given = env['RUNTIME_DIRECTORY']?.split(':')[0];
  if (given) return [given];
  const runtime = env['XDG_RUNTIME_DIR'];
  const isRoot = process.getuid?.() === 0;
  return [...(isRoot ? [SYSTEM_FOLDER] : []), ...(runtime ? [join(runtime, 'gpulse')] : [])];
}

function readRunFiles(folder: string): (LocalServer & { uid: number })[] {
  try {
    const names = readdirSync(folder).filter((name) => /^serve-\d+\.json$/.test(name));
    return names.flatMap((name) => readRunFile(join(folder, name)));
  } catch {
    return [];
  }
}

function readRunFile(path: string): (LocalServer & { uid: number })[] {
  try {
    const { host, port, basePath } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    const isSound = typeof host === 'string' && Number.isInteger(port) && typeof basePath === 'string';
    return isSound ? [{ host, port: port as number, basePath, uid: statSync(path).uid }] : [];
  } catch {
    return [];
  }
}

/** State of a listening socket in the kernel's list. */
const LISTENING = '0A';

/** Users by the sockets on which they listen, from /proc/net/tcp: proc_net_tcp(5). */
function readListeners(proc: string): Listeners {
  const listeners = new Map<string, Set<number>>();
  for (const file of ['tcp', 'tcp6']) {
    let text: string;
    try {
      text = readFileSync(join(proc, 'net', file), 'utf8');
    } catch {
      continue;
    }
    for (const line of text.split('\n').slice(1)) {
      const [, local = '', , state, , , , uid] = line.trim().split(/\s+/);
      if (state !== LISTENING) continue;
      const [address = '', port = ''] = local.split(':');
      const key = listenerKey(ADDRESSES.get(address) ?? address, Number.parseInt(port, 16));
      listeners.set(key, (listeners.get(key) ?? new Set()).add(Number(uid)));
    }
  }
  return listeners;
}

/** Addresses in the kernel's spelling; every address is ''. */
const ADDRESSES: ReadonlyMap<string, string> = new Map([
  ['0100007F', '127.0.0.1'],
  ['00000000', ''],
  ['00000000000000000000000001000000', '::1'],
  ['00000000000000000000000000000000', ''],
]);

function listenerKey(host: string, port: number): string {
  return `${host} ${port}`;
}
