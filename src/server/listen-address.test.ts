import { expect, test } from 'vitest';
import { dashboardUrl, isLoopback } from './listen-address.ts';

test('isLoopback knows what only this machine can reach', () => {
  const check = (host: string, want: boolean) => expect(isLoopback(host), host).toBe(want);
  check('127.0.0.1', true);
  check('127.255.255.254', true);
  check('::1', true);
  check('[::1]', true);
  check('0:0:0:0:0:0:0:1', true);
  check('::ffff:127.0.0.1', true);
  check('localhost', true);
  check('LocalHost.', true);
  check('gpulse.localhost', true);
  check('', false);
  check('0.0.0.0', false);
  check('::', false);
  check('[::]', false);
  check('128.0.0.1', false);
  check('10.0.0.7', false);
  check('::ffff:10.0.0.7', false);
  check('fe80::1', false);
  check('localhost.example.com', false);
  check('127.0.0.1.example.com', false);
  check('127.1', false);
  check('gpu-node', false);
});

test('dashboardUrl is an address a browser on this machine can open', () => {
  const check = (host: string, basePath: string, want: string) => expect(dashboardUrl(host, 9400, basePath)).toBe(want);
  check('127.0.0.1', '', 'http://127.0.0.1:9400/');
  check('localhost', '/gpulse', 'http://localhost:9400/gpulse/');
  check('::1', '', 'http://[::1]:9400/');
  check('0.0.0.0', '', 'http://127.0.0.1:9400/');
  check('', '', 'http://127.0.0.1:9400/');
  check('::', '', 'http://[::1]:9400/');
  check('10.0.0.7', '/a/b', 'http://10.0.0.7:9400/a/b/');
});
