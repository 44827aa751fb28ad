import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ScrapeRhythm } from './scrape-rhythm.ts';

const TICK_MS = 1000;
/** As long behind a tick as its page may come from the one before. */
const TURN_MS = 50;

/** Ticks every second up to `until`, with requests at these times; when requests were expected. */
function play(rhythm: ScrapeRhythm, until: number, requests: readonly number[], from = 0): readonly number[] {
  const waiting = requests.filter((at) => at >= from).sort((a, b) => a - b);
  const expected: number[] = [];
  for (let tick = from; tick < until; tick += TICK_MS) {
    const found = rhythm.next(tick, tick + TURN_MS, tick + TICK_MS + TURN_MS);
    if (found !== null) expected.push(found);
    while (waiting[0]! < tick + TICK_MS) rhythm.asked(waiting.shift()!);
  }
  return expected;
}

/** Times at such distances, in milliseconds. */
const every = (periodMs: number, until: number, firstMs = 0): number[] =>
  Array.from({ length: Math.ceil((until - firstMs) / periodMs) }, (_, i) => firstMs + i * periodMs);

test.each([1, 2, 5, 15, 60])('a request every %i seconds is expected after three of them', (seconds) => {
  const requests = every(seconds * 1000, seconds * 10_000, 300);
  expect(play(new ScrapeRhythm(), seconds * 10_000, requests)).toEqual(requests.slice(3));
});

test('the period need not be one of whole ticks', () => {
  const requests = every(2700, 40_000, 300);
  expect(play(new ScrapeRhythm(), 40_000, requests)).toEqual(requests.slice(3).filter((at) => at < 40_000));
});

test('two scrapers with one period are expected both, and nobody in between', () => {
  const requests = [...every(15_000, 150_000, 300), ...every(15_000, 150_000, 7400)].sort((a, b) => a - b);
  expect(play(new ScrapeRhythm(), 150_000, requests)).toEqual(requests.slice(6));
});

test('a scraper that comes seldom is expected beside one that comes often', () => {
  const [often, seldom] = [every(5000, 400_000, 300), every(60_000, 400_000, 3300)];
  const expected = play(new ScrapeRhythm(), 400_000, [...often, ...seldom]);
  expect(expected.filter((at) => at % 5000 !== 300)).toEqual(seldom.slice(3));
});

test('a rhythm that ends, or changes, costs one expectation in vain', () => {
  const rhythm = new ScrapeRhythm();
  play(rhythm, 31_000, every(5000, 31_000, 300));
  expect(play(rhythm, 500_000, [], 31_000)).toEqual([35_300]);
  const again = every(5000, 531_000, 500_300);
  expect(play(rhythm, 531_000, again, 500_000)).toEqual(again.slice(3));
  const other = every(7000, 580_000, 537_300);
  expect(play(rhythm, 580_000, other, 531_000)).toEqual([535_300, ...other.slice(3)]);
});

describe('a scraper that comes about when a tick does', () => {
  test.each([0, 30, TURN_MS, 990])(
    '%i ms behind it, now a little sooner and now a little later, is expected',
    (phase) => {
      const requests = every(1000, 62_000, phase + 20).map((at, i) => at + ((i * 7) % 5) * 10 - 20);
      const expected = play(new ScrapeRhythm(), 60_000, requests);
      expect(expected.length).toBeGreaterThan(50);
      for (const at of expected)
        expect(Math.min(...requests.map((request) => Math.abs(request - at)))).toBeLessThan(100);
    },
  );

  test('is expected when ticks drift through its phase', () => {
    // A tick that is 2 ms late each time against a scraper that is never late.
    const rhythm = new ScrapeRhythm();
    let [found, asked] = [0, 0];
    for (let tick = 0; tick < 1000 * 1002; tick += 1002) {
      if (rhythm.next(tick, tick + TURN_MS, tick + 1002 + TURN_MS) !== null) found++;
      for (; asked < tick + 1002; asked += 5000) rhythm.asked(asked);
    }
    expect(found).toBe(asked / 5000 - 3);
  });
});

test('requests without a rhythm are not expected', () => {
  // The times are powers of two: no three of them are at equal distances.
  const requests = Array.from({ length: 12 }, (_, i) => 1000 * 2 ** i);
  expect(play(new ScrapeRhythm(), 5_000_000, requests)).toEqual([]);
});

test('of many requests in one tick the first is expected', () => {
  const expected = play(new ScrapeRhythm(), 20_000, every(100, 20_000, 60));
  expect(expected).toEqual(every(1000, 20_000, 2060));
});

test('ticks that come late or not at all do no harm', () => {
  const rhythm = new ScrapeRhythm();
  play(rhythm, 10_000, every(1000, 10_000, 300));
  expect(rhythm.next(1_000_000, 1_000_050, 1_990_050)).toBeNull();
  expect(play(rhythm, 1_003_000, every(1000, 1_003_000, 1_000_300), 1_000_000)).toEqual([]);
});

test('whatever comes, nobody is expected often in vain', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 8000 }), { maxLength: 200 }), (distances) => {
      let at = 0;
      const requests = distances.map((distance) => {
        at += distance;
        return at;
      });
      const expected = play(new ScrapeRhythm(), at + 20_000, requests);
      const vain = expected.filter((time) => requests.every((request) => Math.abs(request - time) > 100));
      // Two may be expected before the first of them is known to be in vain; then it takes three more to expect anybody.
      vain.slice(2).forEach((time, i) => {
        expect(requests.filter((request) => request >= vain[i]! && request < time).length).toBeGreaterThanOrEqual(3);
      });
    }),
  );
});
