import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { announceServer, localServers } from './local-server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-run-'));
  mkdirSync(join(folder, 'net'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const OWN = process.getuid?.() ?? 0;
const TITLES = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';

/** Writes the kernel's list of sockets; each is `address:port state uid`. */
function sockets(...rows: string[]): void {
  const lines = rows.map((row, i) => {
    const [local, state, uid] = row.split(' ');
    return `   ${i}: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 ${uid}        0 123 1`;
  });
  writeFileSync(join(folder, 'net/tcp'), [TITLES, ...lines, ''].join('\n'));
}

function found(): string[] {
  return localServers({ XDG_RUNTIME_DIR: folder }, folder, join(folder, 'system')).map(
    ({ host, port, basePath }) => `${host}:${port}${basePath}`,
  );
}

/** 9400 and 9401 in the kernel's spelling. */
const [USUAL, OTHER] = ['24B8', '24B9'];
const STRANGER = 4_000_000_000;

test('the usual address counts where root or this user listens on it, and nobody else', () => {
  const check = (rows: string[], want: string[]) => {
    sockets(...rows);
    expect(found(), rows.join()).toEqual(want);
  };
  check([], []);
  check([`0100007F:${USUAL} 0A ${OWN}`], ['127.0.0.1:9400']);
  check([`0100007F:${USUAL} 0A 0`], ['127.0.0.1:9400']);
  check([`00000000:${USUAL} 0A 0`], ['127.0.0.1:9400']);
  check([`0100007F:${USUAL} 0A ${STRANGER}`], []);
  check([`0100007F:${USUAL} 01 0`], []);
  check([`0100007F:${OTHER} 0A 0`], []);
  check(['nonsense'], []);
});

test('without the list of sockets nothing is known', () => {
  expect(found()).toEqual([]);
});

test('a server is found by the word it left, for as long as it listens', () => {
  const env = { RUNTIME_DIRECTORY: join(folder, 'gpulse') };
  const withdraw = announceServer('http://localhost:9401/gpu/', env);
  sockets(`0100007F:${OTHER} 0A ${OWN}`, `0100007F:${USUAL} 0A ${OWN}`);
  expect(found()).toEqual(['127.0.0.1:9401/gpu', '127.0.0.1:9400']);
  sockets();
  expect(found()).toEqual([]);
  withdraw();
  expect(readdirSync(join(folder, 'gpulse'))).toEqual([]);
  withdraw();
});

test('a word that is none, and a folder that cannot be written, are passed over', () => {
  mkdirSync(join(folder, 'gpulse'));
  for (const [i, text] of ['', '{', '{"port":"9401"}', '[]', 'null'].entries()) {
    writeFileSync(join(folder, 'gpulse', `serve-${i}.json`), text);
  }
  sockets(`0100007F:${OTHER} 0A ${OWN}`);
  expect(found()).toEqual([]);
  writeFileSync(join(folder, 'file'), '');
  announceServer('http://[::1]:9401/', { RUNTIME_DIRECTORY: join(folder, 'file', 'below') })();
});
