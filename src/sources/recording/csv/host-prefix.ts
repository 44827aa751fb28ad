/** `node1: ` as tools that run a command on several machines put it in front of every line, here of a record or a header. */
const PREFIX =
  /^(?!(?:gpu|cuda|card|device|time|date)[\w.-]*:)([a-z][\w.-]*): +(?=\d{4}[-/]\d\d[-/]\d\d[ T]\d|timestamp *,)/i;

/** The line without the name of a machine in front of it. */
export function withoutHost(line: string): string {
  return line.replace(PREFIX, '');
}

/** The line with the name of a machine in front of it as a cell of its own; null where there is none. */
export function hostAsCell(line: string): string | null {
  const found = PREFIX.exec(line);
  if (found === null) return null;
  const rest = line.slice(found[0].length);
  return `${/^timestamp/i.test(rest) ? 'hostname' : found[1]}, ${rest}`;
}
