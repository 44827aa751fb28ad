import { CODE, type Code } from './abi.ts';
import { readDriverVersion } from './identity.ts';
import { loadLibrary } from './library.ts';
import { SONAME } from './library-places.ts';
import { Nvml } from './nvml.ts';
import type { Progress } from './progress.ts';
import type { Failure } from './protocol.ts';
import { symbol } from './symbols.ts';

const INIT = [symbol('nvmlInit_v2'), symbol('nvmlInit')];
const SHUTDOWN = symbol('nvmlShutdown');

/** The library, loaded and initialised. */
export interface Driver {
  readonly nvml: Nvml;
  /** The file that was loaded. */
  readonly library: string;
  readonly version: string | null;
}

export type OpenDriver =
  | { readonly ok: true; readonly driver: Driver }
  | { readonly ok: false; readonly failure: Failure; readonly code: Code };

/** Loads the library and initialises it. On failure nothing stays loaded. */
export function openDriver(library: string | null, progress: Progress): OpenDriver {
  const loaded = loadLibrary(library);
  if (!loaded.ok) {
    const failure: Failure = loaded.found
      ? { code: 'NVML_LIBRARY_UNUSABLE', params: { library: loaded.path, detail: loaded.detail } }
      : { code: 'NVML_LIBRARY_NOT_FOUND', params: { library: library ?? SONAME, places: loaded.places.join(', ') } };
    return { ok: false, failure, code: CODE.driverNotLoaded };
  }
  const nvml = new Nvml(loaded.handle, progress);
  const code = nvml.callFirst(INIT);
  if (code === CODE.ok) {
    return { ok: true, driver: { nvml, library: loaded.path, version: readDriverVersion(nvml) } };
  }
  const failure = initFailure(code, { nvml, library: loaded.path });
  nvml.unload();
  return { ok: false, failure, code };
}

/** Gives everything back. The library is unmapped too, so that the next one to be loaded may be a newer file. */
export function closeDriver({ nvml }: Driver): void {
  nvml.call(SHUTDOWN);
  nvml.unload();
}

/** Why the driver cannot be used, by the code that init or counting the GPUs gave. */
export function initFailure(code: Code, { nvml, library }: Pick<Driver, 'nvml' | 'library'>): Failure {
  switch (code) {
    case CODE.driverNotLoaded:
      return { code: 'NVML_DRIVER_NOT_LOADED', params: { library } };
    case CODE.versionMismatch:
      return { code: 'NVML_VERSION_MISMATCH', params: { library } };
    case CODE.noPermission:
      return { code: 'NVML_NO_PERMISSION', params: {} };
    default:
      if (!INIT.some((symbol) => nvml.has(symbol))) {
        return { code: 'NVML_LIBRARY_UNUSABLE', params: { library, detail: 'it has no nvmlInit_v2' } };
      }
      return { code: 'NVML_INIT_FAILED', params: { code, detail: nvml.errorText(code) } };
  }
}
