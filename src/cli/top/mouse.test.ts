import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';
import { TestTerminal } from './test-terminal.ts';

/** The mouse, as a terminal reports it: 3 GPUs and many processes, of which no name is known. */

const PROCESSES = 40;

let driver: FakeDriver;
let terminal: TestTerminal;

beforeEach(() => {
  const lines = ['gpus 3', 'gpu 0 utilization 90', 'gpu 1 utilization 40', 'gpu 2 utilization 0'];
  for (let i = 0; i < PROCESSES; i++) {
    lines.push(`process ${i % 2} pid ${4190000 + i} memory ${(PROCESSES - i) * 2 ** 28} kind compute`);
  }
  driver = new FakeDriver({ script: `${lines.join('\n')}\n` });
  terminal = new TestTerminal({ columns: 100, rows: 30 });
});

afterEach(() => {
  terminal.close();
  driver.dispose();
});

async function open(...args: readonly string[]): Promise<string> {
  terminal.top(['--lang', 'en', '--no-server', '--nvml-library', driver.library, ...args]);
  return terminal.until(/4190000[\s\S]*F10 Quit/);
}

/** Pids in the table of processes, from above. */
function pids(screen: string): readonly number[] {
  return [...screen.matchAll(/^ +\d+ (4190\d{3}) /gm)].map((match) => Number(match[1]));
}

/** Text of the line with the ground of what is chosen. */
function chosen(): string {
  const line = terminal
    .styled()
    .split('\n')
    .find((each) => each.includes('[48;5;237m'));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are taken out.
  return (line ?? '').replace(/\x1b\[[\d;]*m/g, '');
}

describe.skipIf(!HAS_FAKE_DRIVER)('the mouse', { timeout: 60_000 }, () => {
  test('sorts by the column whose heading is clicked, and turns the order round with the next click', async () => {
    expect(pids(await open())[0]).toBe(4190000);
    terminal.click(' PID');
    expect(pids(await terminal.until(/PID▲/))[0]).toBe(4190000);
    terminal.click('PID▲');
    expect(pids(await terminal.until(/PID▼/))[0]).toBe(4190000 + PROCESSES - 1);
    // There is nothing to sort by in the table of GPUs, nor by a share of memory.
    terminal.click('  MEM%');
    terminal.click('STATE');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(terminal.text()).toContain('PID▼');
    terminal.click('MEMORY  MEM%');
    await terminal.until(/MEMORY▼/);
  });

  test('scrolls the processes with the wheel, and back', async () => {
    await open();
    for (let notch = 0; notch < 8; notch++) terminal.wheel('down', 'COMMAND');
    expect(pids(await terminal.until(() => chosen().includes('4190024')))).not.toContain(4190000);
    for (let notch = 0; notch < 9; notch++) terminal.wheel('up', 'COMMAND');
    expect(pids(await terminal.until(() => chosen().includes('4190000')))[0]).toBe(4190000);
  });

  test('chooses a process, and opens it with the next click', async () => {
    await open();
    terminal.click('4190003');
    await terminal.until(() => chosen().includes('4190003'));
    terminal.click('4190003');
    await terminal.until(/^Process 4190003/m);
    terminal.click('F1 Help');
    await terminal.until(/^Mouse: click a heading/m);
    terminal.click('Esc Back');
    await terminal.until(/^Process 4190003/m);
  });

  test('chooses a GPU by its line or its chart, goes through them with the wheel, and opens one', async () => {
    await open();
    terminal.click('40%');
    await terminal.until(() => /^ +1 ► busy/.test(chosen()));
    terminal.wheel('up', '40%');
    await terminal.until(() => /^ +0 ► busy/.test(chosen()));
    terminal.click('40%');
    await terminal.until(() => /^ +1 ► busy/.test(chosen()));
    terminal.click('40%');
    await terminal.until(/^GPU 1 · /m);
  });

  test('chooses a column from the list, and answers no question about a signal', async () => {
    await open();
    terminal.press('s');
    await terminal.until(/Sort by/);
    terminal.click('Owner');
    expect(await terminal.until(/OWNER▲/)).not.toContain('Sort by');
  });

  test('is left to the terminal with --no-mouse', async () => {
    await open('--no-mouse');
    expect(terminal.state()).toMatchObject({ isAlternate: true, hasMouse: false });
  });
});
