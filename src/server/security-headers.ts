import type { ServerResponse } from 'node:http';

/**
 * The dashboard loads nothing from elsewhere and runs no script or style written into the page. Other sites may neither
 * read nor embed what is served; there is no CORS header anywhere.
 */
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; " +
    "frame-ancestors 'self'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** Sets them on the raw response, where they also reach streams and failures. */
export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
}
