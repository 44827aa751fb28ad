import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { slotOf } from '../model/catalogue.ts';
import { ManualClock } from '../model/manual-clock.ts';
import type { Snapshot } from '../model/reader.ts';
import { absent } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { testDevice, testSample } from '../model/scripted-source.ts';
import { apiGpus } from '../server/wire/api-gpu.ts';
import { announceServer } from './local-server.ts';
import { localLook, namedLook } from './served-look.ts';
import { servedSnapshot } from './served-snapshot.ts';
import { getJson, parseServer, unreachable } from './server-request.ts';

const clock = new ManualClock();
let folder: string;
let server: Server | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-served-'));
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
  rmSync(folder, { recursive: true });
});

function snapshot(): Snapshot {
  const readings = new ReadingSet();
  readings.setValue(slotOf('power_watts'), 235.4);
  readings.setAbsent(slotOf('fan_speed_ratio'), 'no-permission');
  const owner = {
    container: null,
    pod: null,
    unit: 'a.service',
    job: { scheduler: 'slurm', id: '7', step: null, user: 'li' },
  } as const;
  const process = { pid: 42, kind: 'compute', name: 'python', user: 'li', memoryBytes: 2 ** 30, owner } as const;
  const first = testSample(testDevice(0), { readings, processes: [process] });
  const second = testSample(testDevice(1, { uuid: 'GPU-pci-00000000:10:00.0', uuidIsDerived: true }), {
    state: 'lost',
    processes: absent('gpu-lost'),
  });
  return { at: clock.now(), sequence: 3, devices: [first, second].map((sample) => ({ ...sample, at: clock.now() })) };
}

interface Answers {
  readonly host?: string;
  readonly origin?: string;
  readonly state?: string;
  readonly name?: string;
  readonly at?: number;
}

/** A server that answers like `serve`, and leaves word of itself in {@link folder}. */
async function answering({
  host = hostname(),
  origin = 'live',
  state = 'running',
  name = 'nvml',
  at,
}: Answers = {}): Promise<URL> {
  const gpus = { ...apiGpus(snapshot(), host, name), ...(at !== undefined && { at }) };
  return listening((path) =>
    path === '/api/v1/gpus'
      ? gpus
      : { source: { origin, state, name, notices: [{ key: 'k', text: 'a remark', isRemark: true }] } },
  );
}

async function listening(answer: (path: string) => unknown): Promise<URL> {
  const made = createServer((request, response) => {
    const body = answer(request.url ?? '');
    if (body !== undefined) response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  const address = made.address();
  const url = new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`);
  announceServer(url.href, { RUNTIME_DIRECTORY: join(folder, 'gpulse') });
  return url;
}

function local() {
  return localLook(clock, 'en', { XDG_RUNTIME_DIR: folder });
}

test('what went over the wire is what it was', () => {
  const before = snapshot();
  const { devices } = servedSnapshot(apiGpus(before, 'a', 'nvml'));
  for (const [i, { device, state, readings, processes }] of devices.entries()) {
    const was = before.devices[i]!;
    expect(device).toMatchObject({ ...was.device });
    expect(state).toBe(was.state);
    expect([readings.values, readings.codes]).toEqual([was.readings.values, was.readings.codes]);
    if ('absent' in was.processes) expect(processes).toEqual(was.processes);
    else expect(processes).toMatchObject(was.processes);
  }
});

test('the server of this machine is asked for what it knows now', async () => {
  const url = await answering();
  expect(await local()).toMatchObject({ source: 'nvml', server: url.href, notices: ['a remark'], origin: 'live' });
});

test.each<[string, Answers]>([
  ['a simulation', { origin: 'simulated', name: 'simulate:demo' }],
  ['a recording', { origin: 'recorded', name: 'replay:a.csv' }],
  ['another machine', { host: 'other' }],
  ['another machine by ssh', { name: 'nvidia-smi:ssh:node7' }],
  ['released GPUs', { state: 'released' }],
  ['a driver that does not answer', { state: 'stalled' }],
  ['old readings', { at: clock.now() - 5000 }],
])('%s is not taken for this machine', async (_, answers) => {
  await answering(answers);
  expect(await local()).toBeNull();
});

test.each<[string, (path: string) => unknown]>([
  ['another program', () => 'hello'],
  ['a strange answer', () => ({ gpus: 7 })],
  ['silence', () => undefined],
])('%s at the address costs little, and the driver is read', async (_, answer) => {
  await listening(answer);
  const began = performance.now();
  expect(await local()).toBeNull();
  expect(performance.now() - began).toBeLessThan(4000);
});

test('a server that was named may show anything, and says why it cannot', async () => {
  expect(await namedLook(await answering({ origin: 'simulated' }), 'en')).toMatchObject({ origin: 'simulated' });
  server?.closeAllConnections();
  server?.close();
  const url = await listening(() => '<html>');
  await expect(namedLook(url, 'en')).rejects.toMatchObject({ code: 'SERVER_ANSWER' });
  await expect(getJson(new URL('http://127.0.0.1:9/'), 'gpus', 'en', 1000)).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
    params: { detail: 'http://127.0.0.1:9/: connection refused' },
  });
});

test('an address is one of HTTP', () => {
  const check = (text: string, want: string | null) => {
    if (want === null) expect(() => parseServer('--server', text), text).toThrow(/--server does not take/);
    else expect(parseServer('--server', text).href).toBe(want);
  };
  check('http://a:9400', 'http://a:9400/');
  check('https://a/gpu?x#y', 'https://a/gpu/');
  for (const text of ['', 'a:9400', 'ftp://x', 'localhost', 'http://']) check(text, null);
});

test('the cause of a failed connection is found in the chain, and worded', () => {
  const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const base = new URL('http://a/');
  const text = (error: unknown, lang: 'en' | 'zh') => unreachable(base, error, lang).params['detail'];
  expect(text(new TypeError('fetch failed', { cause }), 'en')).toBe('http://a/: connection refused');
  expect(text(new TypeError('fetch failed', { cause }), 'zh')).toBe('http://a/：连接被拒绝');
  expect(text(new TypeError('fetch failed', { cause: new AggregateError([cause]) }), 'en')).toMatch(/refused$/);
  expect(text(new Error('odd'), 'en')).toBe('http://a/: odd');
});
