import { expect, test } from 'vitest';
import { pathBelow, redirectToBase } from './base-path.ts';

test('pathBelow takes off the prefix only where it is whole', () => {
  const check = (url: string, want: string, basePath = '/gpulse') => expect(pathBelow(basePath, url), url).toBe(want);
  check('/gpulse', '/');
  check('/gpulse/', '/');
  check('/gpulse?lang=zh', '/?lang=zh');
  check('/gpulse/api/v1/gpus?lang=zh', '/api/v1/gpus?lang=zh');
  check('/api/v1/gpus', '/api/v1/gpus');
  check('/', '/');
  check('', '/');
  check('?x=1', '/?x=1');
  check('*', '/*');
  check('/gpulsex', '/gpulsex');
  check('/gpulse/gpulse', '/gpulse');
  check('/tools/gpulse/gpu/1', '/gpu/1', '/tools/gpulse');
  check('/gpulse/api', '/gpulse/api', '');
  check('//api/v1/gpus', '/api/v1/gpus');
  check('//gpulse//api/v1/gpus', '/api/v1/gpus');
  check('/gpulse//evil.example', '/evil.example');
  check('http://node:9400/gpulse/api?a=//b', '/api?a=//b');
  check('HTTPS://node', '/');
  check('/?next=http://node/', '/?next=http://node/');
});

test('redirectToBase adds the slash to the base path, and to nothing else', () => {
  const check = (url: string, want: string | null, basePath = '/gpulse') =>
    expect(redirectToBase(basePath, url), url).toBe(want);
  check('/gpulse', '/gpulse/');
  check('/gpulse?lang=zh', '/gpulse/?lang=zh');
  check('/gpulse?a=?&b', '/gpulse/?a=?&b');
  check('//gpulse', '/gpulse/');
  check('http://evil.example/gpulse', '/gpulse/');
  check('/tools/gpulse', '/tools/gpulse/', '/tools/gpulse');
  check('/gpulse/', null);
  check('/gpulsex', null);
  check('/gpulse/gpulse', null);
  check('/', null);
  check('/', null, '');
  check('', null, '');
});
