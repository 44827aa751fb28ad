import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../model/manual-clock.ts';
import { ADMINISTRATOR } from '../../model/ports.ts';
import { createPageWriter } from '../metric-profiles.ts';
import type { Page } from '../page.ts';
import { gpu, NAMING, pageOf, viewOf, wholeView } from '../test-page.ts';
import { MetricsExposition } from './metrics-exposition.ts';

/** An exposition over a tick that a test replaces, and the number of pages made. */
function setUp() {
  const clock = new ManualClock();
  const state = { sequence: 1, made: 0, page: pageOf([viewOf(gpu(0), { power_watts: 1 })]) as Page };
  const writer = createPageWriter('node-1', NAMING);
  const exposition = new MetricsExposition({
    writer: {
      inSteps(page, sink) {
        state.made++;
        return writer.inSteps(page, sink);
      },
    },
    page: () => state.page,
    sequence: () => state.sequence,
    clock,
  });
  const scrape = (accept?: string, acceptEncoding?: string) =>
    exposition.page({ viewer: ADMINISTRATOR, accept, acceptEncoding });
  /** The next tick: this reading of the one GPU there is. */
  const tick = (watts: number) => {
    state.page = pageOf([viewOf(gpu(0), { power_watts: watts })]);
    state.sequence++;
    exposition.ticked();
  };
  return { state, clock, exposition, scrape, tick };
}

test('scrapers share a page until the next tick', async () => {
  const { state, scrape } = setUp();
  const pages = await Promise.all(Array.from({ length: 50 }, () => scrape(undefined, 'gzip')));
  expect(state.made).toBe(1);
  expect(new Set(pages.map(({ body }) => body)).size).toBe(1);
  expect((await scrape()).body.toString()).toBe(gunzipSync(pages[0]!.body).toString());
  expect(state.made).toBe(1);
  state.page = pageOf([viewOf(gpu(0), { power_watts: 2 })]);
  state.sequence++;
  expect((await scrape()).body.toString()).toContain('gpulse_power_watts{gpu="0",uuid="GPU-0a"} 2\n');
  expect(state.made).toBe(2);
});

test('while no tick comes, a page is not older than a second', async () => {
  const { state, clock, scrape } = setUp();
  await scrape();
  await clock.advance(999);
  await scrape();
  expect(state.made).toBe(1);
  await clock.advance(1);
  await scrape();
  expect(state.made).toBe(2);
});

test('the form and the coding are those that were asked for', async () => {
  const { scrape } = setUp();
  const plain = await scrape();
  expect([plain.contentType, plain.encoding]).toEqual(['text/plain; version=0.0.4; charset=utf-8', null]);
  expect(plain.body.at(-1)).toBe(10);
  const open = await scrape('application/openmetrics-text; version=1.0.0', 'gzip');
  expect(open.contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(gunzipSync(open.body).toString().endsWith('# EOF\n')).toBe(true);
});

test('a page longer than the one before, and text of more than one byte a character, are whole', async () => {
  const { state, scrape } = setUp();
  await scrape();
  const name = '显'.repeat(5000);
  state.page = pageOf(
    Array.from({ length: 40 }, (_, i) => viewOf(gpu(i, { name: `${name}${i}` }), { power_watts: i })),
  );
  state.sequence++;
  const text = (await scrape()).body.toString();
  for (let i = 0; i < 40; i++) expect(text).toContain(`name="${name}${i}"`);
  expect(text).not.toContain('\ufffd');
});

test('a page that somebody has is not written over by the next one', async () => {
  const { state, scrape } = setUp();
  const pages: { text: string; body: Buffer; isCompressed: boolean }[] = [];
  for (let tick = 0; tick < 12; tick++) {
    state.page = pageOf([viewOf(gpu(0), { power_watts: 1000 + tick })]);
    state.sequence++;
    // Compressed, then plain, then both at once: what is being compressed may be asked for as it is.
    const codings = [['gzip'], [''], ['gzip', '', 'gzip']][tick % 3] ?? [];
    const found = await Promise.all(codings.map((coding) => scrape(undefined, coding)));
    for (const { body, encoding } of found)
      pages.push({ text: `} ${1000 + tick}\n`, body, isCompressed: encoding === 'gzip' });
  }
  for (const { text, body, isCompressed } of pages)
    expect((isCompressed ? gunzipSync(body) : body).toString()).toContain(
      `gpulse_power_watts{gpu="0",uuid="GPU-0a"${text}`,
    );
});

test('the memory of a page that was only sent compressed is used again', async () => {
  const { state, scrape } = setUp();
  const next = async (gpus: number, coding?: string) => {
    state.page = pageOf(Array.from({ length: gpus }, (_, i) => wholeView(gpu(i))));
    state.sequence++;
    return (await scrape(undefined, coding)).body;
  };
  const given = await next(32);
  await next(1, 'gzip');
  await next(1, 'gzip');
  const last = await next(1);
  // Room was made once, for a page as long as the one that was given away.
  expect(last.buffer.byteLength).toBeGreaterThan(given.length);
  expect(last.buffer).not.toBe(given.buffer);
  const own = await next(1);
  expect(own.buffer.byteLength).toBeLessThan(given.length);
});

describe('a page made ahead', () => {
  /** Ticks every `intervalMs`, each asked for `phaseMs` after it; ends right after a tick. */
  async function keepRhythm(parts: ReturnType<typeof setUp>, intervalMs: number, phaseMs: number, coding?: string) {
    for (let i = 1; i <= 4; i++) {
      parts.tick(i);
      await parts.clock.advance(phaseMs);
      await parts.scrape(undefined, coding);
      await parts.clock.advance(intervalMs - phaseMs);
    }
    parts.tick(5);
  }

  test('is ready when it is asked for, as fresh as the tick', async () => {
    const parts = setUp();
    const { state, clock, scrape } = parts;
    await keepRhythm(parts, 1000, 300, 'gzip');
    // Not within the tick, which others wait for.
    expect(state.made).toBe(4);
    await clock.advance(0);
    expect(state.made).toBe(5);
    await clock.advance(300);
    const { body } = await scrape(undefined, 'gzip');
    expect(gunzipSync(body).toString()).toContain('gpulse_power_watts{gpu="0",uuid="GPU-0a"} 5\n');
    expect(state.made).toBe(5);
  });

  test('that nobody asked for is the last one until there is a rhythm again', async () => {
    const parts = setUp();
    const { state, clock, scrape, tick } = parts;
    await keepRhythm(parts, 1000, 300);
    for (let i = 6; i < 20; i++) {
      await clock.advance(1000);
      tick(i);
    }
    expect(state.made).toBe(5);
    await scrape();
    tick(20);
    await clock.advance(1000);
    expect(state.made).toBe(6);
    await keepRhythm(parts, 1000, 300);
    await clock.advance(0);
    expect(state.made).toBe(11);
  });

  test('is made half a second before it is asked for where ticks are far apart', async () => {
    const parts = setUp();
    const { state, clock, scrape } = parts;
    await keepRhythm(parts, 5000, 3000);
    await clock.advance(2499);
    expect(state.made).toBe(4);
    await clock.advance(1);
    expect(state.made).toBe(5);
    await clock.advance(999);
    await scrape();
    expect(state.made).toBe(5);
    // Older than a second: made anew, however it came about.
    await clock.advance(1);
    await scrape();
    expect(state.made).toBe(6);
  });

  test('has the form that is asked for', async () => {
    const parts = setUp();
    const { state, clock, scrape } = parts;
    await keepRhythm(parts, 1000, 300);
    await clock.advance(300);
    expect(state.made).toBe(5);
    await scrape('application/openmetrics-text; version=1.0.0');
    expect(state.made).toBe(6);
  });

  test('is not made once the exposition is closed', async () => {
    const parts = setUp();
    const { state, clock, exposition, tick } = parts;
    await keepRhythm(parts, 1000, 300);
    exposition.close();
    await clock.advance(1000);
    tick(6);
    await clock.advance(1000);
    expect(state.made).toBe(4);
  });

  test('that fails leaves it to whoever asks to hear of it', async () => {
    const parts = setUp();
    const { state, clock, scrape } = parts;
    await keepRhythm(parts, 1000, 300);
    state.page = null as unknown as Page;
    await clock.advance(300);
    await expect(scrape()).rejects.toThrow();
    state.page = pageOf([viewOf(gpu(0), { power_watts: 6 })]);
    expect((await scrape()).body.toString()).toContain('} 6\n');
  });
});

test('a long page is compressed like a short one', async () => {
  const { state, scrape } = setUp();
  state.page = pageOf(Array.from({ length: 128 }, (_, i) => wholeView(gpu(i))));
  const [packed, again] = await Promise.all([scrape(undefined, 'gzip'), scrape(undefined, 'gzip')]);
  const { body } = await scrape();
  expect(body.length).toBeGreaterThan(512 * 1024);
  expect(gunzipSync(packed.body).equals(body)).toBe(true);
  expect(again.body).toBe(packed.body);
});
