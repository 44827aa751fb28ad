/**
 * What one line of a kernel log says about a fault of a GPU (an Xid of the NVIDIA driver) or of an NVLink switch (an
 * SXid, whose numbers are counted apart).
 */
export interface XidLine {
  readonly kind: 'xid' | 'sxid';
  readonly xid: number;
  /** False where the driver only says in words that the GPU is off the bus: that is Xid 79. */
  readonly isNumbered: boolean;
  /** `00000000:0A:00.0`, the form of nvidia-smi, whichever one the line has; null where the line names no place. */
  readonly busId: string | null;
  /** GPU instance of a card that is split by MIG. */
  readonly gpuInstance: number | null;
  /** Null where the driver does not know the process, which it writes as `'<unknown>'`. */
  readonly pid: number | null;
  /** Short name of the process. */
  readonly name: string | null;
  /** The Xid that this one only follows; what has to be looked at is that one. */
  readonly causedBy: number | null;
  /** What follows the number, the process left out: units and links of NVLink faults, addresses, actions. */
  readonly detail: string;
  /** The message from `NVRM:` on, without the time and the host that the log puts in front of it. */
  readonly raw: string;
}

/** Off the bus: power, seating or the card itself. */
const FALLEN_OFF = 79;

/** Longer messages are none of the driver; what is beyond this is left out. */
const LONGEST_MESSAGE = 1000;

const NUMBERED = /\b(S?)Xid\s*\(([^()]{1,60})\)\s*:?\s*(\d{1,6})(?!\d)\s*(?:,\s*|:\s*|$|(?=\s))/;
const PROCESS = /^pid=(?:'?<unknown>'?|(\d{1,10}))(?:,\s*|$)(?:name=([^,]{0,64})(?:,\s*|$))?/;
const IN_WORDS = /\bfallen off the bus\b|\bGPU lost from the bus\b|\[NV_ERR_GPU_IS_LOST\]/i;
const PLACE = /(?:\b|GPU)(?:([0-9a-f]{1,8}):)?([0-9a-f]{2,4}):([0-9a-f]{2})(?:\.([0-7]))?(?![0-9a-f]|:[0-9a-f])/i;
const INSTANCE = /\bGPU-I:\s*([0-9a-f]{1,3})\b/i;
const PREVIOUS = /\bcaused by previous Xid (\d{1,4})\b/i;

/**
 * Reads one line of `dmesg`, a journal, a syslog, `/dev/kmsg` or any program that quotes one: everything in front of the
 * message is skipped. Null for a line that reports no fault.
 */
export function parseXidLine(line: string): XidLine | null {
  if (line.includes('Xid')) {
    const match = NUMBERED.exec(line);
    if (match !== null) return numbered(line, match);
  }
  return isOffTheBus(line) ? inWords(line) : null;
}

function numbered(line: string, match: RegExpExecArray): XidLine {
  const [whole, switchLetter, place = '', number] = match;
  const rest = line.slice(match.index + whole.length).trim();
  const found = PROCESS.exec(rest);
  const name = found?.[2]?.trim();
  const previous = PREVIOUS.exec(rest);
  return {
    kind: switchLetter === 'S' ? 'sxid' : 'xid',
    xid: Number(number),
    isNumbered: true,
    busId: busIdIn(place),
    gpuInstance: instanceIn(place),
    pid: found?.[1] === undefined ? null : Number(found[1]),
    name: name === undefined || name === '' || name === '<unknown>' ? null : name,
    causedBy: previous === null ? null : Number(previous[1]),
    detail: rest.slice(found?.[0].length ?? 0).slice(0, LONGEST_MESSAGE),
    raw: messageAt(line, match.index),
  };
}

/** Only the driver's own words count: a program may speak of a GPU that fell off the bus on another day. */
function isOffTheBus(line: string): boolean {
  return line.includes('NVRM:') && IN_WORDS.test(line);
}

function inWords(line: string): XidLine {
  const raw = messageAt(line, line.length);
  return {
    kind: 'xid',
    xid: FALLEN_OFF,
    isNumbered: false,
    busId: busIdIn(raw.slice('NVRM:'.length)),
    gpuInstance: null,
    pid: null,
    name: null,
    causedBy: null,
    detail: raw.slice('NVRM:'.length).trim(),
    raw,
  };
}

/** The message that has its number at `at`, from the name of its driver on. */
function messageAt(line: string, at: number): string {
  const driver = Math.max(line.lastIndexOf('NVRM:', at), line.lastIndexOf('nvidia-nvswitch', at));
  return line
    .slice(driver === -1 ? at : driver)
    .trim()
    .slice(0, LONGEST_MESSAGE);
}

/**
 * The PCI place named in a text, as nvidia-smi writes it: `PCI:0000:0a:00`, `0000:0a:00.0` and, of drivers before 2012,
 * `0a:00` are all `00000000:0A:00.0`. Null where there is none.
 */
export function busIdIn(text: string): string | null {
  const match = PLACE.exec(text);
  if (match === null) return null;
  const [, domain = '0', bus = '', device = '', part = '0'] = match;
  if (Number.parseInt(bus, 16) > 0xff || Number.parseInt(device, 16) > 0x1f) return null;
  return `${domain.padStart(8, '0')}:${bus.slice(-2)}:${device}.${part}`.toUpperCase();
}

function instanceIn(place: string): number | null {
  const match = INSTANCE.exec(place);
  return match === null ? null : Number(match[1]);
}
