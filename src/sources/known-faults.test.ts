import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const ROW = /^\| .+ \| .+ \| `(src\/[^`]+\.test\.ts)`: (.+) \|$/;

/** The tests that a table of faults names, as file and title. */
function testsIn(page: string): string[][] {
  const lines = readFileSync(join(ROOT, 'docs', page), 'utf8')
    .split('\n')
    .slice(0, -1);
  const rows = lines.slice(lines.findIndex((line) => line.startsWith('|---')) + 1);
  return rows.map((line) => ROW.exec(line)?.slice(1) ?? [line]);
}

test('every test that the table of known faults names is there', () => {
  const named = testsIn('known-faults.md');
  expect(named.length).toBeGreaterThan(40);
  const missing = named.filter(([file = '', title = '']) => {
    const path = join(ROOT, file);
    return title === '' || !existsSync(path) || !readFileSync(path, 'utf8').includes(title);
  });
  expect(missing).toEqual([]);
});

test('both languages name the same tests', () => {
  expect(testsIn('known-faults.zh.md')).toEqual(testsIn('known-faults.md'));
});
