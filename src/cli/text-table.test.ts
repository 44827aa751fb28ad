import { expect, test } from 'vitest';
import { type TableLine, textTables } from './text-table.ts';

const LINES: readonly TableLine[] = [
  { head: 'Power', cells: [] },
  { head: '  limit', cells: ['700 W', '不支持', '5 W'] },
];

test('columns are aligned as a terminal shows them, Chinese characters being twice as wide', () => {
  expect(textTables(['GPU 0', 'GPU 1', 'GPU 2'], LINES, 80)).toEqual([
    ['         GPU 0  GPU 1   GPU 2', 'Power', '  limit  700 W  不支持  5 W'].join('\n'),
  ]);
});

test('columns that do not fit follow in another table, one at least in each', () => {
  const heads = (width: number) =>
    textTables(['GPU 0', 'GPU 1', 'GPU 2'], LINES, width).map((table) => table.split('\n')[0]?.trim());
  expect(heads(22)).toEqual(['GPU 0  GPU 1', 'GPU 2']);
  expect(heads(21)).toEqual(['GPU 0', 'GPU 1', 'GPU 2']);
  expect(heads(0)).toEqual(['GPU 0', 'GPU 1', 'GPU 2']);
});
