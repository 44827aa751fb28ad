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
