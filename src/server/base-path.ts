/**
 * Path and query of a request, without the base path: everything is served both with it and without it, since some
 * proxies pass the prefix on and others strip it. `/gpulsex` is not below `/gpulse`. Also taken off are a second slash at
 * the start, which proxies produce where their own prefix ends with one, and the `http://host` of an absolute address.
 */
export function pathBelow(basePath: string, url: string): string {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '').replace(/^\/*/, '/');
  if (basePath === '' || !path.startsWith(basePath)) return path;
  const rest = path.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest.replace(/^\/+/, '/') : path;
}

/**
 * Where a request for the base path without the slash at its end is sent, query included; null for any other. Served
 * as it is, the page would take the last part of its own base for a place within it.
 */
export function redirectToBase(basePath: string, url: string): string | null {
  if (basePath === '') return null;
  const [path = '', ...query] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  if (path.replace(/^\/+/, '/') !== basePath) return null;
  return [`${basePath}/`, ...query].join('?');
}
