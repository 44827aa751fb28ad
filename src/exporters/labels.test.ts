import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeLabelValue, LabelSet, placeOf } from './labels.ts';
import { gpu, migOf } from './test-page.ts';

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

test('longer sets are made once', () => {
  const [base, values] = [new LabelSet([['a', 1]]), ['on', 'off']];
  const state = { name: 'state', values };
  const sets = base.eachOf(state);
  expect(sets.map(({ text }) => text)).toEqual(['{a="1",state="on"} ', '{a="1",state="off"} ']);
  expect(base.eachOf(state)).toBe(sets);
  const other = base.eachOf({ name: 'other', values });
  expect(other.map(({ text }) => text)).toEqual(['{a="1",other="on"} ', '{a="1",other="off"} ']);
  const more = new LabelSet([['b', 2]]);
  expect(base.before(more).text).toBe('{a="1",b="2"} ');
  expect(base.before(more)).toBe(base.before(more));
});

test('a device is placed by its index and UUID, an instance by its own', () => {
  const card = gpu(1);
  expect(placeOf(card).text).toBe('{gpu="1",uuid="GPU-1a"} ');
  expect(placeOf(card)).toBe(placeOf(card));
  expect(placeOf(migOf(card, 2)).text).toBe('{gpu="1",uuid="MIG-1-2-0"} ');
});
