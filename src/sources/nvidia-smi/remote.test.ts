import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import { FakeSmi } from './fake-smi.ts';
import { launchBySsh } from './launch.ts';
import { openSmi } from './smi-source.ts';

let fake: FakeSmi;
const path = process.env['PATH'];

beforeEach(() => {
  fake = new FakeSmi();
  process.env['PATH'] = `${fake.folder}:${path}`;
});

afterEach(() => {
  process.env['PATH'] = path;
  fake.remove();
});

/** An `ssh` that runs what it is given as a shell on the other side does. */
const SSH = `#!/bin/sh
echo "$@" >> "$(dirname "$0")/ssh.log"
while [ "$1" != "--" ]; do shift; done
shift; shift
exec sh -c "$*"
`;

const openRemote = () => openSmi({ clock: systemClock, remote: 'ops@node-7:2222', intervalMs: 100 });

test('reads another machine by ssh, which may never ask anything', async () => {
  fake.script('ssh', SSH);
  const probe = await openRemote();
  if (!probe.ok) throw probe.reason;
  const { source } = probe;
  expect(source.name).toBe('nvidia-smi:ssh:ops@node-7:2222');
  expect(source.devices()).toHaveLength(2);
  await source.close();
  const calls = readFileSync(join(fake.folder, 'ssh.log'), 'utf8').trim().split('\n');
  for (const call of calls) {
    expect(call).toMatch(/-o BatchMode=yes .*-p 2222 -- ops@node-7 nvidia-smi /);
  }
});

describe('what ssh says is told as it is', () => {
  test.each([
    ['Host key verification failed.', 255, 'SSH_HOST_KEY'],
    ['@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.', 255, 'SSH_HOST_KEY'],
    ['ops@node-7: Permission denied (publickey,password).', 255, 'SSH_DENIED'],
    ['ssh: Could not resolve hostname node-7: Name or service not known', 255, 'SSH_UNREACHABLE'],
    ['ssh: connect to host node-7 port 2222: Connection refused', 255, 'SSH_UNREACHABLE'],
    ['bash: line 1: nvidia-smi: command not found', 127, 'SMI_NOT_FOUND'],
  ])('%j', async (text, code, want) => {
    fake.script('ssh', `#!/bin/sh\ncat >&2 <<'END'\n${text}\nEND\nexit ${code}\n`);
    const probe = await openRemote();
    expect(probe.ok ? 'ok' : probe.reason.code).toBe(want);
    if (!probe.ok && want.startsWith('SSH')) expect(probe.reason.text('en')).toContain(text.split('\n').at(-1));
  });
});

describe('the name of a machine', () => {
  test.each([
    'node-7',
    'ops@node-7',
    'ops@node-7.example.com:2222',
    '10.0.0.7',
    '[2001:db8::7]:22',
    'root@[fe80::1%eth0]',
  ])('%s is a target', (target) => {
    const { before } = launchBySsh(target);
    expect(before.at(-3)).toBe('--');
  });

  test.each([
    '',
    '-oProxyCommand=x',
    '-v',
    'a@-b',
    'a b',
    'node;reboot',
    'node$(x)',
    '$HOST',
    'a@b@c',
    'node:0',
    'node:99999',
    "n'x",
    'node\n-v',
    'ops@',
    '@node',
    '`id`',
  ])('%j is none', (target) => {
    expect(() => launchBySsh(target)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
  });
});
