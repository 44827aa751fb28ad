import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * True for a host that only this machine can reach: 127.0.0.0/8 (IPv4-mapped too), ::1, `localhost` and the names below
 * it. Any other name counts as reachable, whatever it may resolve to, and so does the empty one, which means everywhere.
 */
export function isLoopback(host: string): boolean {
  const name = bareHost(host);
  const family = isIP(name);
  if (family !== 0) return LOOPBACK.check(name, family === 6 ? 'ipv6' : 'ipv4');
  return name === 'localhost' || name.endsWith('.localhost');
}

/** A host without brackets, in lower case and without the dot that may end a full name. */
export function bareHost(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** Address of the dashboard for a browser on this machine; a listener on every address is reached by loopback. */
export function dashboardUrl(host: string, port: number, basePath: string): string {
  const name = bareHost(host);
  const reachable = name === '' || name === '0.0.0.0' ? '127.0.0.1' : name === '::' ? '::1' : name;
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}${basePath}/`;
}
