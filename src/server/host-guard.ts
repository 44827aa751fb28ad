import { bareHost, isLoopback } from './listen-address.ts';

/** Says whether a request with this Host header is answered. */
export type HostGuard = (header: string | undefined) => boolean;

/**
 * Defence against DNS rebinding: a page on the web may point its own name at 127.0.0.1 and then read what is served
 * there as its own, but its requests carry its name. A loopback listener therefore answers only to loopback names, the
 * host it listens on and `allowedHosts`; any other listener only to those if `allowedHosts` are given. `*` allows all.
 * A request without a Host header does not come from a browser and is answered.
 */
export function createHostGuard(host: string, allowedHosts: readonly string[]): HostGuard {
  if (allowedHosts.includes('*') || (allowedHosts.length === 0 && !isLoopback(host))) return () => true;
  const known = new Set([host, ...allowedHosts].map(hostName));
  return (header) => {
    if (header === undefined || header === '') return true;
    const name = hostName(header);
    return known.has(name) || isLoopback(name);
  };
}

/** The name in `name:port`, `[::1]:port` or `::1`. */
function hostName(header: string): string {
  const withoutPort = /^(\[[^\]]*\]|[^:]*):\d*$/.exec(header)?.[1] ?? header;
  return bareHost(withoutPort);
}
