import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { eventsSchema, gpusSchema, healthSchema, hostSchema, seriesSchema } from '../../model/api.ts';
import { DEVICE_METRICS, MACHINE_METRICS, slotOf } from '../../model/catalogue.ts';
import { AppError } from '../../model/errors.ts';
import type { GpuEvent } from '../../model/event.ts';
import { NOTICE_MESSAGES, type NoticeKey } from '../../model/i18n/messages-notices.ts';
import { fill } from '../../model/i18n/text.ts';
import { absent } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { fullView } from '../memory-reader.ts';
import { TestServer } from '../test-server.ts';

const NOTICE = Object.keys(NOTICE_MESSAGES)[0] as NoticeKey;

let server: TestServer;
let now: number;

beforeAll(async () => {
  server = await TestServer.start({ basePath: '/gpulse' });
  now = server.clock.now();
});

afterAll(() => server.close());

beforeEach(() => {
  server.reader.origin = 'live';
  server.reader.extent = null;
  server.reader.statusPatch = {};
  server.reader.stored = [];
  server.reader.seriesQueries.length = 0;
  server.reader.eventQueries.length = 0;
});

/** The body of a 200, which is exactly what the schema describes: nothing missing and nothing more. */
async function read<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  headers: Record<string, string> = {},
): Promise<z.infer<Schema>> {
  const { status, body } = await server.json(path, headers);
  expect(status, JSON.stringify(body)).toBe(200);
  const parsed = schema.parse(body);
  expect(parsed).toEqual(body);
  return parsed;
}

describe('GET /api/v1/gpus', () => {
  test('has every metric of the catalogue for every GPU', async () => {
    const { gpus, ...rest } = await read('/api/v1/gpus', gpusSchema);
    const { sequence } = server.reader.current;
    expect(rest).toEqual({ at: now, host: 'node-1', source: 'memory', sequence, machine: null });
    expect(gpus.map(({ uuid }) => uuid)).toEqual(['GPU-0', 'GPU-1', 'GPU-2']);
    expect(Object.keys(gpus[0]?.readings ?? {})).toEqual(DEVICE_METRICS.map(({ id }) => id));
    expect(gpus[1]?.readings['power_watts']).toBe(1000 + slotOf('power_watts'));
    expect(gpus[1]).toMatchObject({ name: 'Quote " and 显卡', processes: [{ pid: 4001, memoryBytes: 2 ** 30 }] });
  });

  test('every null has its reason, and zero is a value', async () => {
    const before = server.reader.current;
    const readings = new ReadingSet();
    readings.setValue(slotOf('power_watts'), 0);
    readings.setAbsent(slotOf('fan_speed_ratio'), 'not-supported');
    readings.values[slotOf('sm_clock_hertz')] = Number.NaN;
    readings.codes[slotOf('sm_clock_hertz')] = 0;
    const view = { ...fullView(0, now), state: 'lost', readings, processes: absent('no-permission') } as const;
    server.reader.publish(now, [view]);
    const [gpu] = (await read('/api/v1/gpus', gpusSchema)).gpus;
    server.reader.current = before;
    expect(gpu).toMatchObject({ state: 'lost', processes: [], processesAbsent: 'no-permission' });
    expect(gpu?.readings['power_watts']).toBe(0);
    expect(gpu?.absent['fan_speed_ratio']).toBe('not-supported');
    expect(gpu?.absent['sm_clock_hertz']).toBe('error');
    const nulls = DEVICE_METRICS.filter(({ id }) => gpu?.readings[id] === null).map(({ id }) => id);
    expect(Object.keys(gpu?.absent ?? {})).toEqual(nulls);
  });

  test('answers before the first tick', async () => {
    const before = server.reader.current;
    server.reader.current = { sequence: 0, at: null, devices: [] };
    expect(await read('/api/v1/gpus', gpusSchema)).toMatchObject({ at: null, gpus: [] });
    server.reader.current = before;
  });
});

describe('GET /api/v1/health', () => {
  test('all is well', async () => {
    server.reader.extent = { from: 1, to: 2 };
    const body = await read('/api/v1/health', healthSchema);
    expect(body).toMatchObject({ status: 'ok', host: 'node-1', version: '1.2.3', history: { from: 1, to: 2 } });
  });

  test.each([
    ['no-device', { source: { state: 'searching' } }],
    ['degraded', { source: { state: 'stalled' } }],
    ['degraded', { history: { failure: new AppError('HISTORY_UNUSABLE', { path: '/data', detail: 'full' }) } }],
    ['no-device', { source: { state: 'searching' }, history: { failure: new AppError('BUSY') } }],
    ['ok', { source: { state: 'ended' } }],
  ] as const)('is %s where %j', async (status, patch) => {
    server.reader.statusPatch = patch;
    expect((await read('/api/v1/health', healthSchema)).status).toBe(status);
  });

  test.each([
    ['degraded', 'live'],
    ['ok', 'recorded'],
  ] as const)('is %s with a lost GPU, where the data is %s', async (status, origin) => {
    const { current } = server.reader;
    server.reader.statusPatch = { source: { origin } };
    server.reader.current = { ...current, devices: current.devices.map((device) => ({ ...device, state: 'lost' })) };
    const { status: found } = await read('/api/v1/health', healthSchema);
    server.reader.current = current;
    expect(found).toBe(status);
  });

  test('words failures and notices in the language asked for', async () => {
    server.reader.statusPatch = {
      source: {
        state: 'searching',
        reason: new AppError('NVML_NO_DEVICES'),
        notices: [{ key: NOTICE, params: { count: 3 } }],
      },
    };
    const zh = await read('/api/v1/health?lang=zh', healthSchema);
    expect(zh.source.reason?.message).toContain('没有列出任何 GPU');
    expect(zh.source.notices).toEqual([
      { key: NOTICE, text: fill(NOTICE_MESSAGES[NOTICE].zh, { count: 3 }), isRemark: false },
    ]);
    const en = await read('/api/v1/health', healthSchema, { 'accept-language': 'fr, en;q=0.5' });
    expect(en.source.reason?.message).toContain('lists no GPU');
  });
});

describe('GET /api/v1/host', () => {
  test('is null where the source is not this machine', async () => {
    expect(await read('/api/v1/host', hostSchema)).toEqual({ host: 'node-1', machine: null });
  });

  test('has every metric of the machine and its CPUs; the list of GPUs has the metrics too', async () => {
    const before = server.reader.current;
    const readings = new ReadingSet();
    readings.setValue(slotOf('host_cpu_ratio'), 0);
    readings.setAbsent(slotOf('host_memory_limit_bytes'), 'not-found');
    server.reader.current = { ...before, machine: { at: now, readings, cpuRatios: Float64Array.of(0, 1 / 3, 1) } };
    const { machine } = await read('/api/v1/host', hostSchema);
    const gpus = await read('/api/v1/gpus', gpusSchema);
    server.reader.current = before;
    expect(machine).toMatchObject({ at: now, cpuRatios: [0, 0.3333, 1] });
    expect(Object.keys(machine?.readings ?? {})).toEqual(MACHINE_METRICS.map(({ id }) => id));
    expect(machine?.readings['host_cpu_ratio']).toBe(0);
    expect(machine?.absent['host_memory_limit_bytes']).toBe('not-found');
    expect(gpus.machine).toEqual({ at: now, readings: machine?.readings, absent: machine?.absent });
  });
});

describe('GET /api/v1/series', () => {
  const asked = async (query: string) => {
    await read(`/api/v1/series?${query}`, seriesSchema);
    return server.reader.seriesQueries.at(-1);
  };

  test('answers columns on one grid, with the unit of each metric', async () => {
    const body = await read('/api/v1/series?metric=power_watts,utilization_ratio&gpu=0&gpu=GPU-2', seriesSchema);
    expect(body.series.map(({ gpu, metric, unit }) => [gpu, metric, unit])).toEqual([
      ['GPU-0', 'power_watts', 'watts'],
      ['GPU-0', 'utilization_ratio', 'ratio'],
      ['GPU-2', 'power_watts', 'watts'],
      ['GPU-2', 'utilization_ratio', 'ratio'],
    ]);
    expect(body.series[0]?.mean).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, null]);
  });

  test('asks for the last 15 minutes of every GPU by default', async () => {
    expect(await asked('metric=power_watts')).toEqual({
      metrics: ['power_watts'],
      devices: ['GPU-0', 'GPU-1', 'GPU-2'],
      from: now - 900_000,
      to: now,
      points: 500,
    });
  });

  test('asks the host for what only the host has, or by its name', async () => {
    expect(await asked('metric=host_load_1m,host_cpu_ratio')).toMatchObject({ devices: ['host'] });
    expect(await asked('metric=host_load_1m&gpu=host,0')).toMatchObject({ devices: ['host', 'GPU-0'] });
    expect(await asked('metric=host_load_1m,power_watts')).toMatchObject({ devices: ['GPU-0', 'GPU-1', 'GPU-2'] });
  });

  test('a metric named twice is asked for once', async () => {
    const query = await asked('metric=power_watts,power_watts&metric=power_watts&gpu=0,GPU-0');
    expect(query).toMatchObject({ metrics: ['power_watts'], devices: ['GPU-0'] });
  });

  test('every way to name a range', async () => {
    const check = async (range: string, from: number, to: number) =>
      expect(await asked(`metric=power_watts&${range}`), range).toMatchObject({ from, to });
    await check(`from=${now - 5000}&to=${now}`, now - 5000, now);
    await check('from=-1h30m', now - 5_400_000, now);
    await check('from=-1h&to=-30m', now - 3_600_000, now - 1_800_000);
    await check('to=-1h', now - 3_600_000 - 900_000, now - 3_600_000);
    await check('from=2025-12-31T00:00:00Z&to=now', Date.UTC(2025, 11, 31), now);
    await check('from=0', 0, now);
    await check('from=all', now - 900_000, now);
    server.reader.extent = { from: now - 86_400_000, to: now - 1000 };
    await check('from=all', now - 86_400_000, now);
    await check('from=all&to=all', now - 86_400_000, now - 999);
    await check('to=all', now - 999 - 900_000, now - 999);
    await check('from=all&to=-2d', now - 2 * 86_400_000 - 900_000, now - 2 * 86_400_000);
  });

  test.each(['recorded', 'simulated'] as const)(
    'now is just behind the newest tick where data is %s',
    async (origin) => {
      const before = server.reader.current;
      server.reader.origin = origin;
      server.reader.current = { ...before, at: Date.UTC(2025, 5, 1) };
      const query = await asked('metric=power_watts&from=-1m');
      server.reader.current = before;
      expect(query).toMatchObject({ from: Date.UTC(2025, 5, 1) + 1 - 60_000, to: Date.UTC(2025, 5, 1) + 1 });
    },
  );

  describe('of a recording', () => {
    const end = Date.UTC(2025, 5, 1, 12);

    beforeEach(() => {
      server.reader.origin = 'recorded';
      server.reader.extent = { from: end - 3_600_000, to: end };
    });

    const check = async (seen: number | null, query: string, from: number, to: number) => {
      const before = server.reader.current;
      server.reader.current = { ...before, at: seen };
      const range = await asked(`metric=power_watts${query}`);
      server.reader.current = before;
      expect(range, query).toMatchObject({ from, to });
    };

    test('whose clock stepped back, now is just behind the newest sample and not behind the last row', async () => {
      await check(end - 1_800_000, '', end + 1 - 900_000, end + 1);
      await check(end - 1_800_000, '&from=all', end - 3_600_000, end + 1);
      await check(end - 1_800_000, '&from=0', 0, end + 1);
      await check(end - 1_800_000, '&from=-1m&to=now', end + 1 - 60_000, end + 1);
      await check(end + 5000, '&from=-1m', end + 5001 - 60_000, end + 5001);
      await check(null, '&from=-1m', end + 1 - 60_000, end + 1);
    });

    test('of a host that booted in 1970, no range begins before the epoch', async () => {
      server.reader.extent = { from: 1000, to: 300_000 };
      await check(300_000, '', 0, 300_001);
      await check(300_000, '&from=2000&to=200000', 2000, 200_000);
      await check(300_000, '&from=-1d', 0, 300_001);
      await check(300_000, '&from=all', 1000, 300_001);
    });
  });

  test('from=all goes as far as the history does, also where the clock of this machine was set back', async () => {
    server.reader.extent = { from: now - 1000, to: now + 60_000 };
    expect(await asked('metric=power_watts&from=all')).toMatchObject({ from: now - 1000, to: now + 60_001 });
  });

  test('bounds the work of one query', async () => {
    const metrics = DEVICE_METRICS.slice(0, 16).map(({ id }) => id);
    const { status, body } = await server.json(`/api/v1/series?metric=${metrics}&points=11000`);
    expect([status, body]).toMatchObject([
      400,
      { error: { code: 'BAD_QUERY', hint: expect.stringContaining('200000') } },
    ]);
    expect((await asked(`metric=${metrics}&gpu=0&points=11000`))?.points).toBe(11_000);
  });
});

describe('GET /api/v1/events', () => {
  const lost: GpuEvent = {
    at: 5,
    kind: 'gpu-lost',
    severity: 'critical',
    uuid: 'GPU-1',
    params: { index: 1, name: 'H100' },
  };

  test('words events in the language asked for', async () => {
    server.reader.stored = [lost];
    const { events } = await read('/api/v1/events', eventsSchema);
    expect(events).toEqual([{ ...lost, text: 'GPU 1 (H100) is lost' }]);
    const zh = await read('/api/v1/events', eventsSchema, { 'accept-language': 'zh-CN,en;q=0.5' });
    expect(zh.events[0]?.text).toBe('GPU 1（H100）掉卡');
  });

  test('passes on what was asked', async () => {
    const check = async (query: string, want: object) => {
      await read(`/api/v1/events${query}`, eventsSchema);
      expect(server.reader.eventQueries.at(-1), query).toEqual(want);
    };
    const day = { from: now - 86_400_000, to: now, limit: 200 };
    await check('', day);
    await check('?gpu=all', day);
    await check('?gpu=2&limit=10000', { ...day, device: 'GPU-2', limit: 10_000 });
    await check('?gpu=GPU-0&from=-1h', { ...day, device: 'GPU-0', from: now - 3_600_000 });
  });
});

describe('every route', () => {
  const paths = ['health', 'gpus', 'series?metric=power_watts', 'events'].map((path) => `/api/v1/${path}`);

  test.each([...paths, '/api/openapi.json'])('%s is served with and without the base path', async (path) => {
    const [plain, based] = await Promise.all([server.fetch(path), server.fetch(`/gpulse${path}`)]);
    expect([plain.status, based.status]).toEqual([200, 200]);
    expect(await based.text()).toBe(await plain.text());
  });

  test.each([...paths, '/api/v1/stream'])('%s answers HEAD without a body', async (path) => {
    const response = await server.fetch(path, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^(application\/json|text\/event-stream); charset=utf-8$/);
    expect(await response.text()).toBe('');
  });

  test.each([...paths, '/api/v1/nope', '/', '/api/v1/gpus?x=1'])('%s carries the security headers', async (path) => {
    const { headers } = await server.fetch(path);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('nothing of the API is kept by caches', async () => {
    for (const path of paths) expect((await server.fetch(path)).headers.get('cache-control')).toBe('no-store');
  });
});
