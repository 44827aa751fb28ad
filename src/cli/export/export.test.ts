import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHistory } from '../../history/history.ts';
import { slotOf } from '../../model/catalogue.ts';
import { systemClock } from '../../model/clock.ts';
import type { History } from '../../model/ports.ts';
import { absent, type Millis } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { testDevice, testSample } from '../../model/scripted-source.ts';
import type { Tick } from '../../model/tick.ts';
import { openRecording } from '../../sources/recording/recording-source.ts';

const GPULSE = resolve(import.meta.dirname, '../../../bin/gpulse');
const START: Millis = Date.UTC(2026, 0, 1, 12);
const TICKS = 300;

let folder: string;
let history: History;

function readings(i: number, gpu: number): ReadingSet {
  const set = new ReadingSet();
  set.setValue(slotOf('utilization_ratio'), ((i * 37 + gpu) % 101) / 100);
  set.setValue(slotOf('memory_used_bytes'), 1234 * 2 ** 20 + i * 4096);
  set.setValue(slotOf('power_watts'), (200_000 + ((i * 7919) % 100_003)) / 1000);
  set.setValue(slotOf('clock_event_reasons'), i % 2 === 0 ? 4 : 0);
  set.setValue(slotOf('performance_state'), i % 3);
  set.set(slotOf('fan_speed_ratio'), absent('not-supported'));
  if (gpu === 1 && i > 200) set.set(slotOf('power_watts'), absent('error'));
  return set;
}

function tick(i: number): Tick {
  const devices = [0, 1].map((gpu) => {
    const name = gpu === 0 ? 'NVIDIA A100' : 'Card, with "quotes"';
    const device = testDevice(gpu, { name, uuid: `GPU-0000000${gpu}-1111-2222-3333-444444444444` });
    return testSample(device, { readings: readings(i, gpu) });
  });
  return { at: START + i * 1000, monotonic: i * 1000, devices, events: [] };
}

/** The history is open, as while `serve` runs. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-export-'));
  history = await openHistory({ directory: folder, origin: 'recorded', clock: systemClock, blockRows: 70 });
  for (let i = 0; i < TICKS; i++) {
    history.accept(tick(i));
    if (i % 50 === 0) await history.flush();
  }
  await history.flush();
});

afterAll(async () => {
  await history.close();
  rmSync(folder, { recursive: true });
});

function run(...args: string[]) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TZ: 'Asia/Shanghai', LANG: 'C' };
  const { stdout, stderr, status } = spawnSync(GPULSE, ['export', '--data', folder, ...args], {
    encoding: 'utf8',
    env,
    timeout: 30_000,
    maxBuffer: 2 ** 26,
  });
  return { lines: stdout.split('\n').slice(0, -1), stderr, status };
}

test('csv has every sample with all its digits, and nothing where there is no value', () => {
  const { lines, stderr, status } = run();
  expect([stderr, status]).toEqual(['', 0]);
  expect(lines[0]).toBe(
    'time,epoch_ms,gpu,uuid,name,state,utilization_ratio,memory_used_bytes,power_watts,performance_state,clock_event_reasons',
  );
  expect(lines).toHaveLength(1 + 2 * TICKS);
  expect(lines[3]).toBe(
    `2026-01-01T12:00:01.000Z,${START + 1000},0,GPU-00000000-1111-2222-3333-444444444444,NVIDIA A100,ok,0.37,1293946880,207.919,1,0`,
  );
  expect(lines.at(-1)).toMatch(/,"Card, with ""quotes""",ok,[\d.]+,\d+,,2,0$/);
});

test('ndjson tells why a value is missing', () => {
  const { lines } = run('--format', 'ndjson', '--from', '2026-01-01T12:03:21Z', '--to', `${START + 203_000}`);
  expect(lines).toHaveLength(4);
  expect(JSON.parse(lines[1]!)).toEqual({
    time: '2026-01-01T12:03:21.000Z',
    epoch_ms: START + 201_000,
    gpu: 1,
    uuid: 'GPU-00000001-1111-2222-3333-444444444444',
    name: 'Card, with "quotes"',
    state: 'ok',
    readings: expect.objectContaining({ performance_state: 0 }),
    absent: { power_watts: 'error' },
  });
});

describe('nvidia-smi-csv', () => {
  test('looks as nvidia-smi prints it', () => {
    const { lines } = run('--format', 'nvidia-smi-csv', '--gpu', '0', '--to', '2026-01-01T12:00:01Z');
    expect(lines).toEqual([
      'timestamp, index, uuid, name, pci.bus_id, driver_version, utilization.gpu [%], memory.used [MiB], power.draw [W], pstate, clocks_event_reasons.active',
      '2026-01-01T12:00:00.000Z, 0, GPU-00000000-1111-2222-3333-444444444444, NVIDIA A100, [N/A], [N/A], 0 %, 1234 MiB, 200.00 W, P0, 0x0000000000000004',
    ]);
  });

  test('is read again as it was sampled', { timeout: 30_000 }, async () => {
    const path = join(folder, 'back.csv');
    writeFileSync(path, `${run('--format', 'nvidia-smi-csv').lines.join('\n')}\n`);
    const source = await openRecording({ path, timeZone: 'America/New_York' });
    for (let i = 0; i < TICKS; i++) {
      const back = await source.sample(0);
      expect(back?.at).toBe(START + i * 1000);
      for (const [gpu, sample] of (back?.devices ?? []).entries()) {
        for (const id of ['utilization_ratio', 'memory_used_bytes', 'power_watts', 'clock_event_reasons'] as const) {
          expect(sample.readings.get(id), `${id} of GPU ${gpu} at tick ${i}`).toEqual(readings(i, gpu).get(id));
        }
      }
    }
    expect(await source.sample(0)).toBeNull();
    await source.close();
  });
});

test('metrics may be chosen; what is empty says so', () => {
  const { lines } = run('--metric', 'power_watts,fan_speed_ratio', '--gpu', '1', '--to', '2026-01-01T12:00:01Z');
  expect(lines).toEqual([
    'time,epoch_ms,gpu,uuid,name,state,power_watts,fan_speed_ratio',
    `2026-01-01T12:00:00.000Z,${START},1,GPU-00000001-1111-2222-3333-444444444444,"Card, with ""quotes""",ok,200,`,
  ]);
  const { lines: none, stderr } = run('--from', '2020-01-01', '--to', '2020-01-02', '--lang', 'zh');
  expect(none).toHaveLength(1);
  expect(stderr).toContain('之间没有采样');
});

test.each([
  [['--from', 'yesterday'], /--from/],
  [
    ['--from', 'now', '--to', '2026-01-01T12:00:01Z'],
    /--from does not take "now"; it takes a time before that of --to, 2026-01-01T12:00:01\S*Z$/m,
  ],
  [
    ['--from', 'now', '--to', '2026-01-01T12:00:01Z', '--lang', 'zh'],
    /--from .*“?now”?.*应为：早于 --to（2026-01-01T12:00:01\S*Z）的时间$/m,
  ],
  [['--metric', 'power'], /power/],
  [['--metric', 'fan_speed_ratio,power_wats'], /there is no metric "power_wats"; did you mean power_watts\?/],
  [['--lang', 'zh', '--metric', 'power_wats'], /没有名为“power_wats”的指标.*是否想用 power_watts？/],
  [['--gpu', '7'], /7/],
  [['--format', 'xml'], /xml/],
  [['--data', '/nonexistent'], /there is no history in \/nonexistent; /],
])('%j is refused in one line', (args, message) => {
  const { lines, stderr, status } = run(...args);
  expect(lines).toEqual([]);
  expect(status).not.toBe(0);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
