import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = ['web/src', 'web/public', 'src/client', 'src/model'];

/** Folder that the server sends the dashboard from. */
export const DASHBOARD = join(ROOT, 'dist/web');

/** Bundles the dashboard into a folder, as `npm run build` does. */
export function buildDashboard(folder: string): void {
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const args = ['build', 'web', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'];
  // The test runner's own NODE_ENV would bundle React with its development checks.
  execFileSync(process.execPath, [vite, ...args], { cwd: ROOT, env: { ...process.env, NODE_ENV: 'production' } });
}

/** Bundles the dashboard into {@link DASHBOARD} unless what is there is newer than every source. */
export function ensureDashboard(): void {
  const built = modifiedAt(join(DASHBOARD, 'index.html'));
  const newest = SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      modifiedAt(join(ROOT, folder, file)),
    ),
  ).reduce((a, b) => Math.max(a, b), modifiedAt(join(ROOT, 'web/index.html')));
  if (built < newest) buildDashboard(DASHBOARD);
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
