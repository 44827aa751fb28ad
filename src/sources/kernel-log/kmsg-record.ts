/** One record of `/dev/kmsg`. */
export interface KmsgRecord {
  /** Grows by one with every record since boot. */
  readonly sequence: number;
  /** Microseconds since boot, on the clock of the kernel that stands still during sleep. */
  readonly micros: number;
  /** The message, one entry per line. */
  readonly lines: readonly string[];
}

/** `6,3973,227996636,-;message`; further fields before the semicolon may be added by newer kernels. */
const HEADER = /^(\d+),(\d+),(\d+)(?:,[^;]*)?;/;

const ESCAPE = /\\x([0-9a-f]{2})/gi;

/**
 * Reads one line of `/dev/kmsg`, given as Latin-1 text. Null for what is no record: the lines with properties that may
 * follow one begin with a blank.
 */
export function parseKmsgRecord(text: string): KmsgRecord | null {
  const header = HEADER.exec(text);
  if (header === null) return null;
  return {
    sequence: Number(header[2]),
    micros: Number(header[3]),
    lines: unescaped(text.slice(header[0].length)).split('\n').map(printable),
  };
}

/** What a log holds is shown in terminals. */
function printable(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, ' ');
}

/** The kernel writes every byte that is not printable ASCII as `\xNN`; together they are UTF-8. */
function unescaped(message: string): string {
  if (!message.includes('\\x')) return message;
  const bytes = message.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
