import { monthOf } from './months.ts';
import type { RecordingReport } from './report.ts';
import type { ZoneClock } from './time-zone.ts';
import { TimestampReader } from './timestamps.ts';

/** Dates as people's shells write them are shorter than this. */
const LONGEST = 80;

const ENCODER = new TextEncoder();

const CLOCK = /(?<!\d)(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?!\d)/;
const ASIAN_DATE = /(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]/;
const ASIAN_CLOCK = /(\d{1,2})\s*[时時시点點]\s*(\d{1,2})\s*[分분]\s*(\d{1,2})\s*[秒초]/;
const AFTERNOON = /\bp\.?\s?m\b\.?|下午|午後|오후/i;
const MORNING = /\ba\.?\s?m\b\.?|上午|午前|오전/i;
const NUMERIC_DATE = /(?<!\d)(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?!\d)/;
const OFFSET = /\s(?:UTC|GMT)?([+-])(\d{2})(?::?(\d{2}))?(?=\s|$)/;
/** Zones that mean one offset only, in minutes. `CST`, `IST` and `BST` do not. */
const ZONES: ReadonlyMap<string, number> = new Map([
  ...([
    ['UTC', 0],
    ['GMT', 0],
    ['Z', 0],
    ['WET', 0],
    ['CET', 60],
    ['CEST', 120],
    ['EET', 120],
    ['EEST', 180],
  ] as const),
  ...([
    ['MSK', 180],
    ['JST', 540],
    ['KST', 540],
    ['HKT', 480],
    ['SGT', 480],
    ['AEST', 600],
    ['AEDT', 660],
  ] as const),
  ...([
    ['EST', -300],
    ['EDT', -240],
    ['CDT', -300],
    ['MST', -420],
    ['MDT', -360],
    ['PST', -480],
    ['PDT', -420],
  ] as const),
]);

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Reads dates in the words of any usual locale, and those of {@link TimestampReader}. */
export class WrittenDates {
  readonly #zone: ZoneClock;
  readonly #report: RecordingReport;
  readonly #stamps: TimestampReader;
  #previous = Number.NaN;

  constructor(zone: ZoneClock, report: RecordingReport) {
    this.#zone = zone;
    this.#report = report;
    this.#stamps = new TimestampReader(zone);
  }

  /** Epoch milliseconds of a date with a time of day; NaN for anything else, and for a date that may be read two ways. */
  read(written: string): number {
    const text = written.trim();
    if (text.length > LONGEST) return Number.NaN;
    const bytes = ENCODER.encode(text);
    const stamp = bytes.length === 0 ? Number.NaN : this.#stamps.read(bytes, 0, bytes.length);
    if (!Number.isNaN(stamp)) {
      if (this.#stamps.hasReadLocalTime) this.#remarkLocal();
      return this.#stamps.isElapsed ? Number.NaN : stamp;
    }
    return this.#readWords(text);
  }

  /** Epoch milliseconds of a local time given as if it were UTC. */
  fromLocal(wall: number): number {
    this.#remarkLocal();
    const at = this.#zone.toUtc(wall, this.#previous);
    this.#previous = at;
    return at;
  }

  #readWords(text: string): number {
    const millis = clockOf(text);
    const day = dayOf(text);
    if (millis === null || day === null) return Number.NaN;
    const midnight = Date.UTC(day.year, day.month - 1, day.day);
    if (new Date(midnight).getUTCDate() !== day.day) return Number.NaN;
    const offset = zoneOf(text);
    return offset === null ? this.fromLocal(midnight + millis) : midnight + millis - offset * 60_000;
  }

  #remarkLocal(): void {
    this.#report.remark('notice.times-local', { zone: this.#zone.zone });
  }
}

/** Milliseconds since midnight, or null. */
function clockOf(text: string): number | null {
  const found = CLOCK.exec(text) ?? ASIAN_CLOCK.exec(text);
  if (found === null) return null;
  const [minute, second] = [Number(found[2]), Number(found[3])];
  let hour = Number(found[1]);
  if (AFTERNOON.test(text) && hour < 12) hour += 12;
  else if (MORNING.test(text) && hour === 12) hour = 0;
  if (hour > 23 || minute > 59 || second > 60) return null;
  const millis = found[4] === undefined ? 0 : Math.floor(Number(`0.${found[4]}`) * 1000);
  return ((hour * 60 + minute) * 60 + second) * 1000 + millis;
}

function dayOf(text: string): Day | null {
  const asian = ASIAN_DATE.exec(text);
  if (asian !== null) return checked(Number(asian[1]), Number(asian[2]), Number(asian[3]));
  const numeric = NUMERIC_DATE.exec(text);
  return numeric === null ? namedDay(text) : numericDay(numeric);
}

/** `2022-8-5`, `22.08.2022` and `08/22/2022`; null for `08/05/2022`, which is another day on the other side of the sea. */
function numericDay([, first = '', separator, second = '', third = '']: RegExpExecArray): Day | null {
  const [a, b, c] = [Number(first), Number(second), Number(third)];
  if (first.length === 4) return checked(a, b, c);
  const year = third.length === 2 ? 2000 + c : c;
  if (separator === '.' || a > 12) return checked(year, b, a);
  return b > 12 || a === b ? checked(year, a, b) : null;
}

function namedDay(text: string): Day | null {
  const words = text.replaceAll(/\d{1,2}:\d{2}:\d{2}\S*/g, ' ').split(/[\s,()]+/);
  const numbers = words
    .map((word) => /^(\d{1,4})(?:\.|st|nd|rd|th)?$/.exec(word)?.[1])
    .filter((word) => word !== undefined);
  // The name of a day stands before that of the month and may look like one: `mar. 22 août`.
  const month = words.map(monthOf).findLast((found) => found !== null);
  const year = numbers.find((word) => word.length === 4);
  const day = numbers.find((word) => word.length < 3);
  if (month === undefined || year === undefined || day === undefined) return null;
  return checked(Number(year), month, Number(day));
}

function checked(year: number, month: number, day: number): Day | null {
  if (year < 1990 || year > 2100 || month < 1 || month > 12 || day < 1 || day > 31) return null;
  return { year, month, day };
}

/** Minutes ahead of UTC, or null where the text does not tell. */
function zoneOf(text: string): number | null {
  const offset = OFFSET.exec(text);
  if (offset !== null) return (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3] ?? 0));
  for (const word of text.split(/[\s()]+/)) {
    const zone = ZONES.get(word);
    if (zone !== undefined) return zone;
  }
  return null;
}

/** Words around a date on a line of its own. */
const FRAME = /^[\s#=*>[-]*(?:(?:date|time|timestamp|sampled at|at)\s*[:=]\s*)?|[\s\]=*-]*$/gi;

/**
 * The date that a whole line is, as `date` prints it between two outputs of a tool: without the decoration that scripts
 * put around it. Null for a line that holds anything else.
 */
export function dateLine(line: string): string | null {
  if (line.length > LONGEST || !/\d/.test(line)) return null;
  const bare = line.replaceAll(FRAME, '');
  if (/^\d{10}(?:\.\d+)?$|^\d{13}$/.test(bare)) return bare;
  if (!CLOCK.test(bare) && !ASIAN_CLOCK.test(bare)) return null;
  // Nothing but numbers, the words of a date and a zone.
  const words = bare.match(/\p{L}+/gu) ?? [];
  return words.length <= 9 && /^[\p{L}\d\s:.,/()+-]+$/u.test(bare) ? bare : null;
}
