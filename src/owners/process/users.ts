import { readFileSync, statSync } from 'node:fs';
import type { Clock } from '../../model/clock.ts';
import type { Background } from '../background.ts';

/** How long it is believed that the name service does not know a user. */
const UNKNOWN_MS = 10 * 60_000;

/** More users than a host has at a time; beyond it all are asked for anew. */
const MAX_ASKED = 1024;

interface Asked {
  name: string | null;
  /** Monotonic time from which on it may be asked for again; infinite while it is being asked for. */
  againAt: number;
}

export interface UserNamesOptions {
  readonly clock: Clock;
  readonly background: Background;
  /** A passwd file, which is read again when it changes. */
  readonly path?: string;
  /** Whoever knows the users that are not in the file; null where nobody does. */
  readonly ask: ((uid: number) => Promise<string | null>) | null;
}

/** Login names by numeric user id. */
export class UserNames {
  readonly #options: UserNamesOptions;
  readonly #path: string;
  readonly #asked = new Map<number, Asked>();
  #names: ReadonlyMap<number, string> = new Map();
  #file = '';
  #version = 0;

  constructor(options: UserNamesOptions) {
    this.#options = options;
    this.#path = options.path ?? '/etc/passwd';
  }

  /** Grows whenever a name that was given before may be another now. */
  get version(): number {
    return this.#version;
  }

  /**
   * The login name, or the number as text where it is not known. A user who is not in the file is asked for in the
   * background, so that the name comes later.
   */
  nameOf(uid: number): string {
    const known = this.#names.get(uid) ?? this.#asked.get(uid)?.name;
    if (known != null) return known;
    this.#reload();
    const name = this.#names.get(uid);
    if (name === undefined) this.#ask(uid);
    return name ?? String(uid);
  }

  #reload(): void {
    try {
      const { mtimeMs, size } = statSync(this.#path);
      const file = `${mtimeMs}/${size}`;
      if (file === this.#file) return;
      this.#names = parsePasswd(readFileSync(this.#path, 'utf8'));
      this.#file = file;
      this.#version++;
    } catch {
      this.#names = new Map();
    }
  }

  #ask(uid: number): void {
    const { ask, clock, background } = this.#options;
    if (ask === null || (this.#asked.get(uid)?.againAt ?? 0) > clock.monotonic()) return;
    if (this.#asked.size >= MAX_ASKED) this.#asked.clear();
    const asked: Asked = { name: null, againAt: Number.POSITIVE_INFINITY };
    this.#asked.set(uid, asked);
    background.run(async () => {
      asked.name = await ask(uid);
      asked.againAt = clock.monotonic() + UNKNOWN_MS;
      if (asked.name !== null) this.#version++;
    });
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
