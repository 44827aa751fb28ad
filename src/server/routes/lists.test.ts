import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metricsSchema, topologySchema } from '../../model/api-device.ts';
import { processesSchema } from '../../model/api-process.ts';
import { CATALOGUE } from '../../model/catalogue.ts';
import { TOPICS } from '../../model/metric-topics.ts';
import type { Owner } from '../../model/owner.ts';
import type { GpuProcess } from '../../model/process.ts';
import { absent } from '../../model/reading.ts';
import { fullView } from '../memory-reader.ts';
import { TestServer } from '../test-server.ts';

const ID = 'b15a5bdedd2e7645c3be271364324321b908314e4c77857bbfd32a041148c07f';
const NOBODY: Owner = { container: null, pod: null, job: null, unit: null };
const CONTAINER = { id: ID, runtime: 'containerd', name: 'main', image: 'pytorch:2', labels: { secret: 'x' } } as const;
const POD = { uid: 'fd52ef25', namespace: 'ml', name: 'train-0', container: 'main' };
const JOB = { scheduler: 'slurm', id: '4711', step: '0', user: 'li' } as const;

function work(pid: number, facts: Partial<GpuProcess> = {}): GpuProcess {
  return { pid, kind: 'compute', memoryBytes: 2 ** 30, name: 'python', user: 'li', ...facts };
}

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
  const at = server.clock.now();
  server.reader.publish(at, [
    {
      ...fullView(0, at),
      processes: [
        work(1, { owner: { ...NOBODY, container: CONTAINER, pod: POD }, cpuRatio: 1.23456, smRatio: absent('error') }),
        work(2, { user: 'zhang', owner: { ...NOBODY, job: JOB } }),
      ],
    },
    { ...fullView(1, at), processes: absent('no-permission') },
    { ...fullView(2, at), processes: [work(1)], processesPartial: 'error' },
  ]);
});

afterAll(() => server.close());

describe('GET /api/v1/processes', () => {
  async function pids(query = ''): Promise<string> {
    const { status, body } = await server.json(`/api/v1/processes${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    const parsed = processesSchema.parse(body);
    expect(parsed).toEqual(body);
    return parsed.processes.map(({ pid, gpuIndex }) => `${pid}@${gpuIndex}`).join(' ');
  }

  test('has every process with its GPU, and says of which GPUs some are missing', async () => {
    const { body } = await server.json('/api/v1/processes');
    expect(body).toMatchObject({
      processes: [
        { pid: 1, gpu: 'GPU-0', gpuIndex: 0, cpuRatio: 1.235, smRatio: null, owner: { pod: POD, job: null } },
        { pid: 2, owner: { job: JOB, container: null } },
        { pid: 1, gpu: 'GPU-2', owner: null, startedAt: null, command: null },
      ],
      unlisted: { 'GPU-1': 'no-permission', 'GPU-2': 'error' },
    });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  test('keeps only what fits all filters', async () => {
    const check = async (query: string, want: string) => expect(await pids(query), query).toBe(want);
    await check('', '1@0 2@0 1@2');
    await check('?user=zhang', '2@0');
    await check('?user=zhang,li', '1@0 2@0 1@2');
    await check('?user=nobody', '');
    await check('?pod=train-0', '1@0');
    await check('?pod=ml/train-0', '1@0');
    await check('?pod=other/train-0', '');
    await check('?pod=fd52ef25', '1@0');
    await check('?container=main', '1@0');
    await check(`?container=${ID.slice(0, 12)}`, '1@0');
    await check(`?container=${ID.slice(0, 11)}`, '');
    await check('?job=4711', '2@0');
    await check('?job=4711&user=li', '');
    await check('?gpu=2', '1@2');
    await check('?gpu=1&user=li', '');
  });

  test('refuses a GPU and a filter that are not there', async () => {
    expect((await server.json('/api/v1/processes?gpu=9')).body).toMatchObject({ error: { code: 'UNKNOWN_GPU' } });
    expect((await server.json('/api/v1/processes?users=li')).body).toMatchObject({
      error: { code: 'UNKNOWN_PARAMETER' },
    });
  });
});

test('GET /api/v1/topology has each pair once, and null where nobody can tell', async () => {
  expect((await server.json('/api/v1/topology')).body).toEqual({ links: null });
  server.reader.joined = [{ from: 'GPU-0', to: 'GPU-1', level: 'NV18', canPeerRead: null }];
  const { body } = await server.json('/api/v1/topology');
  expect(topologySchema.parse(body)).toEqual({ links: server.reader.joined });
});

test('GET /api/v1/metrics explains every metric in the language asked for', async () => {
  const [english, chinese] = await Promise.all(
    ['en', 'zh'].map(
      async (lang) => metricsSchema.parse((await server.json(`/api/v1/metrics?lang=${lang}`)).body).metrics,
    ),
  );
  expect(english?.map(({ id }) => id).sort()).toEqual(CATALOGUE.map(({ id }) => id).sort());
  const topics = english?.map(({ topic }) => topic) ?? [];
  expect(topics.filter((topic, i) => topic !== topics[i - 1])).toEqual(TOPICS);
  const of = (list: typeof english, id: string) => list?.find((metric) => metric.id === id);
  expect(of(english, 'power_watts')).toMatchObject({ scope: 'device', topic: 'thermal', unit: 'watts' });
  expect(of(english, 'power_watts')?.label).not.toBe(of(chinese, 'power_watts')?.label);
  expect(of(chinese, 'mig_mode')?.states).toEqual({ 0: '关', 1: '开' });
  expect(of(english, 'host_cpu_ratio')?.scope).toBe('host');
});
