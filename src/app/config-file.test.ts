import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { AppError } from '../model/errors.ts';
import { parseConfig } from './config-file.ts';
import { DEFAULT_NAMING } from './naming.ts';

function failure(text: string): string {
  try {
    parseConfig('g.yaml', text);
  } catch (error) {
    if (error instanceof AppError) return error.text('en');
    throw error;
  }
  throw new Error('it was taken');
}

test('an empty file changes nothing', () => {
  for (const text of ['', '# only a remark\n', 'metrics: {}\npush: {}\n']) {
    expect(parseConfig('g.yaml', text)).toEqual({ naming: DEFAULT_NAMING, sinks: [] });
  }
});

test('the example is valid, and so is everything that it explains', () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../gpulse.example.yaml'), 'utf8');
  expect(parseConfig('g.yaml', text)).toEqual({ naming: DEFAULT_NAMING, sinks: [] });
  const active = parseConfig('g.yaml', text.replaceAll(/^(\s*)#: /gm, '$1'));
  expect(active.sinks.map(({ kind }) => kind)).toEqual(['pushgateway', 'influx', 'remote-write', 'otlp']);
  expect(active.history).toMatchObject({
    writeUrl: 'http://127.0.0.1:8428/api/v1/write',
    queueBytes: 1e9,
    host: 'node-1',
  });
});

test('receivers get their addresses, tokens and places', () => {
  const { sinks } = parseConfig(
    'g.yaml',
    `push:
  influx: { url: 'http://db:8086/?org=me&bucket=gpus', token: secret, interval: 30s }
  remote-write: { url: 'https://me:p%40ss@tsdb/api/v1/write', labels: { cluster: a } }`,
  );
  expect(sinks[0]).toMatchObject({
    kind: 'influx',
    target: { org: 'me', bucket: 'gpus' },
    headers: { authorization: 'Token secret' },
    intervalMs: 30_000,
  });
  const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  expect(sinks[1]).toMatchObject({
    url: 'https://tsdb/api/v1/write',
    headers: { authorization },
    labels: { cluster: 'a' },
  });
});

test('what is wrong is said with its place, and a wrong key with the nearest right one', () => {
  const check = (text: string, part: string) => expect(failure(text)).toContain(part);
  check('metrics:\n  profile: [dcgm]\n', 'unknown key metrics.profile, did you mean profiles?');
  check('pushh: {}\n', 'unknown key pushh, did you mean push?');
  check('metrics: { dcgm: { hostlabel: x } }', 'unknown key metrics.dcgm.hostlabel, did you mean host-label?');
  check('push: { influx: { url: "http://x", bukket: 1 } }', 'unknown key push.influx.bukket');
  check('metrics: { profiles: [dgcm] }', 'metrics.profiles.0');
  check('push: { otlp: {} }', 'push.otlp.url');
  check('push: { otlp: { url: "ftp://x" } }', 'push.otlp.url');
  check('push: { otlp: { url: "http://x", interval: soon } }', 'push.otlp.interval');
  check('push: { influx: { url: "http://x:8086" } }', 'push.influx.url');
  check('a: [', 'g.yaml');
  check('- a\n- b\n', 'g.yaml');
});
