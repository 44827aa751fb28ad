import { readdir, readFile } from 'node:fs/promises';

/** True while a process of this user has such an entry, `NAME=value`, in the environment with which it was started. */
export async function isInSomeEnvironment(entry: string, proc = '/proc'): Promise<boolean> {
  const names = await readdir(proc).catch((): string[] => []);
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    const text = await readFile(`${proc}/${name}/environ`, 'latin1').catch(() => '');
    if (text.split('\0').includes(entry)) return true;
  }
  return false;
}
