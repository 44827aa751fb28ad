import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiEvents } from '../model/api.ts';
import { systemClock } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import type { Lang } from '../model/i18n/text.ts';
import { ManualClock } from '../model/manual-clock.ts';
import type { Notice } from '../model/ports.ts';
import type { SourceStatus } from '../model/reader.ts';
import type { ServeConfig } from './config.ts';
import { type App, startApp } from './serve.ts';
import { ServiceLog } from './service-log.ts';
import { SINK_DEFAULTS, type SinkConfig } from './sinks.ts';

const DEVICE: Device = {
  ...{ uuid: 'GPU-b', vendor: 'nvidia', name: 'NVIDIA H200', index: 1 },
  ...{ pciBusId: null, minor: 1, serial: null, driverVersion: null },
};
const REMARK: Notice = { key: 'notice.kernel-log-missing', params: { path: '/dev/kmsg' }, isRemark: true };

class Bench {
  readonly clock = new ManualClock(Date.UTC(2026, 0, 1));
  readonly lines: string[] = [];
  readonly log: ServiceLog;
  notices: readonly Notice[] = [];
  state: SourceStatus['state'] = 'running';

  constructor(lang: Lang = 'en') {
    const { clock } = this;
    this.log = new ServiceLog({
      clock,
      lang,
      print: (line) => void this.lines.push(line),
      devices: () => [{ device: DEVICE }],
      status: () => ({
        ...{ name: 'nvml', origin: 'live', state: this.state, releasedUntil: null, reason: null },
        ...{ lastTickAt: clock.now(), intervalMs: 1000, missedTicks: 0, notices: this.notices },
      }),
    });
  }

  tell(event: Partial<GpuEvent>): void {
    const at = this.clock.now();
    const whole: GpuEvent = { at, kind: 'gpu-lost', severity: 'critical', uuid: 'GPU-b', params: {}, ...event };
    const params = { index: 1, name: 'NVIDIA H200', ...whole.params };
    const events = [{ ...whole, params }];
    this.log.accept({ at, monotonic: this.clock.monotonic(), devices: [], events });
  }

  /** The lines since the last call. */
  take(): string[] {
    return this.lines.splice(0);
  }
}

function opened(lang?: Lang): Bench {
  const bench = new Bench(lang);
  bench.log.open();
  return bench;
}

const THROTTLE: Partial<GpuEvent> = { kind: 'throttle-began', severity: 'warning', params: { reasons: 8 } };

describe('events', () => {
  test('are told with time and GPU from a warning on, and so is the end of what was told', () => {
    const bench = opened();
    bench.tell({});
    bench.tell(THROTTLE);
    bench.tell({ kind: 'process-started', severity: 'info', params: { pid: 7 } });
    bench.tell({ kind: 'gpu-back', severity: 'info' });
    bench.tell({ kind: 'source-stalled', uuid: null, params: { seconds: 10 } });
    expect(bench.take()).toEqual([
      '2026-01-01T00:00:00.000Z GPU 1 (NVIDIA H200) is lost',
      '2026-01-01T00:00:00.000Z GPU 1 (NVIDIA H200) is throttled: hw slowdown',
      '2026-01-01T00:00:00.000Z GPU 1 (NVIDIA H200) is back',
      '2026-01-01T00:00:00.000Z The driver has not answered for 10 s',
    ]);
  });

  test('are told in Chinese', () => {
    const bench = opened('zh');
    bench.tell({});
    bench.tell(THROTTLE);
    bench.tell({ kind: 'source-stalled', uuid: null, params: { seconds: 10 } });
    expect(bench.take().map((line) => line.slice(25))).toEqual([
      'GPU 1（NVIDIA H200）掉卡',
      'GPU 1（NVIDIA H200）开始降频：硬件降频',
      '驱动已 10 秒没有响应',
    ]);
  });

  test('are one line each, whatever a kernel puts into them', () => {
    const bench = opened();
    bench.tell({ kind: 'marker', severity: 'warning', params: { text: 'ring gfx\n\u001b[31mtimeout' } });
    expect(bench.take()).toEqual(['2026-01-01T00:00:00.000Z GPU 1 (NVIDIA H200): ring gfx [31mtimeout']);
  });

  test('of one kind on one GPU are told once a minute, with how many were left out and how it is at last', async () => {
    const bench = opened();
    for (let i = 0; i < 5; i++) {
      bench.tell(THROTTLE);
      await bench.clock.advance(5000);
    }
    bench.tell({});
    expect(bench.take().map((line) => line.slice(11))).toEqual([
      '00:00:00.000Z GPU 1 (NVIDIA H200) is throttled: hw slowdown',
      '00:00:25.000Z GPU 1 (NVIDIA H200) is lost',
    ]);
    await bench.clock.advance(36_000);
    expect(bench.take().map((line) => line.slice(11))).toEqual([
      '00:00:20.000Z GPU 1 (NVIDIA H200) is throttled: hw slowdown (like it before, left out: 3)',
    ]);
    await bench.clock.advance(300_000);
    bench.tell(THROTTLE);
    bench.tell(THROTTLE);
    expect(bench.take().length).toBe(1);
    bench.log.close();
    expect(bench.take().length).toBe(1);
    bench.tell({});
    await bench.clock.advance(120_000);
    expect(bench.take()).toEqual([]);
  });

  test('of an Xid do not hide another Xid', () => {
    const bench = opened();
    for (const xid of [31, 31, 79]) bench.tell({ kind: 'xid', params: { xid } });
    expect(bench.take().map((line) => /Xid \d+/.exec(line)?.[0])).toEqual(['Xid 31', 'Xid 79']);
  });

  test('from before the start are not told, but that one of them goes on is', async () => {
    const bench = new Bench();
    bench.tell({});
    bench.log.open();
    const at = bench.clock.now() - 3_600_000;
    const xid = (count: number): Partial<GpuEvent> => ({ at, kind: 'xid', params: { xid: 31, count }, key: 'a' });
    bench.tell({ at });
    bench.tell(xid(4));
    bench.tell(xid(4));
    expect(bench.take()).toEqual([]);
    bench.tell(xid(5));
    expect(bench.take()).toEqual([
      expect.stringMatching(/^2026-01-01T00:00:00.000Z GPU 1 \(NVIDIA H200\): Xid 31,.*5 times/),
    ]);
  });

  test('are told although the clock was stepped back', () => {
    const bench = opened();
    bench.clock.step(-86_400_000);
    bench.tell({});
    expect(bench.take()).toEqual(['2025-12-31T00:00:00.000Z GPU 1 (NVIDIA H200) is lost']);
  });
});

describe('a notice', () => {
  const hangs = (seconds: number): Notice => ({
    key: 'notice.gpu-hangs',
    params: { index: 1, seconds, call: 'nvmlDeviceGetClock' },
  });

  test('is told when it appears and when it is gone, and not as it changes', async () => {
    const bench = opened();
    bench.notices = [hangs(3), REMARK];
    await bench.clock.advance(2000);
    expect(bench.take()).toEqual([
      '2026-01-01T00:00:02.000Z GPU 1 (NVIDIA H200) has not answered for 3 s (in nvmlDeviceGetClock)',
      expect.stringContaining('There is no kernel log'),
    ]);
    for (let seconds = 4; seconds < 200; seconds++) {
      bench.notices = [hangs(seconds), REMARK];
      await bench.clock.advance(1000);
    }
    expect(bench.take()).toEqual([]);
    bench.notices = [REMARK];
    await bench.clock.advance(2000);
    expect(bench.take().map((line) => line.slice(25))).toEqual([
      'No longer so: GPU 1 (NVIDIA H200) has not answered for 199 s (in nvmlDeviceGetClock)',
    ]);
  });

  test('that comes and goes is told of once a minute', async () => {
    const bench = opened();
    for (let i = 0; i < 30; i++) {
      bench.notices = i % 2 === 0 ? [hangs(3)] : [];
      await bench.clock.advance(4000);
    }
    const told = bench.take().map((line) => line.slice(14, 19) + line.includes('No longer'));
    expect(told).toEqual(['00:02false', '00:06true', '01:06false', '01:10true']);
  });

  test('of each receiver is told for itself, and what was lost does not become untrue', async () => {
    const bench = opened();
    const about = (sink: string, lost: number) => ({ sink, lost, reason: 'ECONNREFUSED' });
    const failing = (sink: string, lost: number): Notice => ({ key: 'notice.sink-failing', params: about(sink, lost) });
    bench.notices = [failing('a', 0), failing('b', 0)];
    await bench.clock.advance(2000);
    expect(bench.take().length).toBe(2);
    bench.notices = [{ key: 'notice.sink-lost', params: about('a', 9) }, failing('b', 0)];
    await bench.clock.advance(60_000);
    expect(bench.take().map((line) => line.slice(25))).toEqual([
      'Samples for the receiver a that had to be given up since the start: 9',
      'No longer so: The receiver a does not take what is pushed to it: ECONNREFUSED. Samples given up so far: 0',
    ]);
    bench.notices = [failing('a', 12), failing('b', 0)];
    await bench.clock.advance(2000);
    expect(bench.take()).toEqual([expect.stringContaining('Samples given up so far: 12')]);
  });

  test('is not gone because the GPUs are released', async () => {
    const bench = opened();
    bench.notices = [REMARK];
    await bench.clock.advance(2000);
    bench.take();
    [bench.notices, bench.state] = [[], 'released'];
    await bench.clock.advance(60_000);
    [bench.notices, bench.state] = [[REMARK], 'running'];
    await bench.clock.advance(60_000);
    expect(bench.take()).toEqual([]);
  });
});

describe('a server', () => {
  const FAKE_LIBRARY = resolve(import.meta.dirname, '../../testdata/fake-nvml/build/new/libnvidia-ml.so.1');
  let folder: string;
  let app: App | null = null;
  let lines: string[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gpulse-log-'));
    lines = [];
  });

  afterEach(async () => {
    await app?.close();
    app = null;
    rmSync(folder, { recursive: true });
  });

  async function serve(source: string, sinks: readonly SinkConfig[] = []): Promise<void> {
    const config: ServeConfig = {
      ...{ host: '127.0.0.1', port: 0, basePath: '', allowAnonymous: false, allowedHosts: [], keep: null },
      ...{ data: join(folder, 'data'), intervalMs: 100, source, speed: Number.POSITIVE_INFINITY, sinks },
      ...{ nvmlLibrary: join(folder, 'libnvidia-ml.so.1'), timeZone: null, demoWithoutGpu: false },
    };
    app = await startApp(config, systemClock, { lang: 'en', print: (line) => void lines.push(line) });
  }

  async function eventually(check: () => void): Promise<void> {
    for (const end = Date.now() + 20_000; ; await new Promise((done) => setTimeout(done, 50))) {
      try {
        return check();
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  async function kinds(): Promise<string[]> {
    const response = await fetch(new URL('api/v1/events?from=-1h', app?.url));
    return ((await response.json()) as ApiEvents).events.map(({ kind }) => kind);
  }

  const script = (text: string) => writeFileSync(join(folder, 'script'), text);
  const about = (word: string): string[] => lines.filter((line) => line.includes(word));

  test.skipIf(!existsSync(FAKE_LIBRARY))(
    'tells that a GPU is lost and that it is back, once each',
    async () => {
      script('gpus 2\n');
      copyFileSync(FAKE_LIBRARY, join(folder, 'libnvidia-ml.so.1'));
      await serve('nvml');
      await eventually(() => expect(app?.source().state).toBe('running'));
      expect(about('GPU 1')).toEqual([]);
      script('gpus 2\ngpu 1 lost on\n');
      await eventually(() => expect(about('GPU 1')).toHaveLength(1));
      script('gpus 2\n');
      await eventually(() => expect(about('GPU 1')).toHaveLength(2));
      const time = String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
      expect(about('GPU 1')).toEqual([
        expect.stringMatching(new RegExp(String.raw`${time} GPU 1 \(NVIDIA .+\) is lost$`)),
        expect.stringMatching(new RegExp(String.raw`${time} GPU 1 \(NVIDIA .+\) is back$`)),
      ]);
    },
    60_000,
  );

  test('tells of a receiver that is not there, and that it is', async () => {
    const listen = (server: Server, port: number) =>
      new Promise<number>((done) => {
        server.listen(port, '127.0.0.1', () => done((server.address() as AddressInfo).port));
      });
    const stop = (server: Server) => new Promise((done) => server.close(done).closeAllConnections());
    const first = createServer();
    const port = await listen(first, 0);
    await stop(first);
    const url = `http://127.0.0.1:${port}/v1/metrics`;
    await serve('simulate:healthy-training,gpus=1,history=0', [
      { kind: 'otlp', ...SINK_DEFAULTS, intervalMs: 500, url },
    ]);
    await eventually(() => expect(about('does not take')).toHaveLength(1));
    const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
    await listen(receiver, port);
    await eventually(() => expect(about('No longer so: The receiver')).toHaveLength(1));
    expect(about('does not take')).toHaveLength(2);
    await stop(receiver);
  }, 60_000);

  test('tells nothing of a past that is simulated', async () => {
    await serve('simulate:gpu-lost,gpus=2,history=10m,at=590s');
    expect(await kinds()).toContain('gpu-lost');
    expect(lines).toEqual([]);
  });

  test('tells nothing of a recording', async () => {
    const log = join(folder, 'kernel.log');
    const now = new Date().toISOString();
    writeFileSync(log, `${now} host kernel: NVRM: Xid (PCI:0000:65:00): 79, pid=1, GPU has fallen off the bus.\n`);
    await serve(`replay:${log}`);
    await eventually(() => expect(app?.source().state).toBe('ended'));
    expect(await kinds()).toContain('xid');
    await app?.close();
    expect(lines).toEqual([]);
  });
});
