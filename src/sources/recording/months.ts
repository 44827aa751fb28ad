/** Languages whose names of months are known, the more frequent ones first. */
const LANGUAGES = [
  ...['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ru', 'uk', 'cs', 'sk', 'sv', 'da', 'nb', 'fi', 'hu'],
  ...['tr', 'ro', 'el', 'bg', 'sl', 'ca', 'id', 'vi'],
];

/** Shorter words are days of the week in too many languages. */
const LEAST_LETTERS = 3;

/** Abbreviations of the C library that are no beginning of the name. */
const ABBREVIATIONS: ReadonlyMap<string, number> = new Map([
  ['mrz', 3],
  ['mrt', 3],
  ['kwi', 4],
  ['čen', 6],
  ['čec', 7],
]);

/**
 * Number of the month, from 1, that a word names in one of the known languages, in full or cut to three letters or more:
 * `Okt`, `maj`, `août`, `сен`. Null where it names none, or as many languages name one month as another.
 */
export function monthOf(word: string): number | null {
  const plain = word.replaceAll('.', '').toLowerCase();
  if (plain.length < LEAST_LETTERS) return null;
  const known = ABBREVIATIONS.get(plain);
  if (known !== undefined) return known;
  const votes = new Map<number, number>();
  for (const names of monthNames()) {
    const month = names.findIndex((name) => name.startsWith(plain));
    if (month !== -1) votes.set((month % 12) + 1, (votes.get((month % 12) + 1) ?? 0) + 1);
  }
  const [first, second] = [...votes].sort(([, a], [, b]) => b - a);
  // `mar` begins March in most languages and November in one.
  return first === undefined || first[1] === second?.[1] ? null : first[0];
}

let cached: readonly (readonly string[])[] | null = null;

/** Per language the twelve names as they stand alone, as they stand in a date, and shortened. */
function monthNames(): readonly (readonly string[])[] {
  cached ??= LANGUAGES.map((language) => {
    const alone = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
    const dated = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', timeZone: 'UTC' });
    const short = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' });
    return [alone, dated, short].flatMap((format) =>
      Array.from({ length: 12 }, (_, month) => monthPart(format, Date.UTC(2024, month, 15))),
    );
  });
  return cached;
}

function monthPart(format: Intl.DateTimeFormat, at: number): string {
  const part = format.formatToParts(at).find(({ type }) => type === 'month');
  return (part?.value ?? '').replaceAll('.', '').toLowerCase();
}
