import { expect, test } from 'vitest';
import { AppError } from '../model/errors.ts';
import { parseConfig } from './config-file.ts';
import { type EngineConfig, engineAt } from './history-config.ts';

function engine(yaml: string): EngineConfig | undefined {
  return parseConfig('g.yaml', `history: ${yaml}`).history;
}

function failure(yaml: string): string {
  try {
    engine(yaml);
  } catch (error) {
    if (error instanceof AppError) return error.text('en');
    throw error;
  }
  throw new Error('it was taken');
}

const URLS =
  'writeUrl: "http://w:8480/insert/0/prometheus/api/v1/write", queryUrl: "http://r:8481/select/0/prometheus/"';

test('the history stays on this host unless an engine is named', () => {
  for (const yaml of ['', '{}', '{ engine: embedded }', '{ queue: 2GB }']) expect(engine(yaml)).toBeUndefined();
});

test('an engine has two addresses, or one that both are made of', () => {
  const usual = {
    host: null,
    labels: {},
    queueBytes: 1e9,
    timeoutMs: 10_000,
    headers: {},
    credentials: { kind: 'none' },
  };
  expect(engine(`{ engine: prometheus, ${URLS} }`)).toEqual({
    ...usual,
    writeUrl: 'http://w:8480/insert/0/prometheus/api/v1/write',
    queryUrl: 'http://r:8481/select/0/prometheus',
  });
  const one = { ...usual, writeUrl: 'http://tsdb:8428/api/v1/write', queryUrl: 'http://tsdb:8428' };
  expect(engine('{ engine: prometheus, url: "http://tsdb:8428/" }')).toEqual(one);
  expect(engineAt('--history-url', 'http://tsdb:8428')).toEqual(one);
  // As people copy it from what Grafana asks for.
  expect(engine(`{ engine: prometheus, writeUrl: "http://w/x", queryUrl: "http://r/api/v1" }`)?.queryUrl).toBe(
    'http://r',
  );
});

test('limits, labels and headers', () => {
  const settings = 'host: node-1, labels: { cluster: lab }, queue: 500MB, timeout: 5s, headers: { X-Scope-OrgID: lab }';
  expect(engine(`{ engine: prometheus, ${URLS}, ${settings} }`)).toMatchObject({
    host: 'node-1',
    labels: { cluster: 'lab' },
    queueBytes: 5e8,
    timeoutMs: 5000,
    headers: { 'X-Scope-OrgID': 'lab' },
  });
});

test('secrets: themselves, their files, or variables; a password never stays in an address', () => {
  const credentials = (yaml: string) => engine(`{ engine: prometheus, ${URLS}, ${yaml} }`)?.credentials;
  process.env['GPULSE_TEST_TOKEN'] = 'from the environment';
  expect(credentials('token: t')).toEqual({ kind: 'bearer', token: { text: 't' } });
  expect(credentials('tokenFile: /run/token')).toEqual({ kind: 'bearer', token: { file: '/run/token' } });
  expect(credentials('tokenEnv: GPULSE_TEST_TOKEN')).toEqual({
    kind: 'bearer',
    token: { text: 'from the environment' },
  });
  expect(credentials('username: me, passwordFile: /run/password')).toEqual({
    kind: 'basic',
    username: 'me',
    password: { file: '/run/password' },
  });
  const { writeUrl, queryUrl, headers } = engine('{ engine: prometheus, url: "https://me:s%C3%A4cret@tsdb" }')!;
  expect([writeUrl, queryUrl]).toEqual(['https://tsdb/api/v1/write', 'https://tsdb']);
  expect(headers).toEqual({ authorization: `Basic ${Buffer.from('me:säcret').toString('base64')}` });
});

test('what is wrong is said with its place', () => {
  const check = (yaml: string, part: string) => expect(failure(yaml)).toContain(part);
  check('{ engine: prometheus }', 'history.writeUrl');
  check('{ engine: prometheus, writeUrl: "http://w" }', 'history.queryUrl');
  check('{ engine: prometheus, url: "tsdb:8428" }', 'history.writeUrl');
  check(`{ ${URLS} }`, 'history.engine');
  check('{ engine: influx }', 'history.engine');
  check('{ timeout: banana }', 'history.timeout');
  check('{ engine: embedded, queue: lots }', 'history.queue');
  check('{ token: a, tokenFile: b }', 'history.token');
  check(`{ engine: prometheus, ${URLS}, writeurl: x }`, 'unknown key history.writeurl, did you mean writeUrl?');
  check(`{ engine: prometheus, ${URLS}, queue: 5 }`, 'history.queue');
  check(`{ engine: prometheus, ${URLS}, timeout: 5m }`, 'history.timeout');
  check(`{ engine: prometheus, ${URLS}, labels: { host: a } }`, 'history.labels');
  check(`{ engine: prometheus, ${URLS}, labels: { "a b": c } }`, 'history.labels');
  check(`{ engine: prometheus, ${URLS}, token: a, tokenFile: b }`, 'history.token');
  check(`{ engine: prometheus, ${URLS}, token: a, username: b }`, 'history.token');
  check(`{ engine: prometheus, ${URLS}, username: b }`, 'history.password');
  check(`{ engine: prometheus, ${URLS}, password: b }`, 'history.username');
  check(`{ engine: prometheus, ${URLS}, tokenEnv: GPULSE_NOT_SET }`, 'history.tokenEnv');
  process.env['GPULSE_TEST_LINES'] = 'one\ntwo';
  check(`{ engine: prometheus, ${URLS}, tokenEnv: GPULSE_TEST_LINES }`, 'history.tokenEnv does not take');
});
