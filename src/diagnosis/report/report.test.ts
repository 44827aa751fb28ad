import { expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import { LANGUAGES, type Lang } from '../../model/i18n/text.ts';
import { conclude, type Diagnosis } from '../diagnosis.ts';
import type { RunFacts } from '../run-facts.ts';
import { noise, type Script, scriptedTicks } from '../test-ticks.ts';
import { TickLog } from '../window/tick-log.ts';
import { compare } from './compare.ts';
import { renderComparison } from './comparison.ts';
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

const RUN: RunFacts = {
  ...{ id: '20260105-080000', command: ['python', 'train.py'], folder: '/home/lin', host: 'node1', user: 'lin' },
  ...{ startedAt: Date.UTC(2026, 0, 5, 8), endedAt: Date.UTC(2026, 0, 5, 9), exitCode: 0, signal: null },
  ...{ steps: 100, stepSeconds: 1 },
};

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
  expect(renderComparison(starved, fed, 'text', 'zh')).toContain('不再出现');
});

test('whether a run is better is decided by the time of its steps, unless something broke', () => {
  const withSteps = (diagnosis: Diagnosis, stepSeconds: number): Diagnosis => ({
    ...diagnosis,
    recorded: { ...diagnosis.recorded, run: { ...RUN, id: `with-${stepSeconds}`, stepSeconds } },
  });
  expect(compare(withSteps(fed, 1), withSteps(starved, 0.8)).overall).toEqual({ verdict: 'better', by: 'steps' });
  expect(compare(withSteps(fed, 1), withSteps(fed, 1.01)).overall).toEqual({ verdict: 'same', by: 'steps' });
  expect(compare(starved, fed).overall).toEqual({ verdict: 'better', by: 'lost' });
  const lost = diagnosisOf({
    gpus: 2,
    seconds: 600,
    readings: (gpu, s) => (gpu === 1 && s > 300 ? null : readings(0.9)(gpu, s)),
  });
  expect(compare(withSteps(fed, 1), withSteps(lost, 0.5)).overall).toEqual({ verdict: 'worse', by: 'health' });
});

test('what cannot be compared is said by its cause', () => {
  const short = diagnosisOf({ gpus: 2, seconds: 6, readings: readings(0.9) });
  expect(compare(short, short).overall).toEqual({ verdict: null, by: 'short' });
  expect(renderComparison(short, fed, 'text', 'en')).toContain('too short to compare');
  const run = { ...short, recorded: { ...short.recorded, run: RUN } };
  expect(compare(run, run).overall).toEqual({ verdict: null, by: 'same-run' });
  expect(renderComparison(run, run, 'text', 'en')).toContain('both are the same run');
});

test.each(['text', 'markdown', 'html', 'json'] as const)('a comparison as %s', (form) => {
  const text = renderComparison(starved, fed, form, 'en');
  expect(text).toContain('after.csv');
  expect(text).not.toMatch(/\{\w+\}|undefined|NaN/);
});

test('a run shows what it was, and what it printed beside each finding', () => {
  const output = [
    { at: Date.UTC(2026, 0, 5, 8, 2), text: 'RuntimeWarning: <slow> loader' },
    { at: Date.UTC(2026, 0, 6, 8, 2), text: 'the next day' },
  ];
  const run: Diagnosis = { ...starved, recorded: { ...starved.recorded, run: RUN, output } };
  for (const text of [reportText(run, 'en', false), reportMarkdown(run, 'en')]) {
    expect(text).toMatch(/Command: python train\.py/);
    expect(text).toContain('RuntimeWarning: <slow> loader');
    expect(text).not.toContain('the next day');
  }
  expect(reportHtml(run, 'zh')).toContain('RuntimeWarning: &lt;slow&gt; loader');
  expect(reportJson(run, 'en')).toMatchObject({
    run: { id: '20260105-080000' },
    experiment: [{ because: 'data-starvation' }, {}, {}, {}],
  });
});
