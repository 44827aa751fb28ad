import { ago, dateTime } from '../../../src/model/format.ts';
import type { Millis } from '../../../src/model/reading.ts';
import { useLang } from '../state/app-context.ts';

/** How long ago something was, with the exact time for the pointer and for machines. */
export function Moment({ at, now }: { at: Millis; now: Millis }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={dateTime(at)}>
      {ago(at, now, useLang())}
    </time>
  );
}
