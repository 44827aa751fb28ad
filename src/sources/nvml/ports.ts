import type { NvLink } from '../../model/tick.ts';

const lists = new WeakMap<readonly NvLink[], readonly number[]>();

/** The numbers of these NVLink ports: one list for one list of ports, which is never changed. */
export function portsOf(links: readonly NvLink[]): readonly number[] {
  const known = lists.get(links);
  if (known !== undefined) return known;
  const ports = links.map(({ link }) => link);
  lists.set(links, ports);
  return ports;
}
