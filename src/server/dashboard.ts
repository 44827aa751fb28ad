import { readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../model/errors.ts';
import { redirectToBase } from './base-path.ts';
import { notFound } from './failure.ts';
import { requestLanguage } from './language.ts';

/** Addresses below these are never places of the dashboard, so a wrong one is a 404 and not a page. */
const NOT_A_PLACE = /^\/(?:api|metrics|assets)(?:\/|$)/;

/** The places that the page knows, as in `web/src/state/place.ts`; whether there is such a GPU only the page can tell. */
const PLACE = /^\/(?:about|findings|gpu\/[^/]+)?$/;

/** As the page is built; every address in it is relative to this. */
const BASE_TAG = /<base href="\/"\s*\/?>/;

interface DashboardOptions {
  /** Folder of the built dashboard; null where it has not been built. */
  readonly webRoot: string | null;
  readonly basePath: string;
}

/**
 * Serves the built dashboard. Its places (`/gpu/…`, `/findings`) are all the same page, and so is one that it does not know,
 * as a 404: a scraper with a wrong path is told so, and people read it in the page. Files in `assets/` carry a hash of
 * their content in their name and may be kept for ever; all else is asked for anew.
 */
export function registerDashboard(app: FastifyInstance, { webRoot, basePath }: DashboardOptions): void {
  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8');
    const page = webRoot === null ? null : await readPage(webRoot);
    if (page === null) return reply.code(503).send(placeholder(request));
    return reply.send(page.replace(BASE_TAG, `<base href="${basePath}/">`));
  };
  app.get('/', (request, reply) => {
    const target = redirectToBase(basePath, request.originalUrl);
    if (target === null) return sendPage(request, reply);
    return reply.header('cache-control', 'no-cache').redirect(target);
  });
  app.get('/index.html', sendPage);
  app.setNotFoundHandler((request, reply) => {
    if (isForPeople(request)) return sendPage(request, PLACE.test(pathOf(request)) ? reply : reply.code(404));
    throw notFound(request);
  });
  if (webRoot === null) return;
  const hashed = resolve(webRoot, 'assets') + sep;
  app.register(fastifyStatic, {
    root: webRoot,
    index: false,
    dotfiles: 'ignore',
    cacheControl: false,
    etag: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', path.startsWith(hashed) ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}

/** The page as it is now, so that a rebuilt dashboard is served at once; null where there is none. */
async function readPage(webRoot: string): Promise<string | null> {
  try {
    return await readFile(join(webRoot, 'index.html'), 'utf8');
  } catch {
    return null;
  }
}

/** True where a browser asks for a page, rather than a script or image that is missing. */
function isForPeople(request: FastifyRequest): boolean {
  const path = pathOf(request);
  if (NOT_A_PLACE.test(path)) return false;
  const hasExtension = /\.\w+$/.test(path);
  return !hasExtension || (request.headers.accept ?? '').includes('text/html');
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

function placeholder(request: FastifyRequest): string {
  const lang = requestLanguage(request);
  const failure = new AppError('DASHBOARD_NOT_BUILT');
  return (
    `<!doctype html><html lang="${lang}"><meta charset="utf-8"><title>gpulse</title>` +
    `<h1>${failure.text(lang)}</h1><p>${failure.hint(lang)}</p></html>`
  );
}
