import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDirectory } from './directory.ts';

const NOBODY = 65_534;

let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
});

afterEach(() => rmSync(place, { recursive: true, force: true }));

test('creates what is missing, closed to others, and takes what is there', () => {
  const path = join(place, 'a', 'b', 'c');
  makeDirectory(path);
  makeDirectory(path);
  makeDirectory(`${path}/`);
  expect([place, join(place, 'a'), path].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
});

test('follows a link to a directory', () => {
  mkdirSync(join(place, 'real'));
  symlinkSync(join(place, 'real'), join(place, 'link'));
  makeDirectory(join(place, 'link', 'below'));
  expect(existsSync(join(place, 'real', 'below'))).toBe(true);
});

test.each([
  ['a file', (path: string) => writeFileSync(path, ''), '', 'ENOTDIR'],
  ['something below a file', (path: string) => writeFileSync(path, ''), '/below/it', 'ENOTDIR'],
  ['a link to nowhere', (path: string) => symlinkSync(join(path, 'nowhere'), path), '', 'ELOOP'],
  ['a name that is too long', () => {}, `/${'x'.repeat(300)}/y`, 'ENAMETOOLONG'],
] as const)('throws for %s, and says why', (_name, prepare, rest, code) => {
  const path = join(place, 'name');
  prepare(path);
  expect(() => makeDirectory(path + rest)).toThrow(expect.objectContaining({ code }));
});

test.runIf(existsSync('/proc/self'))('throws at once where nothing can be created', () => {
  for (const path of ['/proc/gpulse', '/proc/gpulse/a/b', '/proc/self/gpulse/']) {
    expect(() => makeDirectory(path), path).toThrow(/^ENOENT: /);
  }
});

test('throws where this user may not write', () => {
  const fixed = join(place, 'fixed');
  mkdirSync(fixed, { mode: 0o500 });
  const isRoot = process.getuid?.() === 0;
  // What is not permitted to others is to root, so that it has to be somebody else for a moment.
  if (isRoot) for (const path of [place, fixed]) chownSync(path, NOBODY, NOBODY);
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    expect(() => makeDirectory(join(fixed, 'below'))).toThrow(/^EACCES: /);
    // The question of access is answered for the real user, who stays root.
    if (!isRoot) expect(() => makeDirectory(fixed)).toThrow(/^EACCES: /);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test('throws for no path at all and for one with a zero byte', () => {
  expect(() => makeDirectory('')).toThrow(/^ENOENT: /);
  expect(() => makeDirectory('a\u0000b')).toThrow(/null bytes/);
});
