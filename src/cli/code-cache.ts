import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { basename, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';

/**
 * The folder in which compiled code is kept from one start to the next: below XDG_CACHE_HOME, else ~/.cache. What lies in it
 * is run, so it must be of this user alone, and so must the home. Null where there is no such folder.
 */
export function codeCacheFolder(env: NodeJS.ProcessEnv): string | null {
  const { HOME: home = '', XDG_CACHE_HOME: given = '' } = env;
  if (!isAbsolute(home)) return null;
  const caches = isAbsolute(given) ? given : join(home, '.cache');
  const folder = join(caches, 'gpulse');
  try {
    // With sudo the home may be that of another user, who must neither be trusted nor be left files of root.
    if (!isOurs(home)) return null;
    // One by one: where nothing can be made, as below /proc, Node would try for ever to make them all.
    for (const each of [caches, folder]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
    return isOurs(folder) ? folder : null;
  } catch {
    return null;
  }
}

const OTHERS_WRITE = 0o022;

function isOurs(path: string): boolean {
  const { uid, mode } = statSync(path);
  return uid === process.geteuid?.() && (mode & OTHERS_WRITE) === 0;
}

/**
 * Loads a CommonJS file with what was compiled of it when it ran before; whoever requires it afterwards gets it as it is.
 * Node's own cache has no function that is compiled at its first call, which are most; this one is made when the process
 * ends, and saves a fifth of a short run. The file must be ASCII.
 */
export function loadCompiled(file: string, folder: string): void {
  const { size, mtimeMs } = statSync(file);
  const prefix = `${basename(file)}-`;
  // The engine itself refuses what another version of it has made.
  const cache = join(folder, `${prefix}${size}-${mtimeMs}`);
  const cachedData = contentOf(cache);
  const source = Module.wrap(readFileSync(file, 'latin1'));
  const script = new Script(source, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
  if (cachedData === undefined || script.cachedDataRejected === true) {
    process.on('exit', () => keep(script, cache, prefix));
  }
  const require = createRequire(file);
  const module = new Module(file);
  module.filename = file;
  require.cache[file] = module;
  script.runInThisContext().call(module.exports, module.exports, require, module, file, join(file, '..'));
  module.loaded = true;
}

function contentOf(path: string): Buffer | undefined {
  try {
    return statSync(path).isFile() && isOurs(path) ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** In place of those of earlier versions of the file. A full or read-only disk is no fault. */
function keep(script: Script, cache: string, prefix: string): void {
  const folder = join(cache, '..');
  const draft = `${cache}.${process.pid}`;
  try {
    // The engine does not notice what a loss of power has left of it.
    writeFileSync(draft, script.createCachedData(), { mode: 0o600, flush: true });
    renameSync(draft, cache);
    const old = readdirSync(folder).filter((name) => name.startsWith(prefix) && name !== basename(cache));
    for (const name of old) rmSync(join(folder, name), { force: true });
  } catch {
    rmSync(draft, { force: true });
  }
}
