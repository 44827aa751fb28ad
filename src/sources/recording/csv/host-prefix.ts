/** A title with which a header may begin. */
const TITLE = String.raw`(?:timestamp|index|count|name|uuid|serial|gpu_\w+|pci\.\w+|driver_version|(?:utilization|memory|temperature|power|clocks|fan|pcie|ecc)[\w.]*)`;

/** `node1: ` as tools that run a command on several machines put it in front of every line, here of a record or a header. */
const PREFIX = new RegExp(
  String.raw`^(?!(?:gpu|cuda|card|device|time|date)[\w.-]*:)([a-z][\w.-]*): +(?=\d{4}[-/]\d\d[-/]\d\d[ T]\d|\d{1,3} *,|(?:NVIDIA|Tesla|GeForce|Quadro) [^,]*,|(?:GPU|MIG)-[0-9a-f]{8}|[0-9a-f]{8}:[0-9a-f]{2}:|${TITLE}(?: \[[^\]]*\])? *,)`,
  'i',
);
const HEADER = new RegExp(`^${TITLE}(?: \\[[^\\]]*\\])? *,`, 'i');

/** The line without the name of a machine in front of it. */
export function withoutHost(line: string): string {
  return line.replace(PREFIX, '');
}

/** The line with the name of a machine in front of it as a cell of its own; null where there is none. */
export function hostAsCell(line: string): string | null {
  const found = PREFIX.exec(line);
  if (found === null) return null;
  const rest = line.slice(found[0].length);
  return `${HEADER.test(rest) ? 'hostname' : found[1]}, ${rest}`;
}
