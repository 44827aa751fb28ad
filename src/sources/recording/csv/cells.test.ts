import fc from 'fast-check';
import { expect, test } from 'vitest';
import { absenceIn } from './absence-words.ts';
import { Cells, SEPARATORS, splitText } from './cells.ts';

test('a record is cut at commas, without the blanks and quotes around its cells', () => {
  const check = (line: string, ...want: string[]) => expect(splitText(line), line).toEqual(want);
  check('', '');
  check('a', 'a');
  check('a, b ,c', 'a', 'b', 'c');
  check(',a,', '', 'a', '');
  check('\ta\t,\tb', 'a', 'b');
  check('"a", "b, c"', 'a', 'b, c');
  check('"a" ,""', 'a', '');
  check('a "b", c', 'a "b"', 'c');
  check('"a": "b", c', '"a": "b"', 'c');
  check('"a ""b""", c', 'a "b"', 'c');
  check('显卡, °C', '显卡', '°C');
  check('a\u0007b', 'a b');
});

test('a quote that is not closed leaves the record open', () => {
  const isClosed = (line: string): boolean => {
    const bytes = new TextEncoder().encode(line);
    return new Cells().split(bytes, 0, bytes.length);
  };
  expect([isClosed('1, "26.11'), isClosed('1, "26.11\n0"'), isClosed('1, "a""'), isClosed('5" disk')]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

test('cells beyond the record are not looked at', () => {
  const bytes = new TextEncoder().encode('a, "b"",c');
  const cells = new Cells();
  expect(cells.split(bytes, 0, 6)).toBe(true);
  expect([cells.count, cells.text(bytes, 1)]).toEqual([2, 'b']);
});

test('merging makes one cell of several and moves the rest up', () => {
  const bytes = new TextEncoder().encode('1, a, b, c, 2');
  const cells = new Cells();
  cells.split(bytes, 0, bytes.length);
  cells.merge(1, 2);
  expect([cells.count, cells.text(bytes, 0), cells.text(bytes, 1), cells.text(bytes, 2)]).toEqual([
    3,
    '1',
    'a, b, c',
    '2',
  ]);
});

/** Where the cells of a line are. */
function positions(cells: Cells, line: string): unknown {
  const bytes = new TextEncoder().encode(line);
  if (!cells.split(bytes, 0, bytes.length)) return 'open';
  return [cells.isQuoted, ...Array.from({ length: cells.count }, (_, at) => [cells.starts[at], cells.ends[at]])];
}

/** The cells from `first` on of a line, expected in the next one. */
function expecting(line: string, first: number, count: number): Cells {
  const bytes = new TextEncoder().encode(line);
  const cells = new Cells();
  cells.split(bytes, 0, bytes.length);
  cells.expect(cells.run(bytes, first, count));
  return cells;
}

test('cells that come again as expected are found at once, wherever they are now', () => {
  const cells = expecting('08:00, 3, GPU-1, A100 , 89 %', 1, 3);
  const line = '12:00:00,  3, GPU-1, A100 , 7 %, 8';
  expect(positions(cells, line)).toEqual(positions(new Cells(), line));
  expect(cells.found?.count).toBe(3);
  for (const other of ['08:00, 3, GPU-2, A100 , 89 %', '08:00, 3, GPU-1, A100', '3, GPU-1, A100 , 89 %']) {
    expect(positions(cells, other), other).toEqual(positions(new Cells(), other));
    expect(cells.found, other).toBeNull();
  }
});

test('expecting cells never changes what is found', () => {
  const piece = fc.constantFrom(', ', ',', ' ', '"', 'GPU-0', 'A100', '7 %', '\u00b0');
  const line = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(
      line,
      line,
      fc.nat(4),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(60),
      (before, more, first, count, cut) => {
        const cells = expecting(before, first, count);
        for (const next of [before, before.slice(0, cut) + more, more + before]) {
          expect(positions(cells, next), next).toEqual(positions(new Cells(), next));
        }
      },
    ),
  );
});

test('only known words are absences', () => {
  const check = (text: string, want: string | null) => expect(absenceIn(text), text).toBe(want);
  check('[N/A]', 'not-supported');
  check('[ERR!]', 'error');
  check('[gpu is lost]', 'gpu-lost');
  check('[Something New]', null);
  check('0', null);
  check('[]', 'not-collected');
});

test('a line that only has to be cut has the same cells as a record', () => {
  const piece = fc.constantFrom(' ', ',', ';', '\t', 'a', '7 %', '\u00a0', '\u0007', '°', '\r');
  fc.assert(
    fc.property(fc.array(piece), fc.constantFrom(...SEPARATORS), (pieces, separator) => {
      const line = pieces.join('');
      const bytes = new TextEncoder().encode(line);
      const cells = new Cells(separator);
      cells.split(bytes, 0, bytes.length);
      expect(splitText(line, separator)).toEqual(Array.from({ length: cells.count }, (_, at) => cells.text(bytes, at)));
    }),
  );
});
