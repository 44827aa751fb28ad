import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const IMPLEMENTATIONS = [
  'sources',
  'sources/nvml',
  'sources/recording',
  'sources/simulator',
  'sources/kernel-log',
  'sources/host',
  'sources/nvidia-smi',
  'sources/drm',
  'sources/amdgpu',
  'sources/intel',
  'owners',
  'history',
  'diagnosis',
  'runs',
  'waiting',
  'exporters',
  'server',
];

/**
 * Who may import whom: the architecture, held against the real imports. A feature folder imports `model` and itself;
 * only `app` and `cli` know implementations; user interfaces know only `client`.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  model: [],
  // How numbers travel to receivers: encodings and retries that exporters and the remote history share.
  wire: ['model'],
  'sources/nvml': ['model'],
  'sources/recording': ['model'],
  'sources/simulator': ['model'],
  'sources/kernel-log': ['model'],
  'sources/host': ['model'],
  // What nvidia-smi prints is read by the reader of its logs.
  'sources/nvidia-smi': ['model', 'sources/recording'],
  'sources/drm': ['model'],
  // Both read the kernel's graphics drivers; what these share is in drm.
  'sources/amdgpu': ['model', 'sources/drm'],
  'sources/intel': ['model', 'sources/drm'],
  sources: ['model'],
  owners: ['model'],
  history: ['model', 'wire'],
  diagnosis: ['model'],
  runs: ['model'],
  waiting: ['model'],
  exporters: ['model', 'wire'],
  server: ['model'],
  client: ['model'],
  tui: ['model', 'client'],
  app: ['model', ...IMPLEMENTATIONS],
  cli: ['model', 'app', 'client', 'tui', ...IMPLEMENTATIONS],
  web: ['model', 'client'],
};

const ROOT = resolve(import.meta.dirname, '..');
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

function sourceFiles(): string[] {
  return ['src', 'web/src'].flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/\.(test|contract)\.tsx?$/.test(file))
      .map((file) => join(top, file)),
  );
}

/** The row of the table a file belongs to: the longest folder that has one. */
function folderOf(file: string): string {
  if (file.startsWith('web/')) return 'web';
  const parts = dirname(relative('src', file)).split('/');
  const two = parts.slice(0, 2).join('/');
  return two in ALLOWED ? two : (parts[0] ?? '');
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(IMPORT)].map((match) => relative(ROOT, resolve(ROOT, dirname(file), match[1] ?? '')));
}

test('every folder has a row in the table', () => {
  const folders = new Set(sourceFiles().map(folderOf));
  expect([...folders].filter((folder) => !(folder in ALLOWED))).toEqual([]);
});

test('imports follow the table', () => {
  const faults = sourceFiles().flatMap((file) =>
    importsOf(file)
      .filter((target) => /^(src|web)\//.test(target))
      .filter((target) => {
        const [from, to] = [folderOf(file), folderOf(target)];
        return from !== to && !ALLOWED[from]?.includes(to);
      })
      .map((target) => `${file} imports ${target}`),
  );
  expect(faults).toEqual([]);
});

test('the scan sees imports at all', () => {
  expect(sourceFiles().flatMap(importsOf).length).toBeGreaterThan(10);
});
