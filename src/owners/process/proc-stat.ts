/** What is used of a `/proc/PID/stat` line. */
export interface ProcStat {
  /** The kernel's own name of the main thread, at most 15 bytes. */
  readonly command: string;
  /** Clock ticks since boot, as text: it only tells a process from one that had its pid before. */
  readonly startTicks: string;
  /** User and system time of all its threads, in clock ticks; null where the line does not hold it. */
  readonly cpuTicks: number | null;
  readonly residentPages: number | null;
}

/** Fields of proc(5) by their number; what follows the command begins with number 3. */
const FIRST = 3;
const UTIME = 14 - FIRST;
const STIME = 15 - FIRST;
const STARTTIME = 22 - FIRST;
const RSS = 24 - FIRST;

/** Reads a stat line, or null where it is none. The command may itself hold spaces, parentheses and line ends. */
export function parseProcStat(line: string): ProcStat | null {
  const open = line.indexOf('(');
  const close = line.lastIndexOf(')');
  if (open < 0 || close < open) return null;
  const fields = line.slice(close + 2).split(' ', RSS + 1);
  const startTicks = fields[STARTTIME];
  if (startTicks === undefined || count(startTicks) === null) return null;
  const [user, system] = [count(fields[UTIME]), count(fields[STIME])];
  return {
    command: line.slice(open + 1, close),
    startTicks,
    cpuTicks: user === null || system === null ? null : user + system,
    residentPages: count(fields[RSS]),
  };
}

function count(field: string | undefined): number | null {
  if (field === undefined || field === '') return null;
  const value = Number(field);
  return Number.isInteger(value) && value >= 0 ? value : null;
}
