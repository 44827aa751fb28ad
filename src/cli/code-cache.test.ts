import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codeCacheFolder } from './code-cache.ts';

const CODE_CACHE = resolve(import.meta.dirname, 'code-cache.ts');

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gpulse-home-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('the folder for compiled code', () => {
  test('is below the cache of the user, and nobody else may look into it', () => {
    const folder = codeCacheFolder({ HOME: home });
    expect(folder).toBe(join(home, '.cache/gpulse'));
    expect(statSync(folder ?? '').mode & 0o777).toBe(0o700);
    expect(codeCacheFolder({ HOME: home, XDG_CACHE_HOME: join(home, 'xdg') })).toBe(join(home, 'xdg/gpulse'));
  });

  test('is not one that others may write into', () => {
    mkdirSync(join(home, '.cache/gpulse'), { recursive: true });
    chmodSync(join(home, '.cache/gpulse'), 0o777);
    expect(codeCacheFolder({ HOME: home })).toBeNull();
  });

  test('is not made in a home that others may write into, that is not there, or that nobody has', () => {
    chmodSync(home, 0o777);
    expect(codeCacheFolder({ HOME: home })).toBeNull();
    expect(readdirSync(home)).toEqual([]);
    expect(codeCacheFolder({ HOME: join(home, 'gone') })).toBeNull();
    expect(codeCacheFolder({ HOME: '' })).toBeNull();
    expect(codeCacheFolder({})).toBeNull();
  });

  test('is not looked for below /proc for ever', () => {
    expect(codeCacheFolder({ HOME: '/proc' })).toBeNull();
    expect(codeCacheFolder({ HOME: home, XDG_CACHE_HOME: '/proc/x' })).toBeNull();
  });

  test.skipIf(process.getuid?.() !== 0)('is not made in the home of another user', () => {
    execFileSync('chown', ['nobody', home]);
    expect(codeCacheFolder({ HOME: home })).toBeNull();
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('a file that is loaded with what was compiled of it', () => {
  let file: string;
  beforeEach(() => {
    file = join(home, 'bundle.cjs');
    mkdirSync(join(home, 'cache'));
  });

  /** Loads it in a process of its own and requires it; gives what it exports and whether the code was taken from the cache. */
  function load(): { answer: unknown; path: string } {
    const script = `
      const { loadCompiled } = await import(${JSON.stringify(CODE_CACHE)});
      const { createRequire } = await import('node:module');
      loadCompiled(${JSON.stringify(file)}, ${JSON.stringify(join(home, 'cache'))});
      const { answer, path } = createRequire(${JSON.stringify(file)})('./bundle.cjs');
      console.log(JSON.stringify({ answer: answer(), path }));`;
    return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
  }
  const kept = (): string[] => readdirSync(join(home, 'cache'));
  const write = (answer: string): void =>
    writeFileSync(file, `exports.answer = () => ${answer}; exports.path = require('node:path').basename(__filename);`);

  test('is the module that is required afterwards, the second time too', () => {
    write('[6 * 7]');
    expect(load()).toEqual({ answer: [42], path: 'bundle.cjs' });
    const [cache = ''] = kept();
    const before = statSync(join(home, 'cache', cache));
    expect(before.mode & 0o777).toBe(0o600);
    expect(load()).toEqual({ answer: [42], path: 'bundle.cjs' });
    expect(statSync(join(home, 'cache', cache)).mtimeMs).toBe(before.mtimeMs);
  });

  test('is compiled anew when it has changed, and what was kept before goes', () => {
    write('1');
    load();
    const [before] = kept();
    write('2000');
    expect(load().answer).toBe(2000);
    expect(kept()).toHaveLength(1);
    expect(kept()).not.toContain(before);
  });

  test('is compiled anew where what was kept is damaged', () => {
    write('3');
    load();
    const cache = join(home, 'cache', kept()[0] ?? '');
    const whole = readFileSync(cache);
    writeFileSync(cache, whole.subarray(0, whole.length / 2));
    expect(load().answer).toBe(3);
    expect(readFileSync(cache).length).toBeGreaterThan(whole.length / 2);
  });

  test.each([
    ['a pipe', (cache: string) => void execFileSync('mkfifo', [cache])],
    ['what others may write', (cache: string) => chmodSync(cache, 0o666)],
  ])('does not take %s for what was kept', (_, spoil) => {
    write('5');
    load();
    const cache = join(home, 'cache', kept()[0] ?? '');
    const before = statSync(cache).ino;
    if (_ === 'a pipe') rmSync(cache);
    spoil(cache);
    expect(load().answer).toBe(5);
    expect(statSync(cache).isFile()).toBe(true);
    expect(statSync(cache).mode & 0o777).toBe(0o600);
    expect(statSync(cache).ino).not.toBe(before);
  });

  test('works where nothing can be kept', () => {
    write('4');
    rmSync(join(home, 'cache'), { recursive: true });
    expect(load().answer).toBe(4);
  });
});
