import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readSettings, type Settings } from './ui/state.ts';

/** Where the layout is kept: the XDG configuration directory of this user. */
export function settingsPath(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'gpulse', 'top.json');
}

/** The saved layout; the usual one where there is none, or it cannot be read. */
export async function loadSettings(path: string, usual: Settings): Promise<Settings> {
  try {
    return readSettings(JSON.parse(await readFile(path, 'utf8')), usual);
  } catch {
    return usual;
  }
}

/** Writes the layout as a whole, so that one that is interrupted leaves the old file. */
export async function saveSettings(path: string, settings: Settings): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  await writeFile(fresh, `${JSON.stringify(settings, null, 2)}\n`);
  await rename(fresh, path);
  return path;
}
