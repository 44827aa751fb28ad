import { describe, expect, test } from 'vitest';
import { AppError } from '../model/errors.ts';
import { parseBasePath, parseListen, parseSpeed } from './config.ts';
import { parseInterval } from './interval.ts';
import { parseSource } from './open-source.ts';

/** The result, or the code of the AppError it threw. */
function attempt<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe('--listen', () => {
  test.each([
    ['127.0.0.1:9400', { host: '127.0.0.1', port: 9400 }],
    ['localhost:80', { host: 'localhost', port: 80 }],
    [':9400', { host: '127.0.0.1', port: 9400 }],
    ['9400', { host: '127.0.0.1', port: 9400 }],
    ['[::1]:9400', { host: '::1', port: 9400 }],
    ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
    ['localhost', 'BAD_OPTION'],
    ['localhost:', 'BAD_OPTION'],
    ['localhost:65536', 'BAD_OPTION'],
    ['a:b:1', 'BAD_OPTION'],
    ['', 'BAD_OPTION'],
  ])('%s', (value, want) => expect(attempt(() => parseListen(value))).toEqual(want));
});

describe('--interval', () => {
  test.each([
    ['1s', 1000],
    ['1', 1000],
    ['0.5', 500],
    ['500ms', 500],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['0', 'BAD_OPTION'],
    ['50ms', 'BAD_OPTION'],
    ['2h', 'BAD_OPTION'],
    ['-1s', 'BAD_OPTION'],
    ['fast', 'BAD_OPTION'],
    ['', 'BAD_OPTION'],
  ])('%s', (value, want) => expect(attempt(() => parseInterval('--interval', value))).toBe(want));
});

describe('--speed', () => {
  test.each([
    ['max', Number.POSITIVE_INFINITY],
    ['1', 1],
    ['0.5', 0.5],
    ['0', 'BAD_OPTION'],
    ['-2', 'BAD_OPTION'],
    ['x', 'BAD_OPTION'],
  ])('%s', (value, want) => expect(attempt(() => parseSpeed(value))).toBe(want));
});

describe('--base-path', () => {
  test.each([
    ['/', ''],
    ['', ''],
    ['gpulse', '/gpulse'],
    ['/gpulse/', '/gpulse'],
    ['//a//b/', '/a/b'],
    ['/a/../b', 'BAD_OPTION'],
    ['/a"b', 'BAD_OPTION'],
  ])('%s', (value, want) => expect(attempt(() => parseBasePath(value))).toBe(want));
});

describe('--source', () => {
  test.each([
    ['auto', { kind: 'device' }],
    ['nvml', { kind: 'device' }],
    ['amdgpu', { kind: 'drm', driver: 'amdgpu' }],
    ['intel', { kind: 'drm', driver: 'intel' }],
    ['intel:0', 'UNKNOWN_SOURCE'],
    ['simulate:demo,gpus=2', { kind: 'simulate', scenario: 'demo,gpus=2' }],
    ['replay:C:\\gpu.csv', { kind: 'replay', path: 'C:\\gpu.csv' }],
    ['replay:', 'UNKNOWN_SOURCE'],
    ['simulate', 'UNKNOWN_SOURCE'],
    ['nvml:x', 'UNKNOWN_SOURCE'],
    ['tegra', 'UNKNOWN_SOURCE'],
  ])('%s', (value, want) => expect(attempt(() => parseSource(value))).toEqual(want));
});
