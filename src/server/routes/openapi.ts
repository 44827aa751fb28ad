import * as z from 'zod';
import { openApiDocument } from '../openapi.ts';
import { langParameter } from '../query/parameter.ts';
import { defineRoute, type Route } from '../route.ts';

/** Describes `others` and itself. */
export function openApiRoute(others: readonly Route[]): Route {
  let text: string | null = null;
  const route: Route = defineRoute({
    path: '/api/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This description',
    contentType: 'application/json',
    query: z.strictObject({ lang: langParameter }),
    response: z.unknown(),
    errors: [],
    async handle({ reader, viewer }) {
      text ??= JSON.stringify(openApiDocument([...others, route], (await reader.status(viewer)).version));
      return text;
    },
  });
  return route;
}
