import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const GPULSE = resolve(import.meta.dirname, '../../bin/gpulse');

let session: string;

function tmux(...args: readonly string[]): string {
  return execFileSync('tmux', ['-L', session, ...args], { encoding: 'utf8' });
}

beforeEach(() => {
  session = `gpulse-test-${process.pid}-${Math.trunc(performance.now())}`;
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '100', '-y', '24', 'env PS1="$ " TZ=UTC bash --norc --noprofile');
});

afterEach(() => tmux('kill-server'));

/** The screen once it matches, or the last one seen. */
async function screen(pattern: RegExp): Promise<string> {
  for (let tries = 0; ; tries++) {
    const text = tmux('capture-pane', '-p');
    if (pattern.test(text) || tries > 150) return text;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function type(command: string): void {
  tmux('send-keys', '-l', command);
  tmux('send-keys', 'Enter');
}

test('watch fills the terminal line by line, and Ctrl-C gives it back clean', async () => {
  type(`${GPULSE} watch --lang en --gpu 0 -i 200ms --source simulate:demo`);
  expect(await screen(/(GPU0: .*\n.*){3}/)).toMatch(
    /\[\d\d:\d\d:\d\d\] GPU0: \d+% \| Mem: \d+\/\d+ MB \| Temp: \d+°C \| Power: \d+\.\dW/,
  );
  tmux('send-keys', 'C-c');
  type('echo "status $?"');
  const after = await screen(/status \d/);
  expect(after).toContain('status 0');
  expect(after).not.toMatch(/Error|at .*\.js/);
});

test('stat fits a terminal of 100 columns without wrapping in the middle of a number', async () => {
  type(`clear; ${GPULSE} stat --lang en --source simulate:healthy-training`);
  const lines = (await screen(/\[7\] NVIDIA.*\n/)).split('\n').filter((line) => /^\[\d\]/.test(line));
  expect(lines.length).toBe(8);
  for (const line of lines) expect(line).toMatch(/\d+ \/ {1,2}\d+ MB/);
});
