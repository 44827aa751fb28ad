import { expect, test } from 'vitest';
import { lineColours, paletteFor } from './palette.ts';

test('the lines of a chart never share a colour, whatever GPU it is', () => {
  for (const dark of [false, true]) {
    for (let index = 0; index < 16; index++) {
      const { main, second, third, fourth } = lineColours(paletteFor(dark), index);
      expect(new Set([main, second, third, fourth]).size, `GPU ${index}`).toBe(4);
    }
  }
});
