import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeLabelValue, LabelSet } from './labels.ts';

test('label values are escaped', () => {
  const check = (value: string, text: string) => expect(new LabelSet([['a', value]]).text).toBe(`{a="${text}"} `);
  check('plain', 'plain');
  check('say "hi"', 'say \\"hi\\"');
  check('C:\\dir', 'C:\\\\dir');
  check('two\nlines', 'two\\nlines');
  check('显卡 ½ 🚀', '显卡 ½ 🚀');
  check('\\n', '\\\\n');
  check('tab\there', 'tab\there');
  check('nul\u0000cr\r', 'nul\ufffdcr\ufffd');
});

test('what has no value is no label', () => {
  const labels = new LabelSet([
    ['a', null],
    ['b', undefined],
    ['c', ''],
    ['d', 0],
  ]);
  expect(labels.pairs).toEqual([['d', '0']]);
  expect(new LabelSet([['a', null]]).text).toBe(' ');
  expect(labels.with([])).toBe(labels);
  expect(labels.with([['e', 'x']]).text).toBe('{d="0",e="x"} ');
});

/** As the specification of the text format reads a label value. */
function readBack(text: string): string {
  return text.replace(/\\(.)/gs, (_, char: string) => (char === 'n' ? '\n' : char));
}

test('every value can be read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const escaped = escapeLabelValue(value);
      expect(readBack(escaped)).toBe(value);
      expect(escaped).not.toMatch(/\n|(?<!\\)(?:\\\\)*"/);
    }),
  );
});
