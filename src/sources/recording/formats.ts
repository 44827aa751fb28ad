import { csvFormat } from './csv/format.ts';
import type { LogFormat } from './rows.ts';

/** Every kind of log that can be read. */
const FORMATS: readonly LogFormat[] = [csvFormat];

/** The format that makes the most of the first lines, or null if none can read any of them. */
export function recogniseFormat(head: readonly string[], columns: string | null): LogFormat | null {
  let best: LogFormat | null = null;
  let most = 0;
  for (const format of FORMATS) {
    const lines = format.recognise(head, columns);
    if (lines > most) [best, most] = [format, lines];
  }
  return best;
}
