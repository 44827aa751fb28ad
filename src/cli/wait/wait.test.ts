import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';
import { PATIENT, type Started, TestHome, until } from '../gpulse-process.ts';

const GIB = 2 ** 30;

/** Idle cards of 80 GiB, in the words of the fake driver. */
function idle(count: number, more = ''): string {
  const cards = Array.from({ length: count }, (_, i) => `gpu ${i} uuid ${uuidOf(i)}`);
  return [`gpus ${count}`, 'gpu * utilization 0', `gpu * memory-used ${GIB}`, ...cards, more].join('\n');
}

/** A name of these tests only: what is held is held for the whole machine. */
function uuidOf(index: number): string {
  return `GPU-${String(process.pid).padStart(8, '0')}-0000-4000-8000-${run}${String(index).padStart(8, '0')}`;
}

let run = 1000;
let home: TestHome;
let driver: FakeDriver;

beforeEach(() => {
  run++;
  home = new TestHome();
  driver = new FakeDriver({ script: idle(2) });
});

afterEach(() => {
  home.dispose();
  driver.dispose();
});

function args(...words: readonly string[]): string[] {
  const [command = '', ...rest] = words;
  return [command, '--lang', 'en', '--nvml-library', driver.library, '--source', 'nvml', ...rest];
}

function start(...words: readonly string[]): Started {
  const [file = '', ...rest] = [home.gpulse, ...args(...words)];
  return home.start(file, rest);
}

describe.skipIf(!HAS_FAKE_DRIVER)('wait', PATIENT, () => {
  test('runs the command on a free GPU, by UUID, and ends as it does', () => {
    const script = 'echo "$CUDA_DEVICE_ORDER $CUDA_VISIBLE_DEVICES"; exit 7';
    const { stdout, stderr, status } = home.run(args('wait', '--idle', '0s', '--', 'sh', '-c', script));
    expect(stdout).toBe(`PCI_BUS_ID ${uuidOf(0)}\n`);
    expect(stderr).toMatch(/GPU 0 taken after /);
    expect(status).toBe(7);
  });

  test('a signal that ends the command is told as a shell tells it', () => {
    const { status } = home.run(args('wait', '--idle', '0s', '-q', '--', 'sh', '-c', 'kill -KILL $$'));
    expect(status).toBe(128 + 9);
  });

  test('waits until processes are gone and the GPU has been idle for so long, and says who is in the way', async () => {
    driver.script(idle(1, `process 0 pid ${process.pid} memory ${40 * GIB} kind compute`));
    const waiting = start('wait', '--idle', '2s', '--', 'echo', 'started');
    await waiting.says(/free GPUs waited for: 1; free now: 0; .*GPU 0 {2}\S+:.* \(40\.0 GiB\)/);
    driver.script(idle(1));
    const freed = performance.now();
    await waiting.says(/idle for .* of 2 s/);
    expect((await waiting.ended).code).toBe(0);
    expect(waiting.stdout).toBe('started\n');
    expect(performance.now() - freed).toBeGreaterThan(1900);
  });

  test('a GPU that works is not idle, nor one with too little memory', async () => {
    driver.script(idle(2, `gpu 0 utilization 30\ngpu 1 memory-used ${60 * GIB}`));
    const waiting = start('wait', '--idle', '0s', '--free-memory', '40GiB', '--timeout', '2s');
    expect((await waiting.ended).code).toBe(124);
    expect(waiting.stderr).toMatch(/GPU 0 {2}utilisation 30%/);
    expect(waiting.stderr).toMatch(/GPU 1 {2}\S+ GiB free/);
    expect(waiting.stderr).toMatch(/gpulse: GPUs asked for: 1; fewer were free for 2 s; give --timeout more time/);
    expect(waiting.stdout).toBe('export CUDA_VISIBLE_DEVICES=none\n(exit 124)\n');
  });

  test('what can never be had is refused at once', () => {
    const many = home.run(args('wait', '--gpus', '3', '--', 'true'));
    expect(many.stderr).toMatch(/GPUs asked for: 3; at most 2 can ever be given/);
    expect(many.status).toBe(2);
    expect(home.run(args('wait', '--free-memory', '200GiB', '--', 'true')).status).toBe(2);
  });

  test('a command that does not exist is said before waiting', () => {
    driver.script(idle(1, 'gpu 0 utilization 90'));
    const { stderr, status } = home.run(args('wait', '--', 'no-such-command'));
    expect(stderr).toMatch(/there is no command "no-such-command"/);
    expect(status).toBe(127);
  });

  test('Ctrl-C ends the waiting with the code of the signal', async () => {
    driver.script(idle(1, 'gpu 0 utilization 90'));
    const waiting = start('wait', '--', 'true');
    await waiting.says(/utilisation 90%/);
    waiting.child.kill('SIGINT');
    expect((await waiting.ended).code).toBe(130);
  });

  test('CUDA_VISIBLE_DEVICES of the caller is a limit', () => {
    const env = { CUDA_VISIBLE_DEVICES: uuidOf(1) };
    const { stdout } = home.run(
      args('wait', '-q', '--idle', '0s', '--', 'sh', '-c', 'echo $CUDA_VISIBLE_DEVICES'),
      env,
    );
    expect(stdout).toBe(`${uuidOf(1)}\n`);
  });

  test('a limit in numbers is refused where they could mean other GPUs', () => {
    driver.script(idle(2, 'gpu 1 name NVIDIA T400'));
    const ask = (env: Record<string, string>) =>
      home.run(args('wait', '-q', '--idle', '0s', '--', 'sh', '-c', 'echo $CUDA_VISIBLE_DEVICES'), env);
    const { stderr, status } = ask({ CUDA_VISIBLE_DEVICES: '1' });
    expect(stderr).toMatch(/CUDA_VISIBLE_DEVICES="1" does not say which GPUs: .*set CUDA_DEVICE_ORDER=PCI_BUS_ID/s);
    expect(status).toBe(2);
    expect(ask({ CUDA_VISIBLE_DEVICES: '1', CUDA_DEVICE_ORDER: 'PCI_BUS_ID' }).stdout).toBe(`${uuidOf(1)}\n`);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('several who wait', PATIENT, () => {
  /** Writes its name when it starts and when it ends, which is when a file of its name is there. */
  function job(name: string): string[] {
    const path = home.path('jobs');
    const script = `echo "+${name} $CUDA_VISIBLE_DEVICES" >> ${path}; while [ ! -e ${home.path(name)} ]; do sleep 0.1; done; echo "-${name}" >> ${path}`;
    return ['sh', '-c', script];
  }

  function end(name: string): void {
    writeFileSync(home.path(name), '');
  }

  function events(): string[] {
    return home.lines('jobs').map((line) => line.split(' ')[0]!);
  }

  test('each gets a GPU of its own, before a process of anybody shows up on it', async () => {
    const first = start('wait', '--idle', '0s', '--', ...job('a'));
    const second = start('wait', '--idle', '0s', '--', ...job('b'));
    await until(() => home.lines('jobs').length >= 2);
    const uuids = home.lines('jobs').map((line) => line.split(' ')[1]);
    expect(uuids.toSorted()).toEqual([uuidOf(0), uuidOf(1)]);
    const third = start('wait', '--idle', '0s', '--', 'true');
    await third.says(/GPU 0 {2}held for \S+:sh/);
    end('a');
    expect((await third.ended).code).toBe(0);
    end('b');
    await Promise.all([first.ended, second.ended]);
  });

  test('who came first is served first, and one who asks for more is not overtaken', async () => {
    const holder = start('wait', '--idle', '0s', '--', ...job('a'));
    await until(() => events().includes('+a'));
    const large = start('wait', '--gpus', '2', '--idle', '0s', '--', ...job('large'));
    await large.says(/free GPUs waited for: 2; free now: 1/);
    const small = start('wait', '--idle', '0s', '--', ...job('small'));
    await small.says(/1 before: \S+:sh/);
    for (const name of ['a', 'large', 'small']) end(name);
    await Promise.all([holder.ended, large.ended, small.ended]);
    expect(events()).toEqual(['+a', '-a', '+large', '-large', '+small', '-small']);
  });

  test('kill -9 frees at once what was held, and the place in the queue', async () => {
    driver.script(idle(1));
    const holder = start('wait', '--idle', '0s', '--', 'sleep', '60');
    await holder.says(/GPU 0 taken/);
    const next = start('wait', '--idle', '0s', '--', ...job('next'));
    await next.says(/held for \S+:sleep/);
    const last = start('wait', '--idle', '0s', '--', ...job('last'));
    await last.says(/1 before/);
    end('last');
    next.child.kill('SIGKILL');
    holder.child.kill('SIGKILL');
    expect((await last.ended).code).toBe(0);
    expect(events()).toEqual(['+last', '-last']);
  });

  test('a waiter that is suspended is not waited for for ever', async () => {
    driver.script(idle(1, 'gpu 0 utilization 90'));
    const asleep = start('wait', '--idle', '0s', '--', 'true');
    await asleep.says(/utilisation 90%/);
    asleep.child.kill('SIGSTOP');
    const awake = start('wait', '--idle', '0s', '--', ...job('awake'));
    await awake.says(/1 before/);
    end('awake');
    driver.script(idle(1));
    expect((await awake.ended).code).toBe(0);
  });

  test('a launcher that leaves its training behind leaves the GPU held', () => {
    driver.script(idle(1));
    const script = 'sleep 40 > /dev/null 2>&1 < /dev/null &';
    expect(home.run(args('wait', '-q', '--idle', '0s', '--', 'sh', '-c', script)).status).toBe(0);
    expect(home.run(args('pick')).status).toBe(1);
  });

  test('a command that leaves nothing behind frees it at once', () => {
    driver.script(idle(1));
    expect(home.run(args('wait', '-q', '--idle', '0s', '--', 'true')).status).toBe(0);
    expect(home.run(args('pick')).status).toBe(0);
  });

  test('whatever other programs call themselves does not disturb the queue', async () => {
    const names = ['gpulse/claim/%', 'gpulse/wait/0', `gpulse/claim/${uuidOf(1)}`];
    const path = home.path('rude.mjs');
    writeFileSync(
      path,
      `import net from 'node:net';
for (const name of ${JSON.stringify(names)}) net.createServer((s) => s.end('\\u001b[2J{"pid":"x"')).listen('\\0' + name);
console.log('ready');`,
    );
    const rude = home.start(process.execPath, [path]);
    await rude.says(/ready/);
    const { stdout, status } = home.run(
      args('wait', '-q', '--idle', '0s', '--', 'sh', '-c', 'echo $CUDA_VISIBLE_DEVICES'),
    );
    expect([stdout, status]).toEqual([`${uuidOf(0)}\n`, 0]);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('without a command', PATIENT, () => {
  test('the choice is for a shell, and stays held until its processes can show up', () => {
    const { stdout } = home.run(args('wait', '-q', '--idle', '0s', '--hold', '30s'));
    expect(stdout).toBe(`export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES=${uuidOf(0)}\n`);
    expect(home.run(args('pick', '--format', 'index')).stdout).toBe('1\n');
  });

  test('what is held for a time is free after it', async () => {
    driver.script(idle(1));
    expect(home.run(args('pick', '--hold', '15s')).status).toBe(0);
    const { stderr, status } = home.run(args('pick'));
    expect(stderr).toMatch(/GPUs asked for: 1; free now: 0; "gpulse wait" waits for them/);
    expect(status).toBe(1);
    const waiting = start('wait', '-q', '--idle', '0s', '--', 'echo', 'free');
    expect((await waiting.ended).code).toBe(0);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('a choice that leaves no GPU', PATIENT, () => {
  test.each(['99', '', 'abc'])('CUDA_VISIBLE_DEVICES=%j is named, with what overrides it', (value) => {
    const { stderr, status } = home.run(args('pick'), { CUDA_VISIBLE_DEVICES: value });
    expect([stderr, status]).toEqual([
      `gpulse: GPUs asked for: 1; CUDA_VISIBLE_DEVICES="${value}" leaves 0 of this machine; unset CUDA_VISIBLE_DEVICES, or say which GPUs with --gpu, which overrides it\n`,
      2,
    ]);
    expect(home.run(args('pick', '--gpu', '1', '--format', 'index'), { CUDA_VISIBLE_DEVICES: value }).stdout).toBe(
      '1\n',
    );
  });

  test.each(['pick', 'wait'])('%s names the GPUs of --gpu that are not there', (command) => {
    const { stderr, status } = home.run(args(command, '--gpu', '0,99'));
    expect([stderr, status]).toEqual([expect.stringContaining('there is no GPU "99"'), 2]);
  });

  test('eval of a failed wait has its exit code, leaves no GPU, and is no limit for the next one', () => {
    const wait = args('wait', '-q', '--gpus', '3')
      .map((word) => `'${word}'`)
      .join(' ');
    const script = `eval "$('${home.gpulse}' ${wait})"; echo $? $CUDA_VISIBLE_DEVICES`;
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8', env: home.env, timeout: 100_000 });
    expect(stdout).toBe('2 none\n');
    expect(home.run(args('pick', '--format', 'index'), { CUDA_VISIBLE_DEVICES: 'none' }).stdout).toBe('0\n');
  });

  test('memory may be asked for from nothing to all', () => {
    expect(home.run(args('pick', '--free-memory', '0', '--format', 'index')).stdout).toBe('0\n');
    const { stderr } = home.run(args('pick', '--free-memory', '200%'));
    expect(stderr).toMatch(/--free-memory does not take "200%"; it takes 40GiB, 0%–100%/);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('pick', PATIENT, () => {
  test('prints the choice once, in the form that is asked for', () => {
    expect(home.run(args('pick')).stdout).toBe(`${uuidOf(0)}\n`);
    expect(home.run(args('pick', '-n', '2', '--format', 'index')).stdout).toBe('0,1\n');
    const { gpus, env } = JSON.parse(home.run(args('pick', '--json')).stdout);
    expect(gpus.map(({ uuid, index }: { uuid: string; index: number }) => [uuid, index])).toEqual([[uuidOf(0), 0]]);
    expect(env).toEqual({ CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: uuidOf(0) });
  });

  test('leaves out what somebody computes on, unless it may be shared', () => {
    driver.script(idle(2, `process 0 pid ${process.pid} memory ${GIB} kind compute`));
    expect(home.run(args('pick', '--format', 'index')).stdout).toBe('1\n');
    expect(home.run(args('pick', '--gpu', '0')).status).toBe(1);
    expect(home.run(args('pick', '--gpu', '0', '--shared', '--format', 'index')).stdout).toBe('0\n');
  });

  test('takes the GPU with most free memory', () => {
    driver.script(idle(2, `gpu 0 memory-used ${5 * GIB}`));
    expect(home.run(args('pick', '--format', 'index')).stdout).toBe('1\n');
  });
});
