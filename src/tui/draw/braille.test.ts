import { expect, test } from 'vitest';
import { asciiChart, brailleChart } from './braille.ts';

const at = (mean: number, max = mean) => ({ mean, max });

test('a chart is filled up to the mean, with the highest second as a dot of its own', () => {
  expect(brailleChart([at(1), at(0.5)], 1)).toEqual(['⣧']);
  expect(brailleChart([at(0.25, 1), at(0.25, 1)], 1)).toEqual(['⣉']);
  expect(brailleChart([at(0.5), at(1)], 2)).toEqual(['⢸', '⣿']);
});

test('nothing measured is blank, nothing used is a line on the ground, and next to nothing is seen', () => {
  expect(brailleChart([null, null, at(0), at(0), at(0.001), null], 1)).toEqual([' ⣀⡀']);
});

test('more than the scale is the whole height', () => {
  expect(brailleChart([at(3), at(3)], 2)).toEqual(['⣿', '⣿']);
});

test('without braille the same in fewer steps, with the peak as an apostrophe', () => {
  expect(asciiChart([at(1), at(1), at(0), at(0), null, null], 2)).toEqual(['#  ', '#_ ']);
  expect(asciiChart([at(0.2, 1), at(0.2, 1)], 2)).toEqual(["'", ':']);
});
