import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { AppError } from '../../model/errors.ts';
import { Engine } from './engine.ts';

let server: Server;

afterEach(() => {
  server.close();
});

/** What a question and a delivery come to where everything is answered like this. */
async function answered(
  status: number,
  text: string,
): Promise<{ readonly code: string; readonly text: string; readonly reason: string }> {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const engine = new Engine({
    writeUrl: url,
    queryUrl: url,
    credentials: { kind: 'none' },
    headers: {},
    timeoutMs: 5000,
  });
  const failure: unknown = await engine.query('up', 1000).catch((error: unknown) => error);
  if (!(failure instanceof AppError)) throw new Error('the answer was taken');
  const written = await engine.write(new Uint8Array(1), 1000);
  return { code: failure.code, text: failure.text('en'), reason: 'reason' in written ? written.reason : '' };
}

test.each([
  [204, '', 'HTTP 204'],
  [200, '', 'HTTP 200'],
  [200, '<html>\n<b>Welcome</b>', 'HTTP 200: <html> <b>Welcome</b>'],
  [200, '{"status":"success"}', 'HTTP 200: {"status":"success"}'],
  [200, '{"status":"success","data":{}}', 'HTTP 200: {"status":"success","data":{}}'],
])('HTTP %i with %j is not the answer of a Prometheus API', async (status, text, detail) => {
  const told = await answered(status, text);
  expect(told.code).toBe('HISTORY_ENGINE_FOREIGN');
  expect(told.text).toContain(`not that of a Prometheus API (${detail})`);
});

test('an answer steers no terminal, not even where JSON hides it', async () => {
  const told = await answered(404, 'no \u001b[31msuch\u0007 page');
  expect(told.reason).toBe('HTTP 404: no [31msuch page');
  expect(told.text).toContain('HTTP 404: no [31msuch page');
  server.close();
  const hidden = await answered(422, '{"status":"error","error":"bad \\u001b]0;x\\u0007 query"}');
  expect(hidden.text).toContain('HTTP 422: bad ]0;x query');
});
