import { ago, dateTime } from '../../../src/model/format.ts';
import type { Millis } from '../../../src/model/reading.ts';
import { useLang } from '../state/app-context.ts';

/** How long ago something was, with the exact time for the pointer and for machines; without `now` the exact time. */
export function Moment({ at, now }: { at: Millis; now: Millis | null }) {
  const lang = useLang();
  return (
    <time dateTime={new Date(at).toISOString()} title={dateTime(at)}>
      {now === null ? dateTime(at) : ago(at, now, lang)}
    </time>
  );
}
