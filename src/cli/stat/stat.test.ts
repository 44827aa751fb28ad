import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { afterEach, describe, expect, test } from 'vitest';
import { type Look, ownLook } from '../../app/look.ts';
import { takeSnapshot } from '../../app/one-shot.ts';
import { slotOf } from '../../model/catalogue.ts';
import { systemClock } from '../../model/clock.ts';
import type { GpuProcess } from '../../model/process.ts';
import type { DeviceView } from '../../model/reader.ts';
import { absent } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { testDevice, testSample } from '../../model/scripted-source.ts';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';
import { createContext } from '../context.ts';
import { type Filters, isUnhealthy, isUnwell, snapshotFilter } from './filter.ts';
import { addStatOptions, gpustatLayout, intervalOf, type StatFlags, unhealthyExit } from './flags.ts';
import { gpustatLines } from './gpustat-text.ts';
import { statJson } from './json.ts';

function flags(line: string): StatFlags {
  const command = new Command('stat');
  addStatOptions(command, createContext([], {}));
  const words = line === '' ? [] : line.split(' ');
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parse(words, { from: 'user' })
    .opts();
}

/** A pid that no process of this machine has: more than the kernel gives. */
const GONE = 2 ** 22 + 1;

describe.skipIf(!HAS_FAKE_DRIVER)("gpustat's layout, of a driver", () => {
  let driver: FakeDriver | null = null;
  afterEach(() => {
    driver?.dispose();
    driver = null;
  });

  async function look(script: string): Promise<Look> {
    driver = new FakeDriver({ script });
    const { library } = driver;
    const shot = await takeSnapshot({ spec: 'nvml', nvmlLibrary: library, timeZone: null, clock: systemClock });
    return { ...ownLook(shot, 'en'), host: 'node7' };
  }

  function printed(what: Look, line: string, color = false): string[] {
    const layout = gpustatLayout(flags(line));
    if (layout === null) throw new Error(`not gpustat's layout: ${line}`);
    return gpustatLines(what, layout, color);
  }

  const ONE = `gpus 1\nprocess 0 pid ${GONE} memory 7847542784 kind compute`;
  const HEAD = '[0] NVIDIA H100 80GB HBM3 |  41°C, ';

  test('each flag adds its part where gpustat has it', async () => {
    const what = await look(ONE);
    const check = (line: string, want: string) => expect(printed(what, `${line} --no-header`)[0], line).toBe(want);
    check('-c', `${HEAD} 35 % | 10240 / 81920 MB | --(7484M)`);
    check('-cu', `${HEAD} 35 % | 10240 / 81920 MB | --:--(7484M)`);
    check('-cup', `${HEAD} 35 % | 10240 / 81920 MB | --:--/${GONE}(7484M)`);
    check('-F --no-processes', `${HEAD} 30 %,  35 % | 10240 / 81920 MB |`);
    check('--show-fan-speed --no-processes', `${HEAD} 30 %,  35 % | 10240 / 81920 MB |`);
    check('-e --no-processes', `${HEAD} 35 % (E:   0 %  D:   0 %) | 10240 / 81920 MB |`);
    check('-e dec --no-processes', `${HEAD} 35 % (D:   0 %) | 10240 / 81920 MB |`);
    check('-P --no-processes', `${HEAD} 35 %,  235 / 700 W | 10240 / 81920 MB |`);
    check('-P limit,draw --no-processes', `${HEAD} 35 %,  235 / 700 W | 10240 / 81920 MB |`);
    check('-P draw --no-processes', `${HEAD} 35 %,  235 | 10240 / 81920 MB |`);
    check('--gpuname-width 0 --no-processes', '[0] |  41°C,  35 % | 10240 / 81920 MB |');
    check('--gpuname-width 9 --no-processes', '[0] …0GB HBM3 |  41°C,  35 % | 10240 / 81920 MB |');
    const [row, tree] = printed(what, '-a --no-header');
    expect(row).toBe(
      `${HEAD} 30 %,  35 % (E:   0 %  D:   0 %),  235 / 700 W | 10240 / 81920 MB | --:--/${GONE}(7484M)`,
    );
    expect(tree).toBe(` └─ ${GONE} (  ??%,     ??): ??`);
  });

  test('the header has the host, the time and the driver', async () => {
    expect(printed(await look(ONE), '-c')[0]).toMatch(
      /^node7 {21}(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4} {2}570\.86\.10$/,
    );
  });

  test('a GPU that is lost, and one whose processes cannot be listed, are told as gpustat does', async () => {
    const what = await look('gpus 2\ngpu 0 lost on\ngpu 1 fail nvmlDeviceGetComputeRunningProcesses_v3 3');
    expect(printed(what, '-c -P --no-header')).toEqual([
      '[0] ((GPU is lost))       |  ??°C,  ?? %,   ?? /  ?? W |    ?? /    ?? MB | (Not Supported)',
      '[1] NVIDIA H100 80GB HBM3 |  41°C,  35 %,  235 / 700 W | 10240 / 81920 MB | (Not Supported)',
    ]);
  });

  test('MIG instances are not taken for cards', async () => {
    const what = await look('gpus 1\ngpu 0 mig on\nmig 0 1 0 3 1000 10');
    expect(printed(what, '-c --no-header')).toHaveLength(1);
  });

  test('colours are those of gpustat, and nothing but colours', async () => {
    const what = await look(ONE);
    const [line = ''] = printed(what, '-c --no-header', true);
    expect(line).toContain('\u001b[34mNVIDIA H100 80GB HBM3\u001b[0m');
    expect(line).toContain('\u001b[1;32m 35\u001b[0m');
    expect(stripVTControlCharacters(line)).toBe(printed(what, '-c --no-header')[0]);
  });

  /** Keys of a GPU in gpustat's JSON, in its order. */
  const GPUSTAT_KEYS = [
    ...['index', 'name', 'uuid', 'temperature.gpu', 'fan.speed', 'memory.used', 'memory.total'],
    ...['utilization.gpu', 'utilization.enc', 'utilization.dec', 'power.draw', 'enforced.power.limit'],
  ];

  test('JSON has every key of gpustat with its unit, and those of the API', async () => {
    const json = JSON.parse(
      JSON.stringify(statJson(await look(`${ONE}\nprocess 0 pid ${process.pid} memory 1 kind compute`))),
    );
    expect(Object.keys(json).slice(0, 3)).toEqual(['hostname', 'driver_version', 'query_time']);
    expect(json).toMatchObject({ hostname: 'node7', driver_version: '570.86.10', source: 'nvml', origin: 'live' });
    expect(json.query_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
    const [gpu] = json.gpus;
    expect(Object.keys(gpu).slice(0, GPUSTAT_KEYS.length)).toEqual(GPUSTAT_KEYS);
    expect(GPUSTAT_KEYS.slice(3).map((key) => gpu[key])).toEqual([41, 30, 10240, 81920, 35, 0, 0, 235, 700]);
    expect(gpu.readings.power_watts).toBe(235.4);
    const [gone, own] = gpu.processes;
    expect(gone).toMatchObject({
      pid: GONE,
      username: null,
      command: null,
      full_command: null,
      gpu_memory_usage: 7484,
    });
    expect(own).toMatchObject({ pid: process.pid, gpu_memory_usage: 0, username: expect.any(String) });
    expect(own.full_command.length).toBeGreaterThan(1);
    expect(own.cpu_memory_usage).toBeGreaterThan(2 ** 20);
  });

  test('JSON has null for what is not known, also for processes', async () => {
    const json = JSON.parse(JSON.stringify(statJson(await look('gpus 1\ngpu 0 lost on'))));
    const [gpu] = json.gpus;
    expect(GPUSTAT_KEYS.slice(3).map((key) => gpu[key])).toEqual(GPUSTAT_KEYS.slice(3).map(() => null));
    expect([gpu.processes, gpu.processesAbsent, gpu.state]).toEqual([null, 'gpu-lost', 'lost']);
    expect(gpu.uuid).toBeNull();
  });
});

test('what gpustat printed comes out of a log as it was', async () => {
  const log = resolve(import.meta.dirname, '../../../testdata/logs/gpustat/p100x4-phantom-103mb.txt');
  const shot = await takeSnapshot({ spec: `replay:${log}`, nvmlLibrary: null, timeZone: 'UTC', clock: systemClock });
  const layout = gpustatLayout(flags('-c --no-header'));
  const printed = gpustatLines(ownLook(shot, 'en'), layout!, false);
  // Releases before 1.0 wrote 27'C for 27°C, and had two places for it.
  const recorded = readFileSync(log, 'utf8').replaceAll(/\| (\d\d)'C/g, '|  $1°C');
  expect(printed.map((line) => line.trimEnd())).toEqual(
    recorded
      .split('\n')
      .filter((line) => line.startsWith('['))
      .map((line) => line.trimEnd()),
  );
});

describe('filters', () => {
  function view(index: number, facts: Partial<DeviceView>, values: Record<string, number> = {}): DeviceView {
    const readings = new ReadingSet();
    readings.setValue(slotOf('temperature_celsius'), 40);
    for (const [id, value] of Object.entries(values)) readings.setValue(slotOf(id as 'power_watts'), value);
    return { ...testSample(testDevice(index), { readings, processes: [], ...facts }), at: 0 };
  }

  const work = (user: string | null, job: string | null): GpuProcess => ({
    ...{ pid: 1, kind: 'compute', name: 'python', user, memoryBytes: 1, smRatio: 0, memoryRatio: 0 },
    ...{ encoderRatio: 0, decoderRatio: 0, startedAt: null, command: null },
    owner: {
      ...{ container: null, pod: null, unit: null },
      job: job === null ? null : { scheduler: 'slurm', id: job, step: null, user: 'boss' },
    },
  });

  const ALL: readonly DeviceView[] = [
    view(0, { processes: [work('li', null), work('wang', '7')] }),
    view(1, { processes: [] }, { utilization_ratio: 0 }),
    view(2, { processes: [] }, { utilization_ratio: 0.5, clock_event_reasons: 0x40 }),
    view(3, { state: 'lost', processes: absent('gpu-lost') }),
    view(4, { state: 'asleep', processes: absent('asleep') }),
    view(5, { state: 'stale', processes: absent('not-collected') }),
  ];

  function kept(filters: Partial<Filters>): (readonly [number, number])[] {
    const all: Filters = { ids: undefined, users: undefined, jobs: undefined, states: undefined };
    const { devices } = snapshotFilter({ ...all, ...filters })({ at: 0, sequence: 1, devices: ALL });
    return devices.map(({ device, processes }) => [device.index, 'absent' in processes ? -1 : processes.length]);
  }

  test('by GPU, user, job and state, all of which must fit', () => {
    const check = (filters: Partial<Filters>, want: number[]) =>
      expect(
        kept(filters).map(([index]) => index),
        JSON.stringify(filters),
      ).toEqual(want);
    check({}, [0, 1, 2, 3, 4, 5]);
    check({ ids: '1, GPU-test-3' }, [1, 3]);
    check({ users: 'li' }, [0]);
    check({ users: 'nobody' }, []);
    check({ users: 'boss' }, [0]);
    check({ jobs: '7,8' }, [0]);
    check({ states: 'lost,asleep' }, [3, 4]);
    check({ states: 'busy' }, [0, 2]);
    check({ states: 'idle' }, [1]);
    check({ states: 'throttled' }, [2]);
    check({ states: 'stale' }, [5]);
    check({ states: 'ok', ids: '1,3' }, [1]);
    check({ users: 'li', jobs: '7' }, []);
  });

  test('by user, only their processes are left', () => {
    expect(kept({ users: 'wang' })).toEqual([[0, 1]]);
  });

  test('a GPU that is not there, and a state that is none, are refused', () => {
    expect(() => kept({ ids: '0,9' })).toThrow(/there is no GPU "9"/);
    expect(() => kept({ states: 'sleepy' })).toThrow(/--state does not take "sleepy"/);
  });

  test('who is unwell and who is unhealthy', () => {
    expect(ALL.filter(isUnwell).map(({ device }) => device.index)).toEqual([3, 5]);
    expect(ALL.filter(isUnhealthy).map(({ device }) => device.index)).toEqual([2, 3, 5]);
    expect(isUnhealthy(view(9, {}, { remapped_rows_failure: 1 }))).toBe(true);
  });
});

describe('flags', () => {
  test('without any of gpustat, the layout is that of gpulse', () => {
    for (const line of ['', '--json', '-i', '--id 0', '-c --layout gpulse'])
      expect(gpustatLayout(flags(line))).toBeNull();
    for (const line of ['-c', '-u', '-p', '-F', '-e', '-P', '-a', '--no-color', '--no-header', '--layout gpustat']) {
      expect(gpustatLayout(flags(line)), line).not.toBeNull();
    }
  });

  test('intervals are seconds, 1 without a number, and no shorter than a tenth', () => {
    const check = (line: string, want: number | null) =>
      expect(intervalOf(flags(line), createContext([], {})), line).toBe(want);
    check('', null);
    check('-i', 1000);
    check('-i2', 2000);
    check('--interval 0.5', 500);
    check('--watch 3', 3000);
    for (const line of ['-i 0', '-i 0.01', '-i often', '-i 0,1', '-i -1']) {
      expect(() => intervalOf(flags(line), createContext([], {})), line).toThrow();
    }
    const chinese = createContext(['--lang', 'zh'], {});
    expect(() => intervalOf(flags('-i 0'), chinese)).toThrow(
      expect.objectContaining({ params: expect.objectContaining({ expected: expect.stringContaining('之间的秒数') }) }),
    );
  });

  test('parts and codes that are none are refused', () => {
    expect(() => gpustatLayout(flags('-e gif'))).toThrow(/--show-codec does not take "gif"/);
    expect(() => gpustatLayout(flags('-P 5'))).toThrow(/--show-power does not take "5"/);
    expect(gpustatLayout(flags('--gpuname-width 0'))?.nameWidth).toBe(0);
    for (const width of ['wide', '-1', '1.5']) {
      expect(() => gpustatLayout(flags(`--gpuname-width=${width}`))).toThrow(
        expect.objectContaining({ params: expect.objectContaining({ expected: '0, 1, 2, 3, …' }) }),
      );
    }
    expect([unhealthyExit(flags('')), unhealthyExit(flags('--exit-code-if-unhealthy'))]).toEqual([null, 5]);
    expect(unhealthyExit(flags('--exit-code-if-unhealthy 42'))).toBe(42);
    expect(() => unhealthyExit(flags('--exit-code-if-unhealthy 0'))).toThrow(/does not take "0"/);
  });
});
