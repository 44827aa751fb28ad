import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ServeConfig } from '../src/app/config.ts';
import { type App, startApp } from '../src/app/serve.ts';
import { systemClock } from '../src/model/clock.ts';
import { CHROMIUM, TestBrowser } from './test-browser.ts';

const CONFIG: ServeConfig = {
  host: '127.0.0.1',
  port: 0,
  basePath: '',
  allowAnonymous: false,
  allowedHosts: [],
  data: null,
  keep: null,
  intervalMs: 200,
  source: 'simulate:gpu-lost,history=10m,at=8m',
  speed: Number.POSITIVE_INFINITY,
  nvmlLibrary: null,
  timeZone: null,
  demoWithoutGpu: false,
};

describe.skipIf(CHROMIUM === null)('in a browser', () => {
  let browser: TestBrowser;
  let apps: App[] = [];

  beforeAll(async () => {
    browser = await TestBrowser.launch();
  });

  afterEach(async () => {
    await browser.closePages();
    for (const app of apps.splice(0)) await app.close();
  });

  afterAll(() => browser.close());

  async function serve(config: Partial<ServeConfig> = {}): Promise<App> {
    const app = await startApp({ ...CONFIG, ...config }, systemClock);
    apps.push(app);
    return app;
  }

  const open = (app: App, path?: string): Promise<Page> => browser.open(app, path);

  test('the overview says that it is simulated, marks the lost GPU, lists it first, and moves on', async () => {
    const app = await serve();
    const page = await open(app);
    await page.getByText('Simulated demonstration, not this machine').waitFor();
    await page.getByRole('button', { name: '1 lost' }).waitFor();
    const rows = page.locator('tr.row');
    expect(await rows.count()).toBe(8);
    expect(await rows.first().textContent()).toContain('lost');
    expect(await rows.nth(1).textContent()).not.toContain('lost');
    const text = await page.locator('tbody').textContent();
    await expect.poll(() => page.locator('tbody').textContent(), { timeout: 5000 }).not.toBe(text);
    await page.getByText(/GPU \d+ \(NVIDIA H100 80GB HBM3\) is lost/).waitFor();
    expect(await page.title()).toMatch(/^\(1\) /);
    browser.expectNoFaults(app);
  });

  test('an absent value is a dash with its reason, never a zero', async () => {
    const page = await open(await serve());
    const lost = page.locator('tr.row-lost');
    await lost.waitFor();
    const cells = await lost.locator('td').allInnerTexts();
    expect(cells.slice(1).every((cell) => cell.includes('–') && !cell.includes('0'))).toBe(true);
    expect(await lost.locator('.missing').first().getAttribute('title')).toBe('GPU lost');
  });

  test('a count filters, the URL keeps it, and Back takes it away', async () => {
    const page = await open(await serve());
    await page.getByRole('button', { name: '1 lost' }).click();
    await expect.poll(() => page.locator('tr.row').count()).toBe(1);
    expect(page.url()).toContain('?state=lost');
    await page.reload();
    await expect.poll(() => page.locator('tr.row').count()).toBe(1);
    await page.goBack();
    await expect.poll(() => page.locator('tr.row').count()).toBe(8);
    await page.keyboard.press('/');
    await page.keyboard.type('no such user');
    await page.getByText('No GPU matches this filter.').waitFor();
  });

  test('the language can be switched, and events come in it', async () => {
    const app = await serve();
    const page = await open(app);
    await page.getByRole('button', { name: '中文' }).click();
    await page.getByText('模拟演示，并非本机数据').waitFor();
    await page.getByRole('button', { name: '1 块掉卡' }).waitFor();
    await page.getByText(/GPU \d+（NVIDIA H100 80GB HBM3）掉卡/).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    expect(page.url()).toContain('lang=zh');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('button', { name: '1 lost' }).waitFor();
    browser.expectNoFaults(app);
  });

  test('a row opens its GPU, charts share a cursor, zoom with a drag, and Back leads out again', async () => {
    const app = await serve();
    const page = await open(app);
    const row = page.locator('tr.row-busy').first();
    await row.click({ position: { x: 600, y: 20 } });
    await page.waitForURL(/\/gpu\/GPU-/);
    const plots = page.locator('.u-over');
    await expect.poll(() => plots.count()).toBeGreaterThanOrEqual(5);
    const box = await plots.nth(1).boundingBox();
    if (box === null) throw new Error('the chart has no size');
    await page.mouse.move(box.x + box.width * 0.7, box.y + 20);
    const cursors = page.locator('.u-cursor-x');
    const positions = () => cursors.evaluateAll((all) => [...new Set(all.map((each) => each.style.transform))]);
    await expect.poll(positions).toEqual([expect.stringMatching(/translate\([1-9]/)]);
    expect(await page.locator('.range-cursor').textContent()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
    expect(await page.locator('.chart').first().textContent()).toMatch(/Utilisation \d+(\.\d+)?%/);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.9, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=\d+&to=\d+/);
    // The pointer rests where it was let go, and the values there are shown without another move.
    await page.locator('.range-bucket:not(.range-loading)').waitFor();
    const values = page.locator('.chart').first().locator('.readout-value');
    await expect.poll(() => values.first().textContent()).toMatch(/^\d+(\.\d+)?%/);
    expect(await page.locator('.range-cursor').textContent()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
    await page.mouse.dblclick(box.x + box.width * 0.5, box.y + 20);
    await expect.poll(() => page.url()).not.toContain('from=');
    await page.goBack();
    await expect.poll(() => page.locator('tr.row').count()).toBe(8);
    browser.expectNoFaults(app);
  });

  test('the keyboard goes through GPUs and ranges, shows help, and leads home', async () => {
    const page = await open(await serve());
    await page.locator('.row-link').nth(1).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/gpu\//);
    const first = page.url();
    await page.locator('.uplot').first().waitFor();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.url()).not.toBe(first);
    await page.keyboard.press(']');
    await page.waitForURL(/range=1h/);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    // On a busy machine the second key may come too late to belong to the first.
    const goHome = async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('o');
      return page.locator('tr.row').count();
    };
    await expect.poll(goHome).toBe(8);
  });

  test('every chart has a table of its numbers', async () => {
    const page = await open(await serve());
    await page.locator('tr.row-busy .row-link').first().click();
    const chart = page.getByRole('region', { name: 'Power', exact: true }).first();
    await chart.getByRole('button', { name: 'Table' }).click();
    await expect.poll(() => chart.getByRole('row').count()).toBeGreaterThan(10);
    expect(await chart.getByRole('row').nth(1).textContent()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\d+(\.\d+)? W/);
  });

  test('everything works below a base path, also a deep link', async () => {
    const app = await serve({ basePath: '/tools/gpulse' });
    const page = await open(app, 'about');
    await page.getByText('What each GPU reports').waitFor();
    expect(new URL(page.url()).pathname).toBe('/tools/gpulse/about');
    await page.getByRole('link', { name: 'gpulse, overview' }).click();
    await expect.poll(() => page.locator('tr.row').count()).toBe(8);
    expect(new URL(page.url()).pathname).toBe('/tools/gpulse/');
    browser.expectNoFaults(app);
  });

  test('many GPUs are a grid, in which each leads to its page', async () => {
    const page = await open(await serve({ source: 'simulate:gpu-lost,gpus=32,history=1m,at=30s' }));
    await expect.poll(() => page.locator('.heat-cell').count()).toBe(32);
    await page.locator('.heat-cell.row-lost').waitFor();
    await page.locator('.heat-cell').nth(20).hover();
    await expect.poll(() => page.locator('tr.row .row-index').textContent()).toBe('20');
    await page.locator('.heat-cell').nth(20).click();
    await page.waitForURL(/\/gpu\//);
    await page.getByRole('heading', { name: /GPU 20/ }).waitFor();
  });

  test('without a GPU it says why, what to do, and that it keeps looking', async () => {
    const page = await open(
      await serve({
        source: 'nvml',
        nvmlLibrary: '/nowhere/libnvidia-ml.so.1',
        data: join(browser.profile, 'history'),
      }),
    );
    await page.getByRole('heading', { name: /No GPU found/ }).waitFor();
    await page.getByText('/nowhere/libnvidia-ml.so.1').first().waitFor();
    await page.getByText('gpulse doctor', { exact: true }).waitFor();
    await page.getByText('nvidia-smi -L').waitFor();
    await page.getByText('gpulse keeps looking').waitFor();
  });

  test('a server that goes away is shown with a countdown, and old values are dimmed', async () => {
    const app = await serve({ source: 'simulate:gpu-lost,history=10m,at=590s' });
    const page = await open(app);
    await page.locator('tr.row').first().waitFor();
    await page.locator('.event').first().waitFor();
    await app.close();
    apps = [];
    await page.getByText(/disconnected, next try in \d+ s/).waitFor();
    await page.locator('main.stale').waitFor({ timeout: 15_000 });
    await page.getByText(/no new data for/).waitFor();
    // What happened goes on getting older, whether or not anyone tells.
    const ages = () => page.locator('.event time').allTextContents();
    const before = await ages();
    await expect.poll(ages, { timeout: 5000 }).not.toEqual(before);
  });

  test('a server that is back is noticed within seconds', async () => {
    const app = await serve();
    const page = await open(app);
    await page.locator('tr.row').first().waitFor();
    const port = Number(new URL(app.url).port);
    await app.close();
    apps = [];
    await page.getByText(/disconnected, next try in \d+ s/).waitFor();
    await page.waitForTimeout(9000);
    await serve({ port });
    await page.getByText('connected', { exact: true }).waitFor({ timeout: 3000 });
  });

  test('a GPU that had critical errors is counted, on top and marked, and nothing is called well', async () => {
    const page = await open(await serve({ source: 'simulate:ecc-growth,history=10m,at=8m' }));
    await page.getByRole('button', { name: '1 with errors' }).waitFor();
    const first = page.locator('tr.row').first();
    await expect.poll(() => first.getAttribute('class')).toContain('row-errors');
    expect(await first.textContent()).toContain('with errors');
    expect(await page.getByText('No trouble seen').count()).toBe(0);
    expect(await page.title()).toMatch(/^\(1\) /);
  });

  test('without any trouble it says so, and in which words', async () => {
    const page = await open(await serve({ source: 'simulate:healthy-training,history=20m' }));
    await page.getByText('No trouble seen').waitFor();
    await page.getByLabel('only warnings').check();
    await page.getByText('No warnings in the last hour.').waitFor();
  });

  test('GPUs that hardly compute for their job are not called busy', async () => {
    const page = await open(await serve({ source: 'simulate:imbalance,history=20m' }));
    await page.getByRole('button', { name: '7 mostly idle' }).waitFor();
    await page.getByRole('button', { name: '1 busy' }).waitFor();
  });

  test('a log that is still being read says how far, and shows all of it once it was read', async () => {
    const file = join(browser.profile, 'long.csv');
    const rows = Array.from({ length: 200_000 }, (_, i) => {
      const time = new Date(Date.UTC(2025, 2, 4) + i * 1000).toISOString().replace('T', ' ').slice(0, 23);
      return `${time}, 0, GPU-00000000-0000-0000-0000-000000000000, ${40 + (i % 50)} %`;
    });
    writeFileSync(file, `timestamp, index, uuid, utilization.gpu [%]\n${rows.join('\n')}\n`);
    const page = await open(await serve({ source: `replay:${file}` }), 'gpu/0?range=all');
    await page.getByText(/still reading the log: up to 2025-03-0\d/).waitFor();
    await page.getByText('end of the recording', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'End', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Last readings' }).waitFor();
    const chart = page.locator('.chart').first();
    await chart.getByRole('button', { name: 'Table' }).click();
    await expect.poll(() => chart.getByRole('row').count()).toBeGreaterThan(200);
  }, 60_000);

  test('the index of a GPU is an address too, and the tab names the GPU', async () => {
    const app = await serve();
    const page = await open(app, 'gpu/3');
    await page.waitForURL(/\/gpu\/GPU-/);
    await page.getByRole('heading', { name: /^GPU 3 / }).waitFor();
    await expect.poll(() => page.title()).toMatch(/^(\(1\) )?GPU 3 · .+ – gpulse$/);
    await page.goto(new URL('gpu/99', app.url).href);
    await page.getByText('There is no such GPU').waitFor();
  });

  test('events that are not all listed are said to be cut, a range without data to hold none', async () => {
    const app = await serve();
    const page = await browser.context.newPage();
    await page.route('**/api/v1/events?*gpu=*', async (route) => {
      const to = Date.now();
      const event = { kind: 'marker', severity: 'warning', uuid: null, params: {}, text: 'again and again' };
      const events = Array.from({ length: 10_000 }, (_, i) => ({ ...event, at: to - (10_000 - i) * 30 }));
      await route.fulfill({ json: { events } });
    });
    await page.goto(new URL('gpu/0?range=15m', app.url).href);
    await page.getByText(/These are the newest 10000 events, since \d{4}-/).waitFor();
    expect(await page.locator('.event').count()).toBe(12);
    await page.getByRole('button', { name: 'Show 200 of 9988 more' }).click();
    await expect.poll(() => page.locator('.event').count()).toBe(212);
    await page.goto(new URL('gpu/0?from=1000000&to=2000000', app.url).href);
    await page.getByText('There are no data in this range').waitFor();
    // Values are missing for reasons, but no chart is said to be.
    expect(await page.locator('.not-charted', { hasText: 'not collected' }).count()).toBe(0);
  });

  test('a wrong address has a way home', async () => {
    const page = await open(await serve(), 'no/such/page');
    await page.getByText('There is no such page').waitFor();
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await expect.poll(() => page.locator('tr.row').count()).toBe(8);
  });

  test('on a phone nothing is wider than the screen', async () => {
    const app = await serve();
    for (const [path, awaited] of [
      ['', 'tr.row'],
      ['about', '.capabilities'],
      ['gpu/0', '.u-over'],
    ] as const) {
      const page = await open(app, path);
      await page.setViewportSize({ width: 360, height: 740 });
      await page.getByText('gpulse').first().waitFor();
      await page.locator(awaited).first().waitFor();
      if (path === 'gpu/0') {
        await page.locator('.u-over').first().hover();
        await page.locator('.range-cursor').evaluate((cursor) => cursor.append(' · GPU 0 is throttled'.repeat(9)));
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    }
  });
});
