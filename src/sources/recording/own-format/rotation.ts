import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../../model/errors.ts';
import type { Millis } from '../../../model/reading.ts';
import { compressionIn } from '../decompressor.ts';
import { FORMAT_NAME } from './wire.ts';

/** `gpu.ndjson.gz` is the stem `gpu` and the ending `.ndjson.gz`. */
function parts(path: string): { stem: string; ending: string } {
  const name = basename(path);
  const ending = /(?:\.(?:ndjson|jsonl|json|csv|log|txt))?(?:\.(?:gz|zst))?$/i.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - ending.length);
  return stem === '' ? { stem: name, ending: '' } : { stem, ending };
}

/** Where a file that was begun at a time is put aside: `gpu.20261130T194210Z.ndjson`. Never a file that exists. */
export async function rotatedName(path: string, startedAt: Millis): Promise<string> {
  const { stem, ending } = parts(path);
  const stamp = `${new Date(startedAt).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const taken = new Set(await readdir(dirname(path)));
  for (let n = 1; ; n++) {
    const name = `${stem}.${stamp}${n === 1 ? '' : `-${n}`}${ending}`;
    if (!taken.has(name)) return join(dirname(path), name);
  }
}

/** Removes all but the newest `keep` of the files that were put aside. */
export async function removeOldest(path: string, keep: number): Promise<void> {
  if (!Number.isFinite(keep)) return;
  const { stem, ending } = parts(path);
  const isAside = (name: string): boolean =>
    name.startsWith(`${stem}.`) &&
    name.endsWith(ending) &&
    /^\d{8}T\d{6}Z(-\d+)?$/.test(name.slice(stem.length + 1, name.length - ending.length));
  const aside = (await readdir(dirname(path))).filter(isAside).sort(inOrder);
  for (const name of aside.slice(0, Math.max(0, aside.length - keep))) await rm(join(dirname(path), name));
}

/** By time, and by number within a second. */
function inOrder(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

const HEAD_BYTES = 64;

/**
 * Puts a recording that stands where a new one is to begin aside. Throws OUTPUT_EXISTS for a file that is none, which is
 * not touched.
 */
export async function putAside(path: string): Promise<void> {
  if (path === '-') return;
  // A pipe that is opened would wait for whoever writes to it.
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile() || found.size === 0) return;
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return;
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    await file.read(head, 0, HEAD_BYTES, 0);
    const text = head.toString('latin1');
    const isRecording = text.includes(`"${FORMAT_NAME}"`) || /^timestamp, /.test(text) || compressionIn(head) !== null;
    if (!isRecording) throw new AppError('OUTPUT_EXISTS', { path });
    await rename(path, await rotatedName(path, found.birthtimeMs > 0 ? found.birthtimeMs : found.mtimeMs));
  } finally {
    await file.close();
  }
}
