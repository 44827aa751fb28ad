import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { CATALOGUE } from '../model/catalogue.ts';
import { API_ROUTES } from './routes/all.ts';
import { TestServer } from './test-server.ts';
import { TestStream } from './test-stream.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<
    Record<string, { description: string; content: Record<string, { schema: Record<string, string> }> }>
  >;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, { readonly get?: Operation; post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

let server: TestServer;
let document: Document;

beforeAll(async () => {
  server = await TestServer.start();
  document = (await server.json('/api/openapi.json')).body as Document;
});

afterAll(() => server.close());

function operations(): [string, Operation][] {
  return Object.entries(document.paths).map(([path, { get, post }]) => [path, (get ?? post)!]);
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [String(inner)] : referencesIn(inner)));
}

/** A reader of the shape a component describes, made from the document alone. */
function readerOf(name: string): z.ZodType {
  const $defs = JSON.parse(JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'));
  return z.fromJSONSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', $ref: `#/$defs/${name}`, $defs });
}

describe('/api/openapi.json', () => {
  test('is OpenAPI 3.1, for any base path', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'gpulse', version: '1.2.3' } });
    expect(new URL(document.servers[0]!.url, 'http://node/gpulse/api/openapi.json').pathname).toBe('/gpulse/');
  });

  test('describes every route with every parameter, and nothing else', () => {
    expect(Object.keys(document.paths)).toEqual([
      '/api/v1/health',
      '/api/v1/gpus',
      '/api/v1/processes',
      '/api/v1/topology',
      '/api/v1/metrics',
      '/api/v1/host',
      '/api/v1/series',
      '/api/v1/events',
      '/api/v1/findings',
      '/api/v1/stream',
      '/api/v1/release',
      '/api/v1/resume',
      '/api/openapi.json',
    ]);
    const described = operations().map(([path, { parameters }]) => [path, parameters.map(({ name }) => name)]);
    expect(described).toEqual(API_ROUTES.map(({ path, query }) => [path, Object.keys(query.shape)]));
  });

  test('names each operation once and says what each parameter takes', () => {
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [path, { parameters, summary }] of operations()) {
      expect(summary, path).not.toBe('');
      for (const parameter of parameters) {
        expect(parameter, path).toMatchObject({ in: 'query', description: expect.stringMatching(/\(.+\)$/) });
        expect(parameter.schema, `${path} ${parameter.name}`).toHaveProperty('type');
        expect(parameter.schema).not.toHaveProperty('anyOf');
      }
    }
  });

  test('gives bounds, defaults and choices', () => {
    const series = document.paths['/api/v1/series']?.get?.parameters;
    const schema = (name: string) => series?.find((parameter) => parameter.name === name)?.schema;
    expect(schema('points')).toEqual({ type: 'integer', minimum: 1, maximum: 11_000, default: 500 });
    expect(schema('lang')).toEqual({ type: 'string', enum: ['en', 'zh'] });
    expect(schema('metric')).toEqual({ type: 'array', items: { type: 'string', enum: CATALOGUE.map(({ id }) => id) } });
  });

  test('every reference leads somewhere', () => {
    const references = new Set(referencesIn(document));
    expect(references.size).toBeGreaterThan(5);
    for (const reference of references) {
      const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(reference) ?? [];
      expect(document.components.schemas).toHaveProperty(name ?? reference);
    }
  });

  test('describes each failure as the error shape, and those that were seen', () => {
    for (const [, { responses }] of operations()) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '403', '405', '500']));
      for (const [status, { description, content }] of Object.entries(responses)) {
        expect(description).not.toBe('');
        if (status !== '200') {
          expect(content).toEqual({ 'application/json': { schema: { $ref: '#/components/schemas/Error' } } });
        }
      }
    }
    expect(document.paths['/api/v1/series']?.get?.responses['404']?.description).toBe('UNKNOWN_GPU');
    expect(document.paths['/api/v1/stream']?.get?.responses['503']?.description).toBe('TOO_MANY_STREAMS, STREAM_ENDED');
  });

  test.each([
    ['Health', '/api/v1/health'],
    ['Gpus', '/api/v1/gpus'],
    ['Processes', '/api/v1/processes'],
    ['Topology', '/api/v1/topology'],
    ['Metrics', '/api/v1/metrics'],
    ['Series', '/api/v1/series?metric=power_watts'],
    ['Events', '/api/v1/events'],
    ['Findings', '/api/v1/findings'],
    ['Error', '/api/v1/nope'],
  ])('the shape %s is what %s answers', async (name, path) => {
    const shape = readerOf(name);
    expect(shape.safeParse((await server.json(path)).body).error).toBeUndefined();
    expect(shape.safeParse({}).success).toBe(false);
  });

  test('the shapes of the stream are what it sends', async () => {
    const stream = await TestStream.open(server.port);
    await server.tick([]);
    const [snapshot, tick] = await stream.take(2);
    stream.drop();
    expect(readerOf('Gpus').safeParse(snapshot?.data).error).toBeUndefined();
    expect(readerOf('TickMessage').safeParse(tick?.data).error).toBeUndefined();
    const compact = await TestStream.open(server.port, { query: '?form=compact' });
    const [first] = await compact.take(1);
    compact.drop();
    expect(readerOf('CompactGpus').safeParse(first?.data).error).toBeUndefined();
    expect(readerOf('Gpus').safeParse(first?.data).success).toBe(false);
  });
});
