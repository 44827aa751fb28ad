import { absenceIn } from './csv/absence-words.ts';

/**
 * The last part of a path of Unix or Windows, which may be cut at its start; null for what nvidia-smi prints in place of
 * a name.
 */
export function commandName(path: string): string | null {
  if (path.startsWith('[') || absenceIn(path) !== null) return null;
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) || path;
}
