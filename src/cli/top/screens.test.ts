import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';
import { textWidth } from '../../tui/text/width.ts';
import { TestTerminal } from './test-terminal.ts';

const GOLDEN = resolve(import.meta.dirname, '../../../testdata/top');
/** The widest first: in it every column is awaited. */
const SIZES = [
  [200, 60],
  [120, 40],
  [80, 24],
] as const;

/** Bytes per second that stand in the middle of what is shown as 1.10, 1.20, 1.30 and 1.40 GiB, so that a late look changes nothing. */
const RATES = { 'pcie-tx': 1.1, 'pcie-rx': 1.2, 'nvlink-tx': 1.3, 'nvlink-rx': 1.4 } as const;

/** A machine with something of everything: busy, idle, held, throttled and lost GPUs, processes that are gone. */
function machine(gpus: number): string {
  const rates = Object.entries(RATES).map(([name, gib]) => `gpu * ${name} ${Math.round(gib * 2 ** 30)}`);
  const lines = [`gpus ${gpus}`, ...rates];
  for (let i = 0; i < gpus; i++) lines.push(`gpu ${i} utilization ${(i * 37 + 12) % 101}`);
  lines.push('process 0 pid 4190001 memory 8589934592 kind compute');
  lines.push('process 0 pid 4190002 memory 1073741824 kind graphics');
  if (gpus > 1) {
    lines.push('gpu 2 reasons 64', 'gpu 3 utilization 0', 'gpu 5 lost on');
    for (let i = 1; i < 5; i++) lines.push(`process ${i} pid ${4190010 + i} memory ${i * 3 * 2 ** 30} kind compute`);
  }
  return `${lines.join('\n')}\n`;
}

/** Without what is another at each run: names and times, and the charts, which grow from the right. */
function stable(screen: string): string {
  const [title = '', ...rest] = screen.split('\n');
  expect(title).toMatch(new RegExp(`^gpulse \\d+\\.\\d+\\.\\d+ · ${hostname()} · .*\\d\\d:\\d\\d:\\d\\d$`));
  return rest
    .map((line) => {
      return line
        .replace(/[\u2800-\u28ff]/g, ' ')
        .replace(/\d\d:\d\d:\d\d/g, 'hh:mm:ss')
        .replace(/\d+ (s|秒)(?=$| ago|前|没有)/g, 'N $1')
        .trimEnd();
    })
    .join('\n');
}

let driver: FakeDriver;
let terminal: TestTerminal;

afterEach(() => {
  terminal.close();
  driver.dispose();
});

describe.skipIf(!HAS_FAKE_DRIVER)('the main screen', () => {
  test.each([1, 8, 64].flatMap((gpus) => (['en', 'zh'] as const).map((lang) => [gpus, lang] as const)))(
    'of %i GPUs in %s, at every size it is resized to',
    async (gpus, lang) => {
      driver = new FakeDriver({ script: machine(gpus) });
      terminal = new TestTerminal({ columns: 100, rows: 30 });
      terminal.top(['--lang', lang, '--no-server', '--nvml-library', driver.library]);
      await terminal.until(/F10 (Quit|退出)/);
      for (const [columns, rows] of SIZES) {
        terminal.resize(columns, rows);
        // A terminal that has just become smaller shows a part of what it showed.
        const isDrawn = (text: string): boolean => {
          const lines = text.split('\n');
          return /^gpulse /.test(lines[0] ?? '') && /^Enter .*F10 (Quit|退出)$/.test(lines[rows - 1] ?? '');
        };
        // Rates, and that a GPU is lost, are known from the second sample on; an event is "now" for a moment.
        const hasRates = (text: string): boolean => gpus > 8 || columns < 200 || /↓\d/.test(text);
        const isSettled = (text: string): boolean => gpus === 1 || /[3-9] (s ago|秒前)/.test(text);
        const screen = await terminal.until((text) => isDrawn(text) && hasRates(text) && isSettled(text));
        for (const line of screen.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        const name = `${gpus}-gpus-${columns}x${rows}.${lang}.txt`;
        await expect(stable(screen)).toMatchFileSnapshot(join(GOLDEN, name));
      }
    },
    60_000,
  );
});
