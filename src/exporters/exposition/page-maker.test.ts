import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Stop } from '../../model/clock.ts';
import { ManualClock } from '../../model/manual-clock.ts';
import { createPageWriter } from '../metric-profiles.ts';
import { gpu, NAMING, NOW, pageOf, wholeView } from '../test-page.ts';
import type { MadePage } from './made-page.ts';
import { PageMaker } from './page-maker.ts';

/** A clock that work takes time on: every look at it costs some, and a timer at least a millisecond. */
class BusyClock extends ManualClock {
  lookMs = 0;
  #spentMs = 0;

  override monotonic(): number {
    this.#spentMs += this.lookMs;
    return super.monotonic() + this.#spentMs;
  }

  override after(delayMs: number, run: () => void): Stop {
    return super.after(Math.max(1, delayMs), run);
  }
}

/** A maker of pages of 64 GPUs, whose samples tell the tick by their age. */
function setUp() {
  const clock = new BusyClock();
  const state = { tick: 1, begun: 0, faultAt: Number.NaN };
  const writer = createPageWriter('node-1', NAMING);
  const maker = new PageMaker({
    ...{ format: 'prometheus', clock, sequence: () => state.tick },
    writer: {
      *inSteps(page, sink) {
        state.begun++;
        for (const step of writer.inSteps(page, sink)) {
          if (state.tick === state.faultAt) throw new Error('BUG: no page');
          yield step;
        }
      },
    },
    page: () => pageOf(Array.from({ length: 64 }, (_, i) => wholeView(gpu(i), { at: state.tick * 1000 }))),
  });
  const tick = (): void => {
    state.tick++;
    maker.ticked();
  };
  /** Makes the page ahead on a clock on which that takes several slices; the pages that were told of. */
  const begin = (): readonly MadePage[] => {
    clock.lookMs = 1.2;
    const done: MadePage[] = [];
    maker.makeAhead((page) => done.push(page));
    return done;
  };
  return { clock, state, maker, tick, begin };
}

/** Which tick a page shows, all of it. */
function tickOf(page: MadePage): number {
  const text = page.plain().toString();
  const ages = [...text.matchAll(/^gpulse_sample_age_seconds\{gpu="\d+",uuid="GPU-\d+a"\} (\S+)$/gm)];
  expect(ages.map(([, age]) => Number(age))).toEqual(Array(64).fill((NOW - page.sequence * 1000) / 1000));
  expect(text).toContain('gpulse_reading_errors_total{gpu="63",uuid="GPU-63a"} 0\n');
  return page.sequence;
}

test('for a moment after a tick the page of the tick before is given, where there is one', async () => {
  const { clock, maker, tick } = setUp();
  expect(tickOf(maker.page())).toBe(1);
  await clock.advance(850);
  tick();
  expect(tickOf(maker.page())).toBe(1);
  await clock.advance(99);
  expect(tickOf(maker.page())).toBe(1);
  await clock.advance(1);
  expect(tickOf(maker.page())).toBe(2);
  await clock.advance(1100);
  tick();
  // It is more than a second old.
  expect(tickOf(maker.page())).toBe(3);
  await clock.advance(500);
  tick();
  tick();
  // It is that of the tick before the last one.
  expect(tickOf(maker.page())).toBe(5);
});

test('while a page is made in slices, the one before is given whole', async () => {
  const { clock, state, maker, tick, begin } = setUp();
  maker.page();
  await clock.advance(100);
  tick();
  await clock.advance(200);
  const done = begin();
  const given: number[] = [];
  while (done.length === 0) {
    given.push(tickOf(maker.page()));
    await clock.advance(1);
  }
  expect(given.length).toBeGreaterThan(10);
  // Whoever comes between the last slice and the news of it is given the new one.
  expect(given.slice(0, -1).every((sequence) => sequence === 1)).toBe(true);
  expect(maker.page()).toBe(done[0]);
  expect([tickOf(maker.page()), state.begun]).toEqual([2, 2]);
});

test('where there is none before, the page that is being made is made to its end', async () => {
  const { clock, state, maker, tick, begin } = setUp();
  maker.page();
  await clock.advance(2000);
  tick();
  const done = begin();
  await clock.advance(2);
  expect(tickOf(maker.page())).toBe(2);
  await clock.advance(2);
  expect([done.length, done[0] === maker.page(), state.begun]).toEqual([1, true, 2]);
});

test('a tick gives up the page that is being made', async () => {
  const { clock, state, maker, tick, begin } = setUp();
  maker.page();
  await clock.advance(2000);
  tick();
  const done = begin();
  await clock.advance(2);
  tick();
  await clock.advance(100);
  expect([done.length, tickOf(maker.page()), state.begun]).toEqual([0, 3, 3]);
});

test('after a fault in the middle of a page the next one is whole', async () => {
  const { clock, state, maker, tick } = setUp();
  maker.page();
  await clock.advance(2000);
  tick();
  state.faultAt = 2;
  maker.makeAhead(() => expect.unreachable());
  expect(() => maker.page()).toThrow('BUG');
  state.faultAt = Number.NaN;
  expect(tickOf(maker.page())).toBe(2);
});

test('pages that are only sent compressed take turns in the memory of two', async () => {
  const { clock, maker, tick } = setUp();
  const buffers = new Set<ArrayBufferLike>();
  for (let i = 0; i < 12; i++) {
    const packed = await maker.page().compressed();
    expect(gunzipSync(packed).toString()).toContain('gpulse_reading_errors_total{gpu="63",uuid="GPU-63a"} 0\n');
    const { room } = maker.page();
    if (i > 1 && room !== null) buffers.add(room.buffer);
    await clock.advance(1000);
    tick();
    await clock.advance(200);
  }
  expect(buffers.size).toBe(2);
});
