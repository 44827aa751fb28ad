import { expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import { LANGUAGES, type Lang } from '../../model/i18n/text.ts';
import { conclude, type Diagnosis } from '../diagnosis.ts';
import { noise, type Script, scriptedTicks } from '../test-ticks.ts';
import { TickLog } from '../window/tick-log.ts';
import { compare, comparisonText } from './compare.ts';
import { reportHtml } from './html.ts';
import { reportJson } from './json.ts';
import { reportMarkdown } from './markdown.ts';
import { reportText } from './text.ts';

function diagnosisOf(script: Script, name = 'gpu.csv'): Diagnosis {
  const log = new TickLog();
  for (const tick of scriptedTicks(script)) log.add(tick);
  return conclude(log, {
    name,
    format: 'csv',
    rows: null,
    skipped: { 'stray-text': 3 },
    gpus: null,
    from: null,
    to: null,
    notices: [],
    seesXids: false,
  });
}

const readings =
  (low: number) =>
  (gpu: number, second: number): Partial<Record<MetricId, number>> => ({
    utilization_ratio: second % 9 < 5 ? 0.95 + 0.03 * noise(gpu, second) : low,
    memory_used_bytes: 2 ** 36,
    memory_total_bytes: 80 * 2 ** 30,
    power_watts: second % 9 < 5 ? 600 : 100,
    power_limit_watts: 700,
  });

const starved = diagnosisOf({
  gpus: 2,
  seconds: 600,
  readings: readings(0),
  device: () => ({ name: '<img src=x onerror=alert(1)>|`' }),
});
const fed = diagnosisOf({ gpus: 2, seconds: 600, readings: readings(0.9) }, 'after.csv');

test('JSON has the schema that scripts rely on', () => {
  const json: { findings: { evidence: object[]; fix: object }[] } = JSON.parse(
    JSON.stringify(reportJson(starved, 'en')),
  );
  expect(json).toMatchObject({
    source: {
      format: 'csv',
      rows: 1200,
      skippedRows: 3,
      gpus: 2,
      from: Date.UTC(2026, 0, 5, 8),
      to: Date.UTC(2026, 0, 5, 8) + 599_000,
    },
    events: [],
    gpus: [
      {
        uuid: 'GPU-test-0',
        index: 0,
        summary: {
          power_watts: { min: 100, max: 600, p5: 100, p95: 600 },
          memory_used_bytes: { mean: 2 ** 36, p50: 2 ** 36 },
        },
      },
      { index: 1 },
    ],
  });
  expect(json.findings[0]).toMatchObject({
    rule: 'data-starvation',
    state: 'possible',
    severity: 'warning',
    layer: 'performance',
    gpus: ['GPU-test-0', 'GPU-test-1'],
  });
  expect(Object.keys(json.findings[0]!.evidence[0]!)).toEqual(['text', 'metric', 'values']);
  expect(Object.keys(json.findings[0]!.fix)).toEqual(['en', 'zh']);
});

test.each(LANGUAGES)('every form says the same in %s, and leaves no template open', (lang: Lang) => {
  const title = { en: 'GPU waits for input data', zh: 'GPU 等待数据' }[lang];
  for (const text of [reportText(starved, lang, false), reportMarkdown(starved, lang), reportHtml(starved, lang)]) {
    expect(text).toContain(title);
    expect(text).not.toMatch(/\{\w+\}|undefined|NaN/);
  }
});

test('HTML stands alone: it loads nothing, runs nothing, and shows names as text', () => {
  const html = reportHtml(starved, 'en');
  expect(html).not.toMatch(/<script|<img|<link|href=|url\(|https?:/i);
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;img src=x');
  expect(html).toContain('<svg');
});

test('Markdown escapes what names may hold', () => {
  const line = reportMarkdown(starved, 'en')
    .split('\n')
    .find((row) => row.includes('onerror'));
  expect(line).toContain('\\<img');
  expect(line).toContain('\\|');
});

test('a terminal without colours gets none', () => {
  expect(reportText(starved, 'en', false)).not.toContain('\u001b');
  expect(reportText(starved, 'en', true)).toContain('\u001b[1m');
});

test('comparing two runs: what changed, and whether it is better', () => {
  const { changes, gone, fresh, lostShares } = compare(starved, fed);
  expect(changes.find(({ metric }) => metric === 'utilization_ratio')).toMatchObject({ verdict: 'better' });
  expect(gone.map(({ rule }) => rule)).toEqual(['data-starvation']);
  expect(fresh).toEqual([]);
  expect(lostShares[0]).toBeGreaterThan(0.4);
  expect(lostShares[1]).toBe(0);
  expect(comparisonText(starved, fed, 'zh')).toContain('不再出现');
});
