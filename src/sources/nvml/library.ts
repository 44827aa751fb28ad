import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LibraryHandle } from 'koffi';
import { ffi } from './ffi.ts';
import { LIBRARY_FOLDERS, SONAME } from './library-places.ts';

export type LoadResult =
  | { readonly ok: true; readonly handle: LibraryHandle; readonly path: string }
  | { readonly ok: false; readonly found: false; readonly places: readonly string[] }
  | { readonly ok: false; readonly found: true; readonly path: string; readonly detail: string };

/**
 * Loads the library: the given file and nothing else, or else the soname through the loader (which honours
 * LD_LIBRARY_PATH) and then the usual folders. `path` is the file that was mapped. A stub is refused: it links, but every
 * call on it fails.
 */
export function loadLibrary(explicit: string | null): LoadResult {
  const candidates =
    explicit === null ? [SONAME, ...LIBRARY_FOLDERS.map((folder) => join(folder, SONAME))] : [resolve(explicit)];
  let refused: LoadResult | null = null;
  for (const candidate of candidates) {
    if (candidate !== SONAME && !existsSync(candidate)) continue;
    const result = tryLoad(candidate);
    if (result.ok) return result;
    if (result.found) refused ??= result;
  }
  return refused ?? { ok: false, found: false, places: explicit === null ? ['ld.so', ...LIBRARY_FOLDERS] : candidates };
}

function tryLoad(candidate: string): LoadResult {
  let handle: LibraryHandle;
  try {
    handle = ffi().load(candidate);
  } catch (error) {
    const detail = (error as Error).message.replace(/^Failed to load shared library: /, '');
    const isMissing = candidate === SONAME && detail.includes('No such file');
    return isMissing ? { ok: false, found: false, places: [] } : { ok: false, found: true, path: candidate, detail };
  }
  const path = candidate === SONAME ? (mappedFile(SONAME) ?? candidate) : candidate;
  if (!path.split('/').includes('stubs')) return { ok: true, handle, path };
  handle.unload();
  return { ok: false, found: true, path, detail: 'it is a stub of the CUDA toolkit, not the library of a driver' };
}

/** The file behind a soname that this process has mapped; null where the kernel does not tell. */
function mappedFile(soname: string): string | null {
  try {
    const line = readFileSync('/proc/self/maps', 'utf8')
      .split('\n')
      .find((text) => text.includes(soname.replace(/\.1$/, '')));
    return line?.slice(line.indexOf('/')) ?? null;
  } catch {
    return null;
  }
}
