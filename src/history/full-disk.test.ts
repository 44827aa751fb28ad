import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { storeError } from './store-error.ts';

const root = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Opens the history in `$1` and prints the code of the failure and its cause. */
const OPEN = `
  import { openHistory } from '${import.meta.dirname}/history.ts';
  import { systemClock } from '${import.meta.dirname}/../model/clock.ts';
  const options = { directory: process.argv[1], origin: 'live', clock: systemClock };
  const said = await openHistory(options).then(() => 'OPEN', ({ code, message }) => code + ' ' + message);
  console.log(said);`;

/** Runs a shell script in which `open DIR` tries to open a history there. */
function run(script: string, apart: readonly string[] = []): string {
  const open = `open() { ${process.execPath} --input-type=module -e "$OPEN" "$1"; }`;
  const [command = '', ...args] = [...apart, 'sh', '-c', `${open}; ${script}`];
  const env = { ...process.env, OPEN };
  return spawnSync(command, args, { encoding: 'utf8', env, timeout: 20_000 }).stdout.trim();
}

/** A file system of its own, which goes with the process, where this user may mount one. */
const APART = ['unshare', '--mount', '--map-root-user'];
const MOUNT = `mkdir -p ${root}/disk && mount -t tmpfs -o size=65536 none ${root}/disk`;
const mayMount = run(`${MOUNT} && echo yes`, APART) === 'yes';

const DISKS: [string, string, readonly string[]][] = [
  [`prlimit --pid $$ --fsize=4096: && open ${root}/limited`, 'HISTORY_UNUSABLE', []],
  ...(mayMount
    ? ([
        [`${MOUNT} && open ${root}/disk/below`, 'HISTORY_DISK_FULL', APART],
        [`${MOUNT} && ! head -c 65537 /dev/zero > ${root}/disk/ballast; open ${root}/disk`, 'HISTORY_DISK_FULL', APART],
      ] as [string, string, readonly string[]][])
    : []),
];

test.each(DISKS)('where there is no room, opening fails at once and names the cause: %s', (script, code, apart) => {
  expect(run(script, apart)).toMatch(new RegExp(`^${code} .*${root}/`));
});

test.each(['ENOSPC', 'EDQUOT'])('%s of the system is a full disk', (code) => {
  const error = Object.assign(new Error('no space left'), { code });
  expect(storeError(error, '/data', 'HISTORY_UNUSABLE').data).toEqual({
    code: 'HISTORY_DISK_FULL',
    params: { path: '/data' },
  });
});
