import { hostAsCell } from './csv/host-prefix.ts';
import { monthOf } from './months.ts';

/** What stands in front of a line, taken off. */
interface Unwrapped {
  readonly text: string;
  /** The time that stood there, as it was written, with its date; null where there was none. */
  readonly stamp: string | null;
}

/** What a program between the tool and the file did to every line, undone. */
export interface Wrapping {
  readonly hasStamps: boolean;
  /** No tool writes this in front of its own lines. */
  readonly isSure: boolean;
  /** Null for a line to which it was not done. */
  unwrap(line: string): Unwrapped | null;
}

/** So large a part of the lines must be wrapped alike. */
const LEAST_SHARE = 0.8;
const DAY_MS = 86_400_000;

/** A zone, or half of a day, that goes on behind the stamp, or a separator: then the stamp is a cell of a record. */
const NO_CELL = String.raw`(?![+-]\d{2}:?\d{2}\b|(?:[A-Z]{1,5}|[ap]\.?m\.?)\s*[,;\t|]|\s*[,;])`;
const OFFSET = String.raw`(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?`;
const CLOCK = String.raw`\d{2}:\d{2}:\d{2}`;

const ISO = String.raw`(?<stamp>\d{4}-\d{2}-\d{2}[T ]${CLOCK}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?)`;
/** Who wrote a line to the system's log, and on which machine. */
const WRITER = String.raw`[\w.-]{1,255} [A-Za-z][\w./()@-]{0,127}(?:\[\d{1,10}\])?: ?`;

/** The longest come first: what is left of a shorter one would be part of the line. */
const STAMPS: readonly RegExp[] = [
  // What Kubernetes keeps of a container's output.
  new RegExp(`^${ISO} (?:stdout|stderr) [FP](?: |$)`),
  // Syslog in its newer form.
  new RegExp(String.raw`^<\d{1,3}>1 ${ISO} \S+ \S+ \S+ \S+ (?:-|\[[^\]]*\])(?: |$)`),
  // `journalctl -o short-iso`, rsyslog.
  new RegExp(`^${ISO} ${WRITER}`),
  // `ts '%F %T'`, `kubectl logs --timestamps`, continuous integration.
  new RegExp(
    String.raw`^\[?(?<stamp>\d{4}[-/]\d{2}[-/]\d{2}[T_ ]${CLOCK}(?:[.,]\d{1,9})?${OFFSET})\]?:?(?: ${NO_CELL}|$)`,
  ),
  // `date` in front of a line.
  new RegExp(
    String.raw`^\[?(?<stamp>\p{L}{2,4}\.?,? (?:\p{L}{3,9}\.? +\d{1,2}|\d{1,2} \p{L}{3,9}\.?)(?: \d{4})? ${CLOCK}(?: [AP]M)?(?: [A-Z]{2,5}| [+-]\d{2,4})?(?: \d{4})?)\]?:?(?: ${NO_CELL}|$)`,
    'u',
  ),
  // `ts '%s'` and `ts '%.s'`.
  new RegExp(String.raw`^(?<stamp>\d{10}(?:\.\d{1,9})?)(?: ${NO_CELL}|$)`),
];

const DAY = String.raw`(?<month>\p{L}{3,5})\.? {1,2}(?<day>\d{1,2}) (?<clock>${CLOCK})(?:\.\d{1,6})?`;

/** No year: `journalctl` and syslog, `ts`. */
const WITHOUT_YEAR: readonly RegExp[] = [
  new RegExp(String.raw`^(?:<\d{1,3}>)?${DAY} ${WRITER}`, 'u'),
  new RegExp(`^${DAY}(?: ${NO_CELL}|$)`, 'u'),
];

const PLAIN: readonly RegExp[] = [
  // `ts %T`, `ts -s`.
  new RegExp(String.raw`^\[?${CLOCK}(?:\.\d{1,6})?\]?(?: ${NO_CELL}|$)`),
  // Quoted in a mail or a thread.
  /^(?:> ?)+/,
  // `cat -n`.
  /^ {0,8}\d{1,7}\t/,
];

/** The same in front of every line: `srun -l`, `pdsh`, `docker compose logs`, `kubectl logs --prefix`, `grep`. */
const LABEL =
  /^(?!\d{4}-\d{2}-\d{2}T)( {0,3}\d{1,4}: |[\w.-]{1,64}: |[\w.-]{1,64} *\| |\[[\w./-]{1,200}\] |[\w./-]{1,200}:(?! ))/;

/** Every way in which these lines may be wrapped. `anchor` is when the log was written down. */
export function wrappingsOf(head: readonly string[], anchor: number): Wrapping[] {
  const lines = head.filter((line) => line.trim() !== '');
  const isCommon = (wrapping: Wrapping): boolean =>
    lines.filter((line) => wrapping.unwrap(line) !== null).length >= lines.length * LEAST_SHARE;
  return [
    ...STAMPS.map((form) => byForm(form, true)),
    ...WITHOUT_YEAR.map((form) => withoutYear(form, anchor)),
    ...PLAIN.map((form) => byForm(form, false)),
    ...labelOf(lines),
    ...indentOf(lines),
    CONTAINER_LOG,
  ].filter(isCommon);
}

function byForm(form: RegExp, hasStamps: boolean): Wrapping {
  return {
    hasStamps,
    isSure: true,
    unwrap(line) {
      const found = form.exec(line);
      if (found === null) return null;
      return { text: line.slice(found[0].length), stamp: found.groups?.['stamp'] ?? null };
    },
  };
}

/** No line was written later than a day after the log was. */
function withoutYear(form: RegExp, anchor: number): Wrapping {
  const latest = new Date(anchor + DAY_MS);
  const stampOf = (month: number, day: number, clock: string): string => {
    const written = (year: number): string =>
      `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')} ${clock}`;
    const year = latest.getUTCFullYear();
    return Date.parse(`${written(year).replace(' ', 'T')}Z`) > latest.getTime() ? written(year - 1) : written(year);
  };
  return {
    hasStamps: true,
    isSure: true,
    unwrap(line) {
      const found = form.exec(line);
      const { month = '', day = '', clock = '' } = found?.groups ?? {};
      const number = found === null ? null : monthOf(month);
      if (found === null || number === null) return null;
      return { text: line.slice(found[0].length), stamp: stampOf(number, Number(day), clock) };
    },
  };
}

function labelOf(lines: readonly string[]): Wrapping[] {
  const label = LABEL.exec(lines[0] ?? '')?.[1];
  if (label === undefined) return [];
  const bare = label.trimEnd();
  const unwrap = (line: string): Unwrapped | null => {
    if (line.startsWith(label)) return { text: line.slice(label.length), stamp: null };
    return line === bare ? { text: '', stamp: null } : null;
  };
  // A machine in front of rows that can tell it from others is worth more than rows alone.
  const isHost = lines.some((line) => hostAsCell(line) !== null);
  return [{ hasStamps: false, isSure: !isHost && lines.every((line) => unwrap(line) !== null), unwrap }];
}

/** Spaces that stand in front of every line, as in a block of Markdown. */
function indentOf(lines: readonly string[]): Wrapping[] {
  const widths = lines.map((line) => line.length - line.trimStart().length);
  const width = Math.min(...widths);
  if (!Number.isFinite(width) || width === 0) return [];
  const unwrap = (line: string): Unwrapped | null =>
    line.slice(0, width).trim() === '' ? { text: line.slice(width), stamp: null } : null;
  return [{ hasStamps: false, isSure: false, unwrap }];
}

/** What Docker keeps of a container's output: a document per line. */
const CONTAINER_LOG: Wrapping = {
  hasStamps: true,
  isSure: true,
  unwrap(line) {
    if (!line.startsWith('{"log":"')) return null;
    try {
      const { log, time } = JSON.parse(line) as { log?: unknown; time?: unknown };
      if (typeof log !== 'string') return null;
      return { text: log.replace(/\r?\n$/, ''), stamp: typeof time === 'string' ? time : null };
    } catch {
      return null;
    }
  },
};
