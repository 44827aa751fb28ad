import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { errorSchema } from '../model/api.ts';
import { AppError } from '../model/errors.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let normalSeries: TestServer['reader']['onSeries'];

beforeAll(async () => {
  server = await TestServer.start({ allowedHosts: ['gpu.example.com'] });
  normalSeries = server.reader.onSeries;
});

afterAll(() => server.close());

afterEach(() => {
  server.reader.onSeries = normalSeries;
});

async function failure(path: string, init: RequestInit = {}) {
  const response = await server.fetch(path, init);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return { status: response.status, headers: response.headers, ...errorSchema.parse(await response.json()).error };
}

/** Whatever the server says to these bytes until it closes the connection, or half a second has passed. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(server.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (piece) => (answer += piece));
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
    socket.setTimeout(500, () => socket.destroy());
    socket.write(bytes);
  });
}

async function isAlive(): Promise<boolean> {
  return (await server.fetch('/api/v1/gpus')).status === 200;
}

describe('a bad query is a 400 that names the parameter, what was given and what is expected', () => {
  const S = '/api/v1/series?metric=power_watts&';
  test.each([
    [`${S}points=0`, 'points', '"0"', '1…11000'],
    [`${S}points=11001`, 'points', '"11001"', '1…11000'],
    [`${S}points=-1`, 'points', '"-1"', '1…11000'],
    [`${S}points=5.5`, 'points', '"5.5"', '1…11000'],
    [`${S}points=1e3`, 'points', '"1e3"', '1…11000'],
    [`${S}points=NaN`, 'points', '"NaN"', '1…11000'],
    [`${S}points=`, 'points', '""', '1…11000'],
    [`${S}points=5&points=6`, 'points', '"5&6"', '1…11000'],
    [`${S}from=NaN`, 'from', '"NaN"', 'epoch milliseconds'],
    [`${S}from=99999999999999999999`, 'from', '"99999999999999999999"', 'epoch milliseconds'],
    [`${S}from=2026-01-31T12:00:00`, 'from', '"2026-01-31T12:00:00"', 'epoch milliseconds'],
    [`${S}to=tomorrow`, 'to', '"tomorrow"', 'epoch milliseconds'],
    [`${S}to=`, 'to', '""', 'epoch milliseconds'],
    [`${S}lang=fr`, 'lang', '"fr"', 'en | zh'],
    [`/api/v1/series?metric=${Array.from({ length: 33 }, (_, i) => `m${i}`)}`, 'metric', '"m0,m1', '1…32'],
    ['/api/v1/events?limit=0', 'limit', '"0"', '1…10000'],
    ['/api/v1/events?limit=10001', 'limit', '"10001"', '1…10000'],
    [`${S}gpu=`, 'gpu', '""', 'all | host | uuid[,uuid…] | index[,index…]'],
    ['/api/v1/events?gpu=', 'gpu', '""', 'all | uuid | index'],
    ['/api/v1/events?gpu=0&gpu=1', 'gpu', '"0&1"', 'all | uuid | index'],
    ['/api/v1/stream?lastEventId=1&lastEventId=2', 'lastEventId', '"1&2"', 'id'],
  ])('%s', async (path, parameter, given, expected) => {
    const { status, code, message, hint } = await failure(path);
    expect([status, code]).toEqual([400, 'BAD_QUERY']);
    expect(message).toContain(`${parameter} does not take`);
    expect(message).toContain(given);
    expect(hint).toContain(`expected: `);
    expect(hint).toContain(expected);
  });

  test.each([
    ['from=now', 'now', 'now'],
    ['from=now&to=-1h', 'now', '-1h'],
    ['from=-1m&to=-2m', '-1m', '-2m'],
    ['from=0&to=0', '0', '0'],
    ['to=0', '1970-01-01T00:00:00.000Z', '0'],
  ])('%s is empty, which is said with what was written', async (query, from, to) => {
    for (const path of [`${S}${query}`, `/api/v1/events?${query}`]) {
      expect(await failure(path)).toMatchObject({
        ...{ status: 400, code: 'BAD_QUERY' },
        message: `the query is not valid: from=${from} is not before to=${to}`,
      });
      expect((await failure(`${path}&lang=zh`)).message).toBe(`查询无效：from=${from} 不早于 to=${to}`);
    }
  });

  test.each(['', '?metric=', '?metric=,,'])('series%s lacks its metric', async (query) => {
    expect(await failure(`/api/v1/series${query}`)).toMatchObject({
      status: 400,
      code: 'MISSING_PARAMETER',
      message: 'the query is not complete: metric is missing',
      hint: expect.stringContaining('expected: metric=metric[,metric…], 1…32;'),
    });
  });

  test.each([
    [`${S}foo=bar`, 'foo', 'metric, gpu, from, to, points, lang'],
    [`${S}points[]=5`, 'points[]', 'metric, gpu, from, to, points, lang'],
    [`${S}__proto__=x`, '__proto__', 'metric, gpu'],
    [`${S}constructor=x`, 'constructor', 'metric, gpu'],
    [`${S}Points=5`, 'Points', 'metric, gpu'],
    ['/api/v1/events?step=5', 'step', 'from, to, gpu, limit, lang'],
    ['/api/v1/gpus?gpu=0', 'gpu', 'lang'],
    ['/api/v1/health?x', 'x', 'lang'],
    ['/api/openapi.json?format=yaml', 'format', 'lang'],
  ])('%s has a parameter that is not known', async (path, parameter, known) => {
    expect(await failure(path)).toMatchObject({
      status: 400,
      code: 'UNKNOWN_PARAMETER',
      message: `the query is not valid: there is no parameter "${parameter}" here`,
      hint: expect.stringContaining(`known: ${known}`),
    });
  });

  test.each([
    [`${S}from=x`, '应为：毫秒时间戳 | 2026-01-31T12:00:00Z | now | -15m | -1h30m | all；'],
    [`${S}gpu=`, '应为：all | host | UUID[,UUID…] | 序号[,序号…]；'],
    ['/api/v1/events?gpu=', '应为：all | UUID | 序号；'],
    ['/api/v1/series?', '应为：metric=指标[,指标…]，1…32 个；'],
    ['/api/v1/series?metric=power_wats', '是否想用 power_watts？全部指标见 docs/metrics.md'],
    ['/api/v1/series?metric=foo', '全部指标见 docs/metrics.md'],
  ])('%s is explained in Chinese', async (path, hint) => {
    const answer = await failure(path, { headers: { 'accept-language': 'zh' } });
    expect(answer.hint.startsWith(hint)).toBe(true);
  });

  test('a long value is cut in the answer', async () => {
    const { message } = await failure(`${S}from=${'x'.repeat(5000)}`);
    expect(message.length).toBeLessThan(300);
  });

  test('names are looked up, with what may have been meant', async () => {
    expect(await failure('/api/v1/series?metric=utilisation_ratio')).toMatchObject({
      status: 400,
      code: 'UNKNOWN_METRIC',
      message: 'there is no metric "utilisation_ratio"',
      hint: expect.stringContaining('did you mean utilization_ratio?'),
    });
    const { hint } = await failure('/api/v1/series?metric=foo');
    expect(hint).toBe('all metrics are listed in docs/metrics.md');
    expect(await failure(`${S}gpu=9`)).toMatchObject({ status: 404, code: 'UNKNOWN_GPU' });
    expect(await failure('/api/v1/events?gpu=9')).toMatchObject({ status: 404, code: 'UNKNOWN_GPU' });
  });
});

test('whatever query is sent, the answer is JSON, known and never a fault', async () => {
  const names = fc.constantFrom('metric', 'gpu', 'from', 'to', 'points', 'limit', 'lang', '__proto__', 'toString');
  const values = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('power_watts', 'all', 'now', '-15m', '0', '500', 'NaN', '-1e99', '%00', '\u0000', '2026-01-01'),
    fc.integer().map(String),
    fc.double().map(String),
  );
  const encode = fc.constantFrom(encodeURIComponent, (text: string) => text.replace(/[^\w%&=,.-]/g, '+'));
  const query = fc
    .array(fc.tuple(fc.oneof(names, fc.string({ maxLength: 10 })), values, encode), { maxLength: 6 })
    .map((pairs) => pairs.map(([name, value, how]) => `${how(name)}=${how(value)}`).join('&'));
  const path = fc.constantFrom('health', 'gpus', 'series', 'events');
  await fc.assert(
    fc.asyncProperty(path, query, async (route, text) => {
      const response = await server.fetch(`/api/v1/${route}?${text}`);
      expect([200, 400, 404]).toContain(response.status);
      const body: unknown = await response.json();
      if (response.status !== 200) errorSchema.parse(body);
    }),
    { numRuns: 300 },
  );
  expect(server.log).toEqual([]);
  expect(await isAlive()).toBe(true);
});

describe('what does not exist', () => {
  test.each(['/api/v1/nope', '/api', '/api/v1/gpus/0', '/metrics', '/assets/gone.js', '/favicon.ico'])(
    '%s is a 404',
    async (path) => {
      expect(await failure(path)).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
        message: `there is nothing at ${path}`,
      });
    },
  );

  test('is said in the language of the browser', async () => {
    const { message } = await failure('/api/v1/nope', { headers: { 'accept-language': 'zh-CN' } });
    expect(message).toBe('/api/v1/nope 不存在');
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])('%s is not allowed', async (method) => {
    for (const path of ['/api/v1/gpus', '/', '/nowhere']) {
      const answer = await failure(path, { method });
      expect(answer).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
  });

  test('the body of a request is not read', async () => {
    const body = new Uint8Array(8 * 1024 * 1024);
    const answer = await failure('/api/v1/gpus', { method: 'POST', body }).catch(() => null);
    expect(answer === null || answer.status === 405).toBe(true);
    expect(await isAlive()).toBe(true);
  });
});

describe('what is not HTTP', () => {
  const HOST = 'Host: localhost\r\nConnection: close\r\n';
  test.each([
    ['an escape that is none in the path', `GET /%zz HTTP/1.1\r\n${HOST}\r\n`, 400, 'BAD_REQUEST'],
    ['an escape that is none in the query', `GET /api/v1/gpus?%zz HTTP/1.1\r\n${HOST}\r\n`, 400, 'UNKNOWN_PARAMETER'],
    ['a zero byte', `GET /a\u0000b HTTP/1.1\r\n${HOST}\r\n`, 400, 'BAD_REQUEST'],
    ['nonsense', 'nonsense\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001', 400, 'BAD_REQUEST'],
    ['another version', 'GET / HTTP/9.9\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a length that is no number', `GET / HTTP/1.1\r\n${HOST}Content-Length: x\r\n\r\n`, 400, 'BAD_REQUEST'],
    ['a long address', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`, 431, 'REQUEST_TOO_LARGE'],
    ['a long header', `GET / HTTP/1.1\r\n${HOST}X: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'REQUEST_TOO_LARGE'],
    ['an absolute address', `GET http://localhost/api/v1/nope HTTP/1.1\r\n${HOST}\r\n`, 404, 'NOT_FOUND'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400, 'BAD_REQUEST'],
    ['two hosts', `GET / HTTP/1.1\r\n${HOST}hOST: localhost\r\n\r\n`, 400, 'BAD_REQUEST'],
  ])('%s is answered', async (_name, bytes, status, code) => {
    const answer = await raw(bytes);
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    expect(errorSchema.parse(JSON.parse(body)).error.code).toBe(code);
    expect(await isAlive()).toBe(true);
  });

  test.each([
    ['GET /%zz HTTP/1.1', HOST, 'its address cannot be decoded', '地址无法解码'],
    ['FOO / HTTP/1.1', HOST, 'its method is unknown', '请求方法未知'],
    ['GET / HTTP/9.9', HOST, 'its version is not HTTP/1.0 or HTTP/1.1', '版本不是 HTTP/1.0 或 HTTP/1.1'],
    ['GET / HTTP/1.1', `${HOST}Content-Length: x\r\n`, 'the length of its body is not clear', '正文长度不明'],
    ['GET / HTTP/1.1', `${HOST}a b: c\r\n`, 'its headers cannot be read', '请求头无法解析'],
    ['GET / HTTP/1.1', `${HOST}Host: evil.example\r\n`, 'it has more than one Host header', '有多个 Host 请求头'],
    ['GET / HTTP/1.1', 'Connection: close\r\n', 'it has no Host header', '缺少 Host 请求头'],
  ])('%j with %j is explained in plain words of both languages', async (line, headers, en, zh) => {
    const ask = async (lang: string) => {
      const answer = await raw(`${line}\r\nAccept-Language: ${lang}\r\n${headers}\r\n`);
      expect(answer).not.toMatch(/FST_|HPE_|ERR_/);
      return errorSchema.parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).error.message;
    };
    expect(await ask('en')).toBe(`this is not a valid HTTP request: ${en}`);
    expect(await ask('zh-CN')).toBe(`不是有效的 HTTP 请求：${zh}`);
  });

  test('a connection that says nothing or breaks off harms nobody', async () => {
    await Promise.all([raw(''), raw('GET /api/v1/g'), raw('\r\n')]);
    expect(await isAlive()).toBe(true);
  });
});

describe('the Host header', () => {
  const get = (host: string, path = '/api/v1/gpus') =>
    raw(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);

  test.each(['localhost', 'localhost:1234', '127.0.0.1', '[::1]:80', 'gpu.example.com', 'GPU.EXAMPLE.COM:443'])(
    '%s is answered',
    async (host) => {
      expect(await get(host)).toContain('HTTP/1.1 200 OK');
    },
  );

  test.each(['evil.example', 'evil.example:9400', '10.0.0.7', 'gpu.example.com.evil.example'])(
    '%s is refused, whatever is asked for',
    async (host) => {
      for (const path of ['/api/v1/gpus', '/api/v1/stream', '/', '/nowhere']) {
        const answer = await get(host, path);
        expect(answer).toContain('HTTP/1.1 403 Forbidden');
        expect(answer).toContain('HOST_NOT_ALLOWED');
        expect(answer).not.toContain('GPU-0');
      }
    },
  );

  test('HTTP/1.0 without one is answered', async () => {
    expect(await raw('GET /api/v1/gpus HTTP/1.0\r\n\r\n')).toContain('200 OK');
  });
});

describe('a failure inside', () => {
  test('is masked for the client and logged once, without the query', async () => {
    server.reader.onSeries = () => Promise.reject(new Error('ENOENT: /home/secret/history.db'));
    const path = '/api/v1/series?metric=power_watts&gpu=0';
    const first = await failure(path);
    const second = await failure(path);
    expect(first).toMatchObject({ status: 500, code: 'INTERNAL' });
    expect(JSON.stringify(first)).not.toContain('secret');
    expect(second.message).toBe(first.message);
    const id = /#[0-9a-f]{6}/.exec(first.message)?.[0];
    expect(server.log.splice(0)).toEqual([
      expect.stringMatching(`^gpulse: fault ${id} in GET /api/v1/series: Error: ENOENT: /home/secret/history.db`),
    ]);
  });

  test('one that was foreseen keeps its words', async () => {
    server.reader.onSeries = () => Promise.reject(new AppError('HISTORY_UNUSABLE', { path: '/data', detail: 'x' }));
    expect(await failure('/api/v1/series?metric=power_watts')).toMatchObject({ status: 503, code: 'HISTORY_UNUSABLE' });
    expect(server.log).toEqual([]);
  });

  test('an INTERNAL that comes from a worker is masked as well', async () => {
    server.reader.onSeries = () => Promise.reject(new AppError('INTERNAL', { detail: '/home/secret' }));
    const answer = await failure('/api/v1/series?metric=power_watts');
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(server.log.splice(0)).toHaveLength(1);
  });
});

describe('a history that hangs', () => {
  test('fills the queue, is refused with BUSY, and everything else goes on', async () => {
    const hanging = Promise.withResolvers<never>();
    server.reader.onSeries = () => hanging.promise;
    const before = server.reader.seriesQueries.length;
    const path = '/api/v1/series?metric=power_watts';
    const refused: Awaited<ReturnType<typeof failure>>[] = [];
    const waiting = Array.from({ length: 70 }, async () => refused.push(await failure(path)));
    await expect.poll(() => refused.length).toBe(4);
    expect(refused[0]).toMatchObject({ status: 503, code: 'BUSY' });
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect(server.reader.seriesQueries.length - before).toBe(2);
    expect((await failure('/api/v1/events')).code).toBe('BUSY');
    expect(await isAlive()).toBe(true);
    await server.clock.advance(30_000);
    await Promise.all(waiting);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['BUSY']));
    hanging.reject(new AppError('BUSY'));
    server.reader.onSeries = normalSeries;
    await expect.poll(async () => (await server.fetch(path)).status).toBe(200);
  });
});
