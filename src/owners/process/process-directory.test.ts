import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import { ManualClock } from '../../model/manual-clock.ts';
import { Background } from '../background.ts';
import { ProcessDirectory } from './process-directory.ts';
import type { ProcessLook } from './process-entry.ts';
import { TestProcfs } from './test-procfs.ts';
import { UserNames } from './users.ts';

let root: string;
let proc: TestProcfs;
let clock: ManualClock;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gpulse-proc-'));
  proc = new TestProcfs(root);
  clock = new ManualClock();
});

afterEach(() => rmSync(root, { recursive: true }));

function directory(): ProcessDirectory {
  const background = new Background();
  return new ProcessDirectory(root, clock, new UserNames({ clock, background, path: proc.passwd, ask: null }));
}

/** The look at a process once its command line has been read. */
async function lookFully(processes: ProcessDirectory, pid: number): Promise<ProcessLook> {
  processes.look(pid);
  await processes.named();
  return processes.look(pid);
}

describe('identity', () => {
  test('a process has a name, a command line, a user and a start time', async () => {
    proc.add(42, { argv: ['/usr/bin/python3', 'train.py', '--lr', '0.1'], start: 12_345 });
    expect(await lookFully(directory(), 42)).toMatchObject({
      name: 'python3',
      command: '/usr/bin/python3 train.py --lr 0.1',
      user: 'zhang',
      startedAt: 1_700_000_123_450,
    });
  });

  test.each([
    ['python3', ['/usr/bin/python3', 'train.py'], 'python3'],
    ['a-very-long-pro', ['/opt/a-very-long-program'], 'a-very-long-program'],
    ['pt_main_thread', ['/usr/bin/node', 'server.js'], 'node'],
    ['My Program', ['/opt/My Tools/My Program'], 'My Program'],
    ['VLLM::EngineCor', ['VLLM::EngineCore_DP0'], 'VLLM::EngineCore_DP0'],
    ['sshd', ['sshd: li@pts/0'], 'sshd:'],
    ['tmux: (server)', [''], 'tmux: (server)'],
    ['a) S 1 (b', [], 'a) S 1 (b'],
    ['a\nb', [], 'a b'],
    ['x', ['/bin/\u001b[31mred'], ' [31mred'.trim()],
  ])('%j with the arguments %j is %s', async (comm, argv, want) => {
    proc.add(42, { comm, argv });
    expect((await lookFully(directory(), 42)).name).toBe(want);
  });

  test('it has its short name before its command line is read', () => {
    proc.add(42, { comm: 'pt_main_thread', argv: ['/usr/bin/python3'] });
    expect(directory().look(42)).toMatchObject({ name: 'pt_main_thread', command: null, user: 'zhang' });
  });

  test('a long command line is cut, which shows', async () => {
    proc.add(42, { argv: ['python3', '-c', '\u4e2d'.repeat(3000)] });
    const { command } = await lookFully(directory(), 42);
    expect(command).toMatch(/^python3 -c \u4e2d+…$/);
    expect(command?.length).toBeLessThan(1400);
  });

  test('a pid that procfs does not have is looked for again after five seconds', async () => {
    const processes = directory();
    expect(processes.look(42).name).toBeNull();
    proc.add(42, { comm: 'python3', argv: ['python3'] });
    expect(processes.look(42).name).toBeNull();
    await clock.advance(5000);
    expect(processes.look(42).name).toBe('python3');
  });

  test('a reused pid does not get the old name', async () => {
    const processes = directory();
    proc.add(42, { argv: ['python3'] });
    expect((await lookFully(processes, 42)).name).toBe('python3');
    proc.add(42, { start: 200, comm: 'bash', argv: ['bash'] });
    await clock.advance(5000);
    expect((await lookFully(processes, 42)).name).toBe('bash');
  });

  test('a process that renames itself is renamed', async () => {
    const processes = directory();
    proc.add(42, { argv: ['ray::IDLE'] });
    expect((await lookFully(processes, 42)).name).toBe('ray::IDLE');
    proc.add(42, { argv: ['ray::train'] });
    await clock.advance(30_000);
    processes.look(42);
    await expect.poll(() => processes.look(42).name).toBe('ray::train');
  });

  test('nothing is known of a process that is gone', () => {
    const processes = directory();
    const nothing = { name: null, user: null, command: null, startedAt: null, cpuRatio: { absent: 'not-found' } };
    expect(processes.look(43)).toMatchObject({ ...nothing, hostMemoryBytes: { absent: 'not-found' }, place: null });
  });

  test('nothing is looked up in a private pid namespace, where the pids of the driver are not ours', () => {
    proc.enterNamespace('pid', 4_026_532_001);
    proc.add(42);
    expect(directory().look(42)).toMatchObject({ name: null, user: null, cpuRatio: { absent: 'not-collected' } });
  });

  test('the start time follows a wall clock that is set right', async () => {
    const processes = directory();
    proc.add(42);
    processes.look(42);
    clock.step(3_600_000);
    proc.bootAt(1_700_003_600);
    proc.add(43);
    expect(processes.look(43).startedAt).toBe(1_700_003_601_000);
  });

  test('a boot time that is not told is no start time', () => {
    rmSync(join(root, 'stat'));
    proc.add(42);
    expect(directory().look(42).startedAt).toBeNull();
  });
});

describe('use of the host', () => {
  test('CPU is the time used since the last look, in cores', async () => {
    const processes = directory();
    proc.add(42, { cpu: [1000, 500] });
    expect(processes.look(42).cpuRatio).toEqual({ absent: 'not-collected' });
    proc.add(42, { cpu: [1600, 800] });
    await clock.advance(4900);
    expect(processes.look(42).cpuRatio).toEqual({ absent: 'not-collected' });
    await clock.advance(1100);
    // 900 ticks of a hundredth of a second in 6 s.
    expect(processes.look(42).cpuRatio).toBeCloseTo(1.5);
  });

  test('memory is in bytes', () => {
    proc.add(42, { pages: 3 });
    expect(directory().look(42).hostMemoryBytes).toBe(3 * 4096);
  });

  test('a counter that runs backwards is an error, not a negative share', async () => {
    const processes = directory();
    proc.add(42, { cpu: [1000, 0] });
    processes.look(42);
    proc.add(42, { cpu: [10, 0] });
    await clock.advance(5000);
    expect(processes.look(42).cpuRatio).toEqual({ absent: 'error' });
  });

  test('the same object is given out while nothing changes', async () => {
    const processes = directory();
    proc.add(42);
    const look = await lookFully(processes, 42);
    await clock.advance(4000);
    expect(processes.look(42)).toBe(look);
  });
});

test('a process that hangs while its command line is read delays nobody, and keeps its short name', async () => {
  const stuck = [42, 43, 44];
  for (const pid of stuck) {
    proc.add(pid, { comm: 'hung' });
    rmSync(join(root, String(pid), 'cmdline'));
    // Whoever opens a pipe waits for somebody to write to it.
    spawnSync('sh', ['-c', `mkfifo ${join(root, String(pid), 'cmdline')}`]);
  }
  proc.add(45, { comm: 'pt_main_thread' });
  const background = new Background();
  const users = new UserNames({ clock: systemClock, background, path: proc.passwd, ask: null });
  const processes = new ProcessDirectory(root, systemClock, users);
  const started = performance.now();
  for (const pid of [...stuck, 45]) processes.look(pid);
  expect(performance.now() - started).toBeLessThan(50);
  await processes.named();
  expect(performance.now() - started).toBeLessThan(1000);
  expect([42, 43, 44, 45].map((pid) => processes.look(pid).name)).toEqual(['hung', 'hung', 'hung', 'pt_main_thread']);
  for (const pid of stuck) {
    await expect.poll(() => letGo(join(root, String(pid), 'cmdline'))).toBe(true);
  }
  await expect.poll(() => processes.look(45).name).toBe('python3');
});

/** Ends the wait of whoever opened a pipe; false while nobody has. */
function letGo(pipe: string): boolean {
  try {
    closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch {
    return false;
  }
}

test('the place of a process follows it to another cgroup', async () => {
  const processes = directory();
  proc.add(42, { cgroup: '0::/system.slice/a.service\n' });
  expect(processes.look(42).place?.unit).toBe('a.service');
  proc.add(42, { cgroup: '0::/system.slice/b.service\n' });
  await clock.advance(30_000);
  expect(processes.look(42).place?.unit).toBe('b.service');
});

test('a real process is described on the real procfs', async () => {
  const background = new Background();
  const processes = new ProcessDirectory(
    '/proc',
    systemClock,
    new UserNames({ clock: systemClock, background, ask: null }),
  );
  const look = await lookFully(processes, process.pid);
  // Where the tests themselves run in a private pid namespace, nothing is looked up.
  if (look.name === null) return;
  expect(look.command).toContain(process.execPath.split('/').at(-1));
  expect(look.hostMemoryBytes).toBeGreaterThan(10_000_000);
  expect(Math.abs((look.startedAt ?? 0) - (Date.now() - process.uptime() * 1000))).toBeLessThan(5000);
});
