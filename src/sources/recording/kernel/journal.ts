import { isObject } from '../loose-json.ts';
import type { Stamp } from './stamps.ts';

/** A line of `journalctl -o json`; null for any other. */
export function journalMessage(line: string): { readonly line: string; readonly stamp: Stamp } | null {
  if (!line.startsWith('{') || !line.includes('"MESSAGE"')) return null;
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isObject(entry) || typeof entry['MESSAGE'] !== 'string') return null;
  const micros = Number(entry['__REALTIME_TIMESTAMP'] ?? entry['_SOURCE_REALTIME_TIMESTAMP'] ?? Number.NaN);
  const stamp: Stamp = Number.isFinite(micros)
    ? { clock: 'absolute', time: Math.floor(micros / 1000) }
    : { clock: 'none', time: Number.NaN };
  return { line: entry['MESSAGE'], stamp };
}
