import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LiveFinding } from '../src/model/finding.ts';
import { TestServer } from '../src/server/test-server.ts';
import { DASHBOARD } from './dashboard-build.ts';
import { CHROMIUM, TestBrowser } from './test-browser.ts';

const NOW = Date.UTC(2026, 0, 5, 12);
const HOUR_AGO = NOW - 3_600_000;

const STARVED: LiveFinding = {
  rule: 'data-starvation',
  state: 'likely',
  severity: 'warning',
  layer: 'performance',
  gpus: ['GPU-0', 'GPU-1'],
  from: NOW - 1_800_000,
  since: NOW - 1_800_000,
  to: NOW - 1000,
  isCurrent: true,
  lostSeconds: 1200,
  evidence: [{ text: { en: 'idle half of the time', zh: '一半时间空闲' }, metric: 'utilization_ratio', values: {} }],
  missing: ['host_cpu_ratio'],
  fix: { en: 'raise num_workers', zh: '增大 num_workers' },
};

const OTHERS: readonly LiveFinding[] = (['ruled-out', 'not-evaluable'] as const).map((state) => ({
  ...STARVED,
  rule: state === 'ruled-out' ? 'memory-leak' : 'xid',
  state,
  gpus: [],
  isCurrent: false,
  evidence: [{ text: { en: `it is ${state}`, zh: state }, metric: null, values: {} }],
  missing: [],
}));

describe.skipIf(CHROMIUM === null)('in a browser, findings', () => {
  let browser: TestBrowser;
  let server: TestServer;

  beforeAll(async () => {
    browser = await TestBrowser.launch();
    server = await TestServer.start({ webRoot: DASHBOARD, now: NOW });
    server.reader.statusPatch = { source: { lastTickAt: NOW } };
    server.reader.diagnosed = { at: NOW, from: HOUR_AGO, to: NOW, headline: null, findings: [STARVED, ...OTHERS] };
  });

  afterEach(() => browser.closePages());

  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  test('the page says cause, state, evidence and fix, and leads to the charts of that time', async () => {
    const page = await browser.open(server, 'findings');
    const card = page.locator('.finding');
    await card.waitFor();
    const text = await card.textContent();
    for (const part of ['GPU waits for input data', 'likely', 'idle half of the time', 'raise num_workers', '20 min']) {
      expect(text).toContain(part);
    }
    await page.getByText('Ruled out (1)').click();
    await page.getByText('it is ruled-out').waitFor();
    expect(await page.locator('.command code').textContent()).toBe(
      `gpulse report --server ${server.url} --from=-6h --format html -o report.html`,
    );
    await card.getByRole('link', { name: 'GPU 1' }).click();
    await page.waitForURL(/\/gpu\/GPU-1\?from=\d+&to=\d+/);
    browser.expectNoFaults(server);
  });

  test('where no cause is named the page says what a report would', async () => {
    const { diagnosed } = server.reader;
    const headline = { en: 'No cause was found, but the GPUs were little busy', zh: '没有找到原因，但 GPU 利用率偏低' };
    server.reader.diagnosed = { ...diagnosed, headline, findings: OTHERS };
    const page = await browser.open(server, 'findings');
    await page.getByText(headline.en).waitFor();
    expect(await page.locator('article.findings').textContent()).not.toContain('Nothing wrong');
    server.reader.diagnosed = diagnosed;
  });

  test('the overview does not call all well what has a finding', async () => {
    const page = await browser.open(server, '?lang=zh');
    await page.getByText('GPU 等待数据').waitFor();
    expect(await page.locator('.finding-line').textContent()).toContain('一半时间空闲');
    expect(await page.locator('.verdict').textContent()).not.toContain('未见异常');
    await page.getByRole('link', { name: '全部诊断' }).click();
    await page.getByText('增大 num_workers').waitFor();
  });

  test('a narrow page is not wider than its window', async () => {
    const page = await browser.open(server, 'findings?lang=zh');
    await page.setViewportSize({ width: 360, height: 700 });
    await page.locator('.finding').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.getByRole('button', { name: '复制' }).isVisible()).toBe(true);
  });
});
