import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiFindings } from '../../model/api-finding.ts';
import { FINDING_STATES, type LiveFinding } from '../../model/finding.ts';
import { TestServer } from '../test-server.ts';

let server: TestServer;

const finding = (more: Partial<LiveFinding>): LiveFinding => ({
  rule: 'data-starvation',
  state: 'likely',
  severity: 'warning',
  layer: 'performance',
  gpus: ['GPU-1'],
  from: 1000.4,
  to: 5000,
  lostSeconds: 12.5,
  evidence: [
    {
      text: { en: 'it waits', zh: '在等待' },
      metric: 'utilization_ratio',
      values: { waiting: 0.5, never: Number.POSITIVE_INFINITY },
    },
  ],
  missing: ['host_cpu_ratio'],
  fix: { en: 'more workers', zh: '增加 worker' },
  since: 900,
  isCurrent: true,
  ...more,
});

beforeAll(async () => {
  server = await TestServer.start();
  server.reader.diagnosed = {
    at: 9000,
    from: 0,
    to: 8000,
    headline: null,
    findings: [
      finding({}),
      finding({ rule: 'xid', state: 'not-evaluable', gpus: [], isCurrent: false }),
      finding({ rule: 'low-utilization', state: 'ruled-out', gpus: ['GPU-0'], consequenceOf: 'data-starvation' }),
    ],
  };
});

afterAll(() => server.close());

const rulesAt = async (query: string): Promise<string[]> => {
  const { findings } = (await server.json(`/api/v1/findings${query}`)).body as ApiFindings;
  return findings.map(({ rule }) => rule);
};

test('gives what names a cause, worded in the language asked for', async () => {
  const { status, body } = await server.json('/api/v1/findings?lang=zh');
  expect(status).toBe(200);
  expect(body).toEqual({
    at: 9000,
    from: 0,
    to: 8000,
    headline: null,
    findings: [
      {
        rule: 'data-starvation',
        title: 'GPU 等待数据',
        state: 'likely',
        stateText: '很可能',
        severity: 'warning',
        layer: 'performance',
        gpus: ['GPU-1'],
        since: 900,
        from: 1000,
        to: 5000,
        isCurrent: true,
        lostSeconds: 12.5,
        evidence: [{ text: '在等待', metric: 'utilization_ratio', values: { waiting: 0.5 } }],
        missing: ['host_cpu_ratio'],
        missingText: expect.stringMatching(/CPU/),
        fix: '增加 worker',
      },
    ],
  });
});

test('by state and by GPU', async () => {
  expect(await rulesAt('?state=all')).toEqual(['data-starvation', 'xid', 'low-utilization']);
  expect(await rulesAt('?state=ruled-out,not-evaluable')).toEqual(['xid', 'low-utilization']);
  expect(await rulesAt('?state=all&gpu=0')).toEqual(['xid', 'low-utilization']);
  expect(await rulesAt('?gpu=0')).toEqual([]);
});

test('what is said where no cause is named comes in the language asked for', async () => {
  const plain = await TestServer.start();
  const headline = { en: 'nobody knows why', zh: '原因不明' };
  plain.reader.diagnosed = { ...server.reader.diagnosed, headline, findings: [] };
  expect((await plain.json('/api/v1/findings?lang=zh')).body).toMatchObject({ headline: '原因不明', findings: [] });
  await plain.close();
});

test('refuses what is no state and no GPU', async () => {
  const { status, body } = await server.json('/api/v1/findings?state=sure');
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain(FINDING_STATES.join(' | '));
  expect((await server.json('/api/v1/findings?gpu=77')).status).toBe(404);
});

test('a reader that diagnoses nothing has found nothing', async () => {
  const plain = await TestServer.start();
  Object.assign(plain.reader, { findings: undefined });
  expect((await plain.json('/api/v1/findings')).body).toEqual({
    ...{ at: null, from: null, to: null, headline: null },
    findings: [],
  });
  await plain.close();
});
