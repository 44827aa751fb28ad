/** A sample of the text that exporters answer with. */
export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** The value as written, since a sentinel is told apart by its last digits. */
  readonly written: string;
  /** Epoch milliseconds, or NaN where the line has none. */
  readonly time: number;
  /** Name and labels: the same for every sample of the series. */
  readonly series: string;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:-]*/;
const LABEL = /\s*(?:"((?:[^"\\]|\\.)*)"|([a-zA-Z_][a-zA-Z0-9_.]*))\s*(?:=\s*"((?:[^"\\]|\\.)*)")?\s*(,|\})/y;
const VALUE = /^\s+(\S+)(?:\s+([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?))?\s*(?:#.*)?$/i;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$|^(?:nan|[+-]?inf)$/i;

/** OpenMetrics has times in seconds, the older format in milliseconds. */
const LEAST_MILLIS = 1e11;

/** `# HELP name …` and the like. */
export function isComment(line: string): boolean {
  return /^\s*#(?:\s|$)/.test(line);
}

/** The sample of a line, or null for a line that is none. */
export function parseSample(line: string): Sample | null {
  const text = line.trimStart();
  const plainName = NAME.exec(text)?.[0] ?? '';
  const open = text[plainName.length] === '{' ? plainName.length : -1;
  if (open === -1 && plainName === '') return null;
  const labels = new Map<string, string>();
  let end = plainName.length;
  let name = plainName;
  if (open !== -1) {
    const read = readLabels(text, open + 1, labels);
    if (read === null) return null;
    end = read.end;
    name = plainName || read.name || (labels.get('__name__') ?? '');
    if (name === '') return null;
    labels.delete('__name__');
  }
  const value = parseValue(text.slice(end));
  return value === null ? null : { name, labels, ...value, series: text.slice(0, end) };
}

/** What stands behind the labels: the value and the time; null for anything else. */
export function parseValue(text: string): Pick<Sample, 'written' | 'time'> | null {
  const value = VALUE.exec(text);
  if (value === null || !NUMBER.test(value[1]!)) return null;
  return { written: value[1]!, time: timeOf(value[2]) };
}

/** The labels from `at` on, behind the bracket; a string without a value is the name. Null where they do not end. */
function readLabels(text: string, at: number, into: Map<string, string>): { end: number; name: string } | null {
  let name = '';
  let from = at;
  if (/^\s*\}/.test(text.slice(at))) return { end: text.indexOf('}', at) + 1, name };
  for (;;) {
    LABEL.lastIndex = from;
    const label = LABEL.exec(text);
    if (label === null) return null;
    const [whole, quoted, plain, value, separator] = label;
    const key = plain ?? unescaped(quoted ?? '');
    if (value === undefined) name = key;
    else into.set(key, unescaped(value));
    from += whole.length;
    if (separator === '}') return { end: from, name };
    if (/^\s*\}/.test(text.slice(from))) return { end: text.indexOf('}', from) + 1, name };
  }
}

function unescaped(text: string): string {
  return text.includes('\\') ? text.replaceAll(/\\(.)/g, (_, letter) => (letter === 'n' ? '\n' : letter)) : text;
}

function timeOf(written: string | undefined): number {
  if (written === undefined) return Number.NaN;
  const value = Number(written);
  return Math.round(value < LEAST_MILLIS ? value * 1000 : value);
}
