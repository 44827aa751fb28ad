import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../model/manual-clock.ts';
import { Background } from '../background.ts';
import { askNameService, hasNameService } from './name-service.ts';
import { UserNames } from './users.ts';

let folder: string;
const clock = new ManualClock();
const background = new Background();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-users-'));
  writeFileSync(
    join(folder, 'passwd'),
    'root:x:0:0::/root:/bin/sh\nzhang:x:1000:1000::/:/bin/sh\ntoor:x:0:0::/:/bin/sh\n\n#\n',
  );
});

afterEach(() => rmSync(folder, { recursive: true }));

function users(ask: ((uid: number) => Promise<string | null>) | null = null): UserNames {
  return new UserNames({ clock, background, path: join(folder, 'passwd'), ask });
}

test('names come from the passwd file, of twins the first', () => {
  expect([0, 1000, 4711].map((uid) => users().nameOf(uid))).toEqual(['root', 'zhang', '4711']);
});

test('a user who is added to the file is found', () => {
  const names = users();
  expect(names.nameOf(1001)).toBe('1001');
  writeFileSync(join(folder, 'passwd'), 'zhang:x:1000:1000::/:/bin/sh\nwang:x:1001:1001::/:/bin/sh\n');
  expect(names.nameOf(1001)).toBe('wang');
});

test('the name service is asked once for a user who is not in the file', async () => {
  const asked: number[] = [];
  const names = users(async (uid) => {
    asked.push(uid);
    return uid === 5000 ? 'li' : null;
  });
  const { version } = names;
  expect([names.nameOf(5000), names.nameOf(5000), names.nameOf(6000)]).toEqual(['5000', '5000', '6000']);
  await background.settled(clock, 1000);
  expect([names.nameOf(5000), names.nameOf(6000)]).toEqual(['li', '6000']);
  expect(names.version).toBeGreaterThan(version);
  expect(asked).toEqual([5000, 6000]);
});

test('who is unknown to the name service is asked for again after a while', async () => {
  let calls = 0;
  const names = users(async () => (++calls === 1 ? null : 'late'));
  names.nameOf(5000);
  await clock.advance(9 * 60_000);
  expect(names.nameOf(5000)).toBe('5000');
  expect(calls).toBe(1);
  await clock.advance(2 * 60_000);
  names.nameOf(5000);
  await background.settled(clock, 1000);
  expect(names.nameOf(5000)).toBe('late');
});

test('the name service of this host knows root and does not know everybody', async () => {
  expect(await askNameService(0)).toBe('root');
  expect(await askNameService(3_999_999_999)).toBeNull();
});

test('a name service that does not answer keeps no command from ending', () => {
  writeFileSync(join(folder, 'getent'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  const script = `import('${import.meta.dirname}/name-service.ts').then((m) => void m.askNameService(1))`;
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const { status } = spawnSync(process.execPath, ['-e', script], { env, timeout: 2500 });
  expect(status).toBe(0);
});

test.each([
  ['passwd: files systemd\n', true],
  ['group: files sss\npasswd:     sss files # comment\n', true],
  ['passwd:\tfiles\n', false],
  ['passwd: files [NOTFOUND=return]\n', false],
  ['#passwd: ldap\n', false],
  ['', false],
])('nsswitch.conf %j has a name service: %s', (text, want) => {
  writeFileSync(join(folder, 'nsswitch.conf'), text);
  expect(hasNameService(join(folder, 'nsswitch.conf'))).toBe(want);
});

test('no nsswitch.conf, no name service', () => {
  expect(hasNameService(join(folder, 'none'))).toBe(false);
});
