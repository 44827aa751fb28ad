import { readFileSync, statSync } from 'node:fs';

/** Login names by numeric user id, from a passwd file that is read again when it changes. */
export class UserNames {
  readonly #path: string;
  #names: ReadonlyMap<number, string> = new Map();
  #version = '';

  constructor(path = '/etc/passwd') {
    this.#path = path;
  }

  /** The login name, or the number as text where the file does not know it (containers, directory services). */
  nameOf(uid: number): string {
    const known = this.#names.get(uid);
    if (known !== undefined) return known;
    this.#reload();
    return this.#names.get(uid) ?? String(uid);
  }

  #reload(): void {
    try {
      const { mtimeMs, size } = statSync(this.#path);
      const version = `${mtimeMs}/${size}`;
      if (version === this.#version) return;
      this.#names = parsePasswd(readFileSync(this.#path, 'utf8'));
      this.#version = version;
    } catch {
      this.#names = new Map();
    }
  }
}

function parsePasswd(text: string): Map<number, string> {
  const names = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [name, , uid] = line.split(':');
    const id = Number(uid);
    // The first entry wins, as it does for getpwuid(3).
    if (name && uid && Number.isInteger(id) && !names.has(id)) names.set(id, name);
  }
  return names;
}
