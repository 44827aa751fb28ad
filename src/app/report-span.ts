import { AppError } from '../model/errors.ts';
import { isoTime } from '../model/format.ts';
import { CONFIG_WORDS } from '../model/i18n/config-words.ts';
import type { Lang } from '../model/i18n/text.ts';
import type { Extent } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import { MOMENT_NOTATION, parseMoment } from '../server/query/moment.ts';
import { badOption, filled } from './bad-option.ts';

/** A stretch of time as people give it: `--from` and `--to`. */
export interface SpanWords {
  readonly from: string;
  readonly to: string;
}

/** The times that words mean; `all` is what is held. Throws BAD_OPTION. */
export function resolveSpan({ from, to }: SpanWords, extent: Extent | null, now: Millis, lang: Lang): Extent {
  const at = (option: string, word: string, all: Millis): Millis => {
    const moment = parseMoment(word);
    if (moment === undefined) {
      throw new AppError('BAD_OPTION', { option, value: word, expected: MOMENT_NOTATION[lang] });
    }
    if (moment.kind === 'all') return all;
    return moment.kind === 'at' ? moment.at : Math.max(0, now - moment.ms);
  };
  const end = at('--to', to, (extent?.to ?? now) + 1);
  const start = at('--from', from, extent?.from ?? 0);
  if (start < end) return { from: start, to: end };
  throw emptySpan(from, end);
}

/** What to throw where `--from` is not before the end of the stretch. */
export function emptySpan(from: string, end: Millis): AppError {
  return badOption('--from', from, filled(CONFIG_WORDS['takes.before-end'], { to: isoTime(end) }));
}
