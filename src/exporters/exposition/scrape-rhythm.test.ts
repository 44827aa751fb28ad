import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ScrapeRhythm } from './scrape-rhythm.ts';

/** Plays ticks from `from` on, with a request where `isAsked` says so; the ticks at which one was expected. */
function play(rhythm: ScrapeRhythm, from: number, to: number, isAsked: (tick: number) => boolean): readonly number[] {
  const expected: number[] = [];
  for (let tick = from; tick < to; tick++) {
    if (rhythm.expectedAfterMs(tick) !== null) expected.push(tick);
    if (isAsked(tick)) rhythm.asked(tick, 100);
  }
  return expected;
}

const every =
  (period: number, first = 0) =>
  (tick: number): boolean =>
    tick >= first && (tick - first) % period === 0;

test.each([1, 2, 5, 15, 60])('a request every %i ticks is expected after three of them', (period) => {
  const expected = play(new ScrapeRhythm(), 0, period * 10, every(period));
  expect(expected).toEqual([3, 4, 5, 6, 7, 8, 9].map((i) => i * period));
});

test('two scrapers with one period are expected both, and nobody in between', () => {
  const [one, other] = [every(15), every(15, 7)];
  const expected = play(new ScrapeRhythm(), 0, 150, (tick) => one(tick) || other(tick));
  expect(expected).toEqual([45, 52, 60, 67, 75, 82, 90, 97, 105, 112, 120, 127, 135, 142]);
});

test('a scraper that comes seldom is expected beside one that comes often', () => {
  const [one, other] = [every(5), every(60, 3)];
  const expected = play(new ScrapeRhythm(), 0, 400, (tick) => one(tick) || other(tick));
  expect(expected.filter((tick) => tick % 5 !== 0)).toEqual([183, 243, 303, 363]);
});

test('a rhythm that ends, or changes, costs one expectation in vain', () => {
  const rhythm = new ScrapeRhythm();
  play(rhythm, 0, 31, every(5));
  expect(play(rhythm, 31, 500, () => false)).toEqual([35]);
  expect(play(rhythm, 500, 531, every(5))).toEqual([515, 520, 525, 530]);
  expect(play(rhythm, 531, 580, every(7, 537))).toEqual([535, 558, 565, 572, 579]);
});

test('a scraper that comes a tick sooner, since ticks are late, is expected all the same from then on', () => {
  const rhythm = new ScrapeRhythm();
  play(rhythm, 0, 601, every(15));
  // At 614 instead of 615, and so on: only that one was not foreseen, and nothing is expected in vain.
  expect(play(rhythm, 601, 680, every(15, 614))).toEqual([629, 644, 659, 674]);
  expect(play(rhythm, 680, 740, every(15, 688))).toEqual([703, 718, 733]);
});

test('requests without a rhythm are not expected', () => {
  // The ticks are powers of two: no three of them are at equal distances.
  expect(play(new ScrapeRhythm(), 0, 5000, (tick) => Number.isInteger(Math.log2(tick)))).toEqual([]);
});

test('it is the first request after a tick that counts, and the earliest of those of other ticks', () => {
  const rhythm = new ScrapeRhythm();
  for (const tick of [0, 2, 4]) {
    rhythm.asked(tick, 800);
    rhythm.asked(tick, 900);
  }
  expect(rhythm.expectedAfterMs(6)).toBe(800);
  rhythm.asked(6, 850);
  for (const tick of [5, 7]) rhythm.asked(tick, 40);
  // Every tick from 4 on was asked for, and so was every second one.
  expect(rhythm.expectedAfterMs(8)).toBe(40);
});

test('ticks that were left out, and numbers that start again, do no harm', () => {
  const rhythm = new ScrapeRhythm();
  play(rhythm, 0, 10, () => true);
  expect(rhythm.expectedAfterMs(1000)).toBeNull();
  expect(play(rhythm, 0, 3, () => true)).toEqual([]);
  rhythm.asked(Number.MAX_SAFE_INTEGER, 0);
  expect(rhythm.expectedAfterMs(5000)).toBeNull();
});

test('whatever comes, no request is expected twice in vain without three in between', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (asks) => {
      const expected = play(new ScrapeRhythm(), 0, asks.length, (tick) => asks[tick] === true);
      const vain = expected.filter((tick) => asks[tick] !== true);
      vain.slice(1).forEach((tick, i) => {
        expect(asks.slice(vain[i]!, tick).filter((isAsked) => isAsked).length).toBeGreaterThanOrEqual(3);
      });
    }),
  );
});
