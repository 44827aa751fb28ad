import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commandOf } from './parts.ts';

const FOLDER = resolve(import.meta.dirname, '../testdata/fake-nvml');

/** Variants of the fake NVIDIA library: a recent driver, and one of the R418 generation. */
const VARIANTS = { new: [], old: ['-DOLD_DRIVER'] } as const;

const FLAGS = [
  ...['-std=c11', '-D_GNU_SOURCE', '-O2', '-Wall', '-Wextra', '-Werror', '-pthread'],
  ...['-fPIC', '-shared', '-fvisibility=hidden', '-Wl,-soname,libnvidia-ml.so.1'],
];

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function buildFakeNvml(compiler: string): void {
  const sources = readdirSync(FOLDER).filter((file) => /\.[ch]$/.test(file));
  const newest = Math.max(...sources.map((file) => modifiedAt(join(FOLDER, file))));
  const units = sources.filter((file) => file.endsWith('.c')).map((file) => join(FOLDER, file));
  for (const [variant, defines] of Object.entries(VARIANTS)) {
    const folder = join(FOLDER, 'build', variant);
    const library = join(folder, 'libnvidia-ml.so.1');
    if (modifiedAt(library) > newest) continue;
    mkdirSync(folder, { recursive: true });
    // A test run beside this one may have the old library mapped: it must not change under its feet.
    const draft = `${library}.${process.pid}`;
    execFileSync(compiler, [...FLAGS, ...defines, '-o', draft, ...units, '-ldl'], { stdio: 'inherit' });
    renameSync(draft, library);
  }
}

/** Builds what the tests load, once per run. Without a compiler the tests that need it report themselves as skipped. */
export function setup(): void {
  const compiler = commandOf('C compiler');
  if (compiler !== null) buildFakeNvml(compiler);
}
