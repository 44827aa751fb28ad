import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PATIENT, TestHome, until } from '../gpulse-process.ts';

/** Says what it sees of its terminal, asks a question, and then draws a progress bar until it is interrupted. */
const PROGRAM = `import os, signal, sys, time
def size(*_):
    columns, lines = os.get_terminal_size(0)
    print("SIZE", columns, lines, flush=True)
def stop(*_):
    print("\\nSTOPPED", flush=True)
    sys.exit(9)
signal.signal(signal.SIGWINCH, size)
signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)
print("TTY", *[os.isatty(fd) for fd in (0, 1, 2)], flush=True)
size()
print("HELLO", input("name? "), flush=True)
for step in range(1, 600):
    print(f"\\r{step}/600 [00:01<00:05] step {step} loss={1 / step:.3f}", end="", flush=True)
    time.sleep(0.1)
`;

const RUN = 'run --lang en --data data --gpu 0 --source simulate:demo';

let home: TestHome;

beforeEach(() => {
  home = new TestHome();
  writeFileSync(home.path('train.py'), PROGRAM);
});

afterEach(() => home.dispose());

function output(): string[] {
  const [id = ''] = readdirSync(home.path('data', 'runs'));
  return home.lines('data', 'runs', id, 'output.log').map((line) => line.replace(/^\S+ /, ''));
}

test('the command has a terminal: keys, its size, and Ctrl-C are its own', PATIENT, async () => {
  const terminal = await home.terminal(100, 24);
  terminal.type(`${home.gpulse} ${RUN} -- python3 train.py`);
  await terminal.shows(/TTY True True True\nSIZE 100 24\nname\?/);
  terminal.type('lin');
  await terminal.shows(/name\? lin\nHELLO lin/);
  terminal.resize(90, 20);
  await terminal.shows(/SIZE 90 20/);
  await terminal.shows(/loss=0\.\d/);
  terminal.key('C-c');
  await terminal.shows(
    /STOPPED\n(.*\n)*gpulse: python3 ended after [\d.]+ m?s with exit code 9\n +simulated, not this machine\n +GPU 0 {2}utilisation/,
  );
  await terminal.ask('echo "status $?"; stty -a');
  const after = await terminal.shows(/status \d+\n(.*\n)*.*echo/);
  expect(after).toMatch(/status 9/);
  expect(after).toMatch(/ icanon /);
  expect(after).toMatch(/(^| )echo /m);
  expect(output().slice(0, 4)).toEqual(['tty TTY True True True', 'tty SIZE 100 24', 'tty name? lin', 'tty HELLO lin']);
  expect(output().some((line) => /^tty \d+\/600 .* loss=0\.\d+/.test(line))).toBe(true);
});

test('a signal to gpulse reaches the command, not the terminal', PATIENT, async () => {
  const terminal = await home.terminal();
  terminal.type(`${home.gpulse} ${RUN} -- python3 train.py`);
  await terminal.shows(/name\?/);
  terminal.type('lin');
  await terminal.shows(/step \d+ loss/);
  const { stdout } = spawnSync('pgrep', ['-f', `entry.* ${RUN}`], { encoding: 'utf8' });
  const isHere = (pid: string): boolean => pid !== '' && realpathSync(`/proc/${pid}/cwd`) === realpathSync(home.path());
  process.kill(Number(stdout.split('\n').find(isHere)), 'SIGTERM');
  await terminal.ask('echo "status $?"');
  await terminal.shows(/status 9/);
});

test('in the background it goes on, and can be stopped and brought back', PATIENT, async () => {
  const terminal = await home.terminal();
  const script = 'echo "ready in $$"; sleep 1.5; echo "background over"; sleep 600';
  terminal.type(`${home.gpulse} ${RUN} --no-summary -- sh -c '${script}' &`);
  await terminal.shows(/^background over/m);
  terminal.type('jobs; fg');
  expect(await terminal.shows(/\[1\]\+? +Running/)).not.toMatch(/Stopped/);
  await new Promise((done) => setTimeout(done, 500));
  terminal.key('C-z');
  await terminal.shows(/\[1\]\+? +Stopped/);
  await terminal.ask('fg');
  await new Promise((done) => setTimeout(done, 500));
  terminal.key('C-c');
  await terminal.ask('echo "status $?"');
  await terminal.shows(/status 130/);
});

test('what is redirected stays so: stderr to a file, stdout to a pipe', PATIENT, async () => {
  const terminal = await home.terminal();
  const program = 'import os, sys; print(*[os.isatty(fd) for fd in (0, 1, 2)]); print("trouble", file=sys.stderr)';
  writeFileSync(home.path('tell.py'), program);
  terminal.type(`${home.gpulse} ${RUN} --no-summary -- python3 tell.py 2>errors`);
  await terminal.shows(/True True False/);
  await until(() => existsSync(home.path('errors')) && readFileSync(home.path('errors'), 'utf8') !== '');
  expect(readFileSync(home.path('errors'), 'utf8')).toBe('trouble\n');
  await terminal.ask(`${home.gpulse} ${RUN} --no-summary -- python3 tell.py 2>&1 | cat; echo over`);
  const shown = await terminal.shows(/\nover/);
  expect(shown).toMatch(/True False False\ntrouble|trouble\nTrue False False/);
});

test('without script there are pipes, and that is said', PATIENT, async () => {
  mkdirSync(home.path('bin'));
  const terminal = await home.terminal(160);
  terminal.type(`for d in \${PATH//:/ }; do ln -s $d/* bin/ 2>/dev/null; done; rm -f bin/script; PATH=$PWD/bin`);
  terminal.type(
    `${home.gpulse} ${RUN} --no-summary -- python3 -c 'import sys; print(sys.stdout.isatty())'; echo "status $?"`,
  );
  const shown = await terminal.shows(/\nstatus \d/);
  expect(shown).toMatch(/the command gets pipes instead of a terminal, since "script" of util-linux is not installed/);
  expect(shown).toMatch(/^False$/m);
  expect(shown).toMatch(/status 0/);
  expect(output()).toContain('out False');
});

test('wait draws in place and takes it away again', PATIENT, async () => {
  const terminal = await home.terminal();
  terminal.type(`${home.gpulse} wait --lang en --source simulate:demo --gpu 0 -- true`);
  await terminal.shows(/free GPUs waited for: 1; free now: 0; .*\n {2}GPU 0 {2}lin:python \([\d.]+ GiB\)/);
  await new Promise((done) => setTimeout(done, 3000));
  expect(terminal.text().match(/waited for/g)?.length).toBe(1);
  terminal.key('C-c');
  await terminal.ask('echo "status $?"');
  const after = await terminal.shows(/status \d/);
  expect(after).toMatch(/status 130/);
  expect(after).not.toMatch(/waiting for/);
});
