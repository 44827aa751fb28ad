import { expect, test } from 'vitest';
import { createHostGuard } from './host-guard.ts';

test('a loopback listener answers to loopback names and to those it was told', () => {
  const guard = createHostGuard('127.0.0.1', ['gpu.example.com', 'Proxy.lan:8443']);
  const check = (header: string | undefined, want: boolean) => expect(guard(header), header).toBe(want);
  check('127.0.0.1:9400', true);
  check('127.0.0.1', true);
  check('127.9.9.9:80', true);
  check('localhost:9400', true);
  check('LOCALHOST', true);
  check('[::1]:9400', true);
  check('[::1]', true);
  check('gpu.example.com', true);
  check('GPU.example.com.:443', true);
  check('proxy.lan', true);
  check(undefined, true);
  check('', true);
  check('evil.example', false);
  check('evil.example:9400', false);
  check('gpu.example.com.evil.example', false);
  check('127.0.0.1.evil.example', false);
  check('10.0.0.7:9400', false);
  check('localhost:9400:1', false);
  check('[::1', false);
  check('evil@127.0.0.1', false);
});

test('the configured host is allowed, whatever it is', () => {
  const guard = createHostGuard('gpu-node', ['other']);
  expect(guard('gpu-node:9400')).toBe(true);
  expect(guard('third')).toBe(false);
});

test('a listener others can reach answers to any name unless names are given', () => {
  expect(createHostGuard('0.0.0.0', [])('anything.example')).toBe(true);
  expect(createHostGuard('0.0.0.0', ['gpu'])('anything.example')).toBe(false);
  expect(createHostGuard('0.0.0.0', ['gpu'])('localhost')).toBe(true);
});

test('* switches it off', () => {
  expect(createHostGuard('127.0.0.1', ['*'])('evil.example')).toBe(true);
});
