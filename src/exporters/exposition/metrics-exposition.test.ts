import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ADMINISTRATOR } from '../../model/ports.ts';
import { createPageWriter } from '../metric-profiles.ts';
import type { Page } from '../page.ts';
import { gpu, NAMING, pageOf, viewOf } from '../test-page.ts';
import { MetricsExposition } from './metrics-exposition.ts';

/** An exposition over a tick that a test replaces, and the number of pages made. */
function setUp() {
  const state = { sequence: 1, now: 0, made: 0, page: pageOf([viewOf(gpu(0), { power_watts: 1 })]) as Page };
  const writer = createPageWriter('node-1', NAMING);
  const exposition = new MetricsExposition({
    writer: {
      write(page, sink) {
        state.made++;
        writer.write(page, sink);
      },
    },
    page: () => state.page,
    sequence: () => state.sequence,
    monotonic: () => state.now,
  });
  const scrape = (accept?: string, acceptEncoding?: string) =>
    exposition.page({ viewer: ADMINISTRATOR, accept, acceptEncoding });
  return { state, scrape };
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
  const { state, scrape } = setUp();
  await scrape();
  state.now = 999;
  await scrape();
  expect(state.made).toBe(1);
  state.now = 1000;
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
