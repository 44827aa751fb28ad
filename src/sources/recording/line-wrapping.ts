import { hostAsCell } from './csv/host-prefix.ts';
import { monthOf } from './months.ts';
import { PieceJoiner, type Unwrapped } from './piece-joiner.ts';

/** What a program between the tool and the file did to every line, undone. */
export interface Wrapping {
  readonly hasStamps: boolean;
  /** No tool writes this in front of its own lines. */
  readonly isSure: boolean;
  /** Of two things in front of a line, one behind the other, the first; missing where it is one. */
  readonly outer?: Wrapping;
  /** Null for a line to which it was not done. */
  unwrap(line: string): Unwrapped | null;
}

/** So large a part of the lines must be wrapped alike. */
const LEAST_SHARE = 0.8;
const DAY_MS = 86_400_000;
/** Docker cuts longer lines into pieces of this size, in bytes. */
const CONTAINER_LOG_PIECE = 16 * 1024;

/** A zone, or half of a day, that goes on behind the stamp, or a separator: then the stamp is a cell of a record. */
const NO_CELL = String.raw`(?![+-]\d{2}:?\d{2}\b|(?:[A-Z]{1,5}|[ap]\.?m\.?)\s*[,;\t|]|\s*[,;])`;
const OFFSET = String.raw`(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?`;
const CLOCK = String.raw`\d{2}:\d{2}:\d{2}`;

const ISO = String.raw`(?<stamp>\d{4}-\d{2}-\d{2}[T ]${CLOCK}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?)`;
/** Who wrote a line to the system's log, and on which machine. */
const WRITER = String.raw`[\w.-]{1,255} [A-Za-z][\w./()@-]{0,127}(?:\[\d{1,10}\])?: ?`;

/** How much a program thinks of a line of its log. */
const LEVEL = '(?:TRACE|DEBUG|INFO|NOTICE|SUCCESS|WARN(?:ING)?|ERROR|CRITICAL|FATAL)';
/** The part of a program that wrote a line to its log. */
const LOGGER = String.raw`(?!${LEVEL}\b)[A-Za-z_][\w.]{0,79}`;

/** The longest come first: what is left of a shorter one would be part of the line. */
const STAMPS: readonly RegExp[] = [
  // What Kubernetes keeps of a container's output.
  new RegExp(`^${ISO} (?<stream>stdout|stderr) (?<piece>[FP])(?: |$)`),
  // Syslog in its newer form.
  new RegExp(String.raw`^<\d{1,3}>1 ${ISO} \S+ \S+ \S+ \S+ (?:-|\[[^\]]*\])(?: |$)`),
  // `journalctl -o short-iso`, rsyslog.
  new RegExp(`^${ISO} ${WRITER}`),
  // Logging of a program: `2026-01-01 08:00:00,123 - INFO - `, `[2026-01-01 08:00:00] [INFO] `, with or without who wrote it.
  new RegExp(
    String.raw`^\[?(?<stamp>\d{4}[-/]\d{2}[-/]\d{2}[T ]${CLOCK}(?:[.,]\d{1,9})?${OFFSET})\]? *[-|:]? *(?:${LOGGER} *[-|:] *|\[${LOGGER}\] *[-|:]? *)?(?:\[${LEVEL} *\] ?|${LEVEL}(?: *[-|:] ?| ))(?:${LOGGER}(?::[\w.<>-]{1,80}:\d{1,6})? - )?`,
  ),
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

/**
 * The same in front of every line: `srun -l`, `pdsh`, `docker compose logs`, `kubectl logs --prefix`, `grep`, `mpirun
 * --tag-output`, torchrun (`[rank0]: `), Ray (`(raylet, ip=10.0.0.4) `), Python's logging (`INFO:root:`).
 */
const LABEL = new RegExp(
  [
    String.raw`^(?!\d{4}-\d{2}-\d{2}T)( {0,3}\d{1,4}: |[\w.-]{1,64}: |[\w.-]{1,64} *\| `,
    String.raw`|\[\d{1,6},\d{1,6}\]<std(?:out|err|diag)>: ?|\[[\w./-]{1,200}\](?:: ?| )`,
    String.raw`|\([A-Za-z][\w.]{0,79}(?:,? [a-z]{1,16}=[\w.:-]{1,80})+\) `,
    String.raw`|${LEVEL}:[\w.]{1,80}:|[\w./-]{1,200}:(?! ))`,
  ].join(''),
);

/** `grep -n` counts the lines it found, behind the name of the file where there is one. */
const NUMBER = /^((?:[^\s:,]{1,200}:)?)(\d{1,9}):/;
/** The number of a line may be no more than the hour of a time of day. */
const CLOCK_ALONE = /^\d{1,2}:\d{2}(?!\d)/;

/** What stands before the time of nvidia-smi's own rows, or its title, and is no cell. */
const BEFORE_TIME =
  /^(.{1,200}?)(?<![\w.]|[,;\t"] {0,2})(?=timestamp *(?:,|$)|\d{4}\/\d{2}\/\d{2} \d{2}:\d{2}:\d{2}\.\d{3} *(?:,|$))/;
/** Times in what a program puts in front of a line: the rest of it stays the same. */
const ANY_TIME = /\d{4}[-/]\d{2}[-/]\d{2}|\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?/g;

/** Every way in which these lines may be wrapped. `anchor` is when the log was written down. */
export function wrappingsOf(head: readonly string[], anchor: number): Wrapping[] {
  const outer = singleWrappings(head, anchor);
  const both = outer.flatMap((wrapping) => {
    const inner = singleWrappings(unwrapAll(head, wrapping), anchor);
    return inner.filter(({ isSure }) => isSure).map((other) => composed(wrapping, other));
  });
  return [...outer, ...both];
}

/** The lines without what `wrapping` put in front of them, its pieces put together. */
export function unwrapAll(lines: readonly string[], wrapping: Wrapping): string[] {
  const joiner = new PieceJoiner();
  return lines.flatMap((line) => {
    const found = wrapping.unwrap(line);
    if (found === null) return [line];
    const joined = joiner.take(found);
    return joined === null ? [] : [joined.text];
  });
}

function singleWrappings(head: readonly string[], anchor: number): Wrapping[] {
  const lines = head.filter((line) => line.trim() !== '');
  const isCommon = (wrapping: Wrapping): boolean => {
    let possible = lines.length;
    // From the end: a header is no example of what follows it.
    for (let at = lines.length - 1; at >= 0 && possible >= lines.length * LEAST_SHARE; at--) {
      if (wrapping.unwrap(lines[at]!) === null) possible--;
    }
    return possible >= lines.length * LEAST_SHARE;
  };
  return [
    ...STAMPS.map((form) => byForm(form, true)),
    ...WITHOUT_YEAR.map((form) => withoutYear(form, anchor)),
    ...PLAIN.map((form) => byForm(form, false)),
    ...numbersOf(lines),
    ...labelOf(lines),
    ...beforeTime(lines),
    ...indentOf(lines),
    CONTAINER_LOG,
  ].filter(isCommon);
}

/** A form with letters of all languages begins with one: it takes milliseconds to compile, which most logs are spared. */
function matchOf(form: RegExp, line: string): RegExpExecArray | null {
  return form.unicode && /^\d/.test(line) ? null : form.exec(line);
}

function byForm(form: RegExp, hasStamps: boolean): Wrapping {
  return {
    hasStamps,
    isSure: true,
    unwrap(line) {
      const found = matchOf(form, line);
      if (found === null) return null;
      const { stamp = null, stream = '', piece } = found.groups ?? {};
      return { text: line.slice(found[0].length), stamp, stream, isPartial: piece === 'P' };
    },
  };
}

/** What stands behind `outer` is wrapped once more. A line that only has the first of the two is left without it. */
function composed(outer: Wrapping, inner: Wrapping): Wrapping {
  return {
    hasStamps: outer.hasStamps || inner.hasStamps,
    isSure: outer.isSure && inner.isSure,
    outer,
    unwrap(line) {
      const found = outer.unwrap(line);
      if (found === null) return null;
      const next = inner.unwrap(found.text);
      return next === null ? found : { ...found, text: next.text, stamp: next.stamp ?? found.stamp };
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
      const found = matchOf(form, line);
      const { month = '', day = '', clock = '' } = found?.groups ?? {};
      const number = found === null ? null : monthOf(month);
      if (found === null || number === null) return null;
      return { text: line.slice(found[0].length), stamp: stampOf(number, Number(day), clock) };
    },
  };
}

/** The same before the time of every row, whatever it is: where it is not the same it may tell machines apart. */
function beforeTime(lines: readonly string[]): Wrapping[] {
  const markOf = (line: string): string | null => BEFORE_TIME.exec(line)?.[1]?.replaceAll(ANY_TIME, '') ?? null;
  const mark = markOf(lines[0] ?? '');
  if (mark === null || mark.trim() === '') return [];
  const unwrap = (line: string): Unwrapped | null =>
    markOf(line) === mark ? { text: line.slice(BEFORE_TIME.exec(line)![0].length), stamp: null } : null;
  return [{ hasStamps: false, isSure: true, unwrap }];
}

/** Numbers in front of every line that only grow. */
function numbersOf(lines: readonly string[]): Wrapping[] {
  const file = NUMBER.exec(lines[0] ?? '')?.[1];
  if (file === undefined || lines.length < 2) return [];
  const unwrap = (line: string): Unwrapped | null => {
    const found = NUMBER.exec(line);
    return found === null || found[1] !== file ? null : { text: line.slice(found[0].length), stamp: null };
  };
  const numbered = lines.filter((line) => unwrap(line) !== null);
  const numbers = numbered.map((line) => Number(NUMBER.exec(line)?.[2]));
  const isCount = numbers.every((number, place) => place === 0 || number > numbers[place - 1]!);
  if (!isCount || numbered.every((line) => CLOCK_ALONE.test(line.slice(file.length)))) return [];
  return [{ hasStamps: false, isSure: true, unwrap }];
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

/** A record of a container's log, also where another program has written it anew. */
const CONTAINER_RECORD = /^\s*\{\s*"(?:log|stream|time|attrs)"\s*:/;

/** What Docker keeps of a container's output: a document per line. */
const CONTAINER_LOG: Wrapping = {
  hasStamps: true,
  isSure: true,
  unwrap(line) {
    if (!CONTAINER_RECORD.test(line)) return null;
    try {
      const { log, time, stream } = JSON.parse(line) as { log?: unknown; time?: unknown; stream?: unknown };
      if (typeof log !== 'string') return null;
      return {
        text: log.replace(/\r?\n$/, ''),
        stamp: typeof time === 'string' ? time : null,
        stream: typeof stream === 'string' ? stream : '',
        isPartial: !log.endsWith('\n') && Buffer.byteLength(log) >= CONTAINER_LOG_PIECE,
      };
    } catch {
      return null;
    }
  },
};
