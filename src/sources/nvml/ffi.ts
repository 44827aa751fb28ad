import { createRequire } from 'node:module';

type Ffi = typeof import('koffi');

let loaded: Ffi | null = null;

/** What native functions are called with; loaded when the first one is, since that takes as long as printing a line. */
export function ffi(): Ffi {
  loaded ??= createRequire(import.meta.url)('koffi') as Ffi;
  return loaded;
}
