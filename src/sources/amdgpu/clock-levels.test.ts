import { expect, test } from 'vitest';
import { parseLevels } from './clock-levels.ts';

const NONE = { absent: 'not-supported' };
const ERROR = { absent: 'error' };

test.each<[string, string, unknown, unknown]>([
  ['the marked level is the current one', '0: 500Mhz \n1: 2474Mhz *\n2: 2600Mhz ', 2474e6, 2600e6],
  ['one of deep sleep', 'S: 19Mhz *\n0: 500Mhz\n1: 2100Mhz', 19e6, 2100e6],
  ['a range with the clock between its ends', '0: 200Mhz\n1: 774Mhz *\n2: 2200Mhz', 774e6, 2200e6],
  ['levels of which none is marked', '0: 300Mhz\n1: 600Mhz', NONE, 600e6],
  ['spaces and capitals', '  0 :  96 MHz\n 1: 1000 MHZ  *', 1000e6, 1000e6],
  ['a line that is none', 'OD_SCLK:\n0: 500Mhz *\nnonsense', 500e6, 500e6],
  ['a level no chip has', '0: 500Mhz\n1: 99999999Mhz *', NONE, 500e6],
  ['nothing', '', ERROR, ERROR],
  ['something else', 'N/A', ERROR, ERROR],
])('%s', (_, text, current, highest) => expect(parseLevels(text)).toEqual({ current, highest }));
