import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Millis } from '../../model/reading.ts';
import type { Identity } from './names.ts';

/** Says in a directory where the samples are that are not in it. */
interface EngineNote {
  /** Where it is asked, without a password. */
  readonly url: string;
  /** Whose series they are. */
  readonly identity: Identity;
  /** Since when they are there. */
  readonly since: Millis;
}

const FILE = 'engine.json';

/** Remembers the engine; one that was noted before keeps the time since when. */
export async function noteEngine(directory: string, note: EngineNote): Promise<void> {
  const before = engineOf(directory);
  await writeFile(join(directory, FILE), JSON.stringify({ ...note, since: before?.since ?? note.since }));
}

/** For when the samples of a directory are kept in it again. */
export async function forgetEngine(directory: string): Promise<void> {
  await rm(join(directory, FILE), { force: true });
}

/** The engine that has the newer samples of a directory; null where they are in the directory itself. */
export function engineOf(directory: string): EngineNote | null {
  try {
    const note: unknown = JSON.parse(readFileSync(join(directory, FILE), 'utf8'));
    return typeof note === 'object' && note !== null && 'url' in note && 'since' in note && 'identity' in note
      ? (note as EngineNote)
      : null;
  } catch {
    return null;
  }
}
