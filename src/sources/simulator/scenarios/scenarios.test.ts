import { describe, expect, test } from 'vitest';
import { type MetricId, slotOf } from '../../../model/catalogue.ts';
import type { GpuEvent } from '../../../model/event.ts';
import type { GpuProcess } from '../../../model/process.ts';
import type { Tick } from '../../../model/tick.ts';
import { openSimulator } from '../simulator-source.ts';

const START = 1_800_000_000_000;
const MINUTE = 60_000;
const GIB = 2 ** 30;
const THERMAL = 0x60;

/** A whole run of a scenario by GPU and time. */
interface Trace {
  /** One row per GPU; NaN where absent. */
  of(id: MetricId): number[][];
  readonly states: string[][];
  readonly processes: (readonly GpuProcess[] | null)[][];
  readonly events: GpuEvent[];
}

async function trace(spec: string, fromMs: number, toMs: number, stepMs = 1000): Promise<Trace> {
  const source = openSimulator(spec);
  const ticks: Tick[] = [];
  await source.sample(START);
  for (let time = fromMs; time <= toMs; time += stepMs) ticks.push((await source.sample(START + time))!);
  const gpus = source.devices().map(({ index }) => index);
  const rows = <T>(pick: (gpu: number, tick: Tick) => T): T[][] =>
    gpus.map((gpu) => ticks.map((tick) => pick(gpu, tick)));
  return {
    of: (id) => rows((gpu, tick) => tick.devices[gpu]!.readings.number(slotOf(id)) ?? Number.NaN),
    states: rows((gpu, tick) => tick.devices[gpu]!.state),
    processes: rows((gpu, tick) => {
      const { processes } = tick.devices[gpu]!;
      return 'absent' in processes ? null : processes;
    }),
    events: ticks.flatMap(({ events }) => events),
  };
}

const mean = (row: readonly number[]): number => row.reduce((sum, value) => sum + value, 0) / row.length;
const share = (row: readonly number[], holds: (value: number) => boolean): number =>
  row.filter(holds).length / row.length;
const quantile = (row: readonly number[], q: number): number =>
  row.toSorted((a, b) => a - b)[Math.floor(q * (row.length - 1))]!;

/** Correlation of a series with itself `lag` samples later. */
function autocorrelation(row: readonly number[], lag: number): number {
  const middle = mean(row);
  const at = (shift: number): number =>
    mean(row.slice(0, row.length - shift).map((value, i) => (value - middle) * (row[i + shift]! - middle)));
  return at(lag) / at(0);
}

/** Pids on a GPU in order of appearance. */
function pids(row: readonly (readonly GpuProcess[] | null)[]): number[] {
  return [...new Set(row.flatMap((list) => (list ?? []).map(({ pid }) => pid)))];
}

const SEEDS = [1, 2, 3];

describe.each(SEEDS)('with seed %i', (seed) => {
  test('healthy-training runs near 95%, pauses together for a checkpoint every 10 minutes, and evaluates', async () => {
    const run = await trace(`healthy-training,seed=${seed}`, 0, 60 * MINUTE);
    const busy = run.of('utilization_ratio');
    for (const row of busy) {
      expect(mean(row)).toBeGreaterThan(0.92);
      expect(mean(row)).toBeLessThan(0.97);
      expect(quantile(row, 0.5)).toBeGreaterThan(0.95);
    }
    const low = busy.map((row) => row.flatMap((value, second) => (value < 0.15 ? [second] : [])));
    expect(new Set(low.map((seconds) => seconds.join())).size).toBe(1);
    const starts = low[0]!.filter((second, i, all) => second !== all[i - 1]! + 1);
    expect(starts.length).toBe(6);
    expect(starts.slice(1).every((second, i) => Math.abs(second - starts[i]! - 600) <= 1)).toBe(true);
    expect(low[0]!.length / starts.length).toBeLessThanOrEqual(10);
    const evaluating = busy[0]!.filter((value) => value >= 0.7 && value < 0.885).length;
    expect(evaluating).toBeGreaterThan(100);
    const power = run.of('power_watts');
    expect(quantile(power[0]!, 0.5)).toBeGreaterThan(630);
    expect(share(run.of('clock_event_reasons').flat(), (mask) => (mask & 0x4) !== 0)).toBeGreaterThan(0.1);
    expect(share(run.of('clock_event_reasons').flat(), (mask) => (mask & THERMAL) !== 0)).toBe(0);
  });

  test('data-starved is a sawtooth of 5 to 12 s common to all GPUs, with a low mean', async () => {
    const run = await trace(`data-starved,seed=${seed}`, 0, 10 * MINUTE);
    const busy = run.of('utilization_ratio');
    for (const row of busy) {
      expect(mean(row)).toBeGreaterThan(0.25);
      expect(mean(row)).toBeLessThan(0.55);
      expect(share(row, (value) => value < 0.15)).toBeGreaterThan(0.2);
      const cycles = row.filter((value, i) => value > 0.6 && (row[i - 1] ?? 0) <= 0.6).length;
      expect(600 / cycles).toBeGreaterThan(5);
      expect(600 / cycles).toBeLessThan(12);
      expect(autocorrelation(row, Math.round(600 / cycles))).toBeGreaterThan(0.3);
      expect(autocorrelation(row, Math.round(300 / cycles))).toBeLessThan(-0.3);
    }
    const together = mean(busy[0]!.map((value, i) => Math.abs(value - busy[7]![i]!)));
    expect(together).toBeLessThan(0.15);
    expect(quantile(run.of('power_watts')[0]!, 0.95) - quantile(run.of('power_watts')[0]!, 0.05)).toBeGreaterThan(210);
  });

  test('memory-leak grows evenly until memory is full at the incident, dies, and starts over with a new pid', async () => {
    const run = await trace(`memory-leak,seed=${seed},history=55m`, 0, 65 * MINUTE, 5000);
    const used = run.of('memory_used_bytes')[0]!.map((bytes) => bytes / GIB);
    const slope = (fromMinute: number, toMinute: number): number =>
      (used[toMinute * 12]! - used[fromMinute * 12]!) / (toMinute - fromMinute);
    for (const [from, to] of [
      [5, 15],
      [15, 30],
      [30, 45],
      [45, 59],
    ] as const) {
      expect(slope(from, to)).toBeCloseTo(55.15 / 58, 1);
    }
    expect(used.slice(4, 12 * 59).every((value, i) => value >= used[i + 3]! || i < 36)).toBe(true);
    expect(used[60 * 12 - 1]).toBeGreaterThan(78.9);
    expect(used[60 * 12 + 1]).toBe(0);
    expect(used[61 * 12]).toBe(0);
    expect(used[63 * 12]).toBeGreaterThan(23);
    // The first one ends with the last round, exactly at the start.
    expect(used[0]).toBeGreaterThan(78.9);
    expect(pids(run.processes[0]!)).toHaveLength(3);
    expect(pids(run.processes[1]!)).toHaveLength(1);
    expect(run.events).toEqual([]);
  });

  test('thermal-throttle: one GPU reaches its slowdown temperature again and again, and its peers wait', async () => {
    const run = await trace(`thermal-throttle,seed=${seed}`, 0, 60 * MINUTE);
    const masks = run.of('clock_event_reasons');
    const throttled = masks.map((row) => share(row, (mask) => (mask & THERMAL) !== 0));
    expect(throttled[3]).toBeGreaterThan(0.4);
    expect(throttled.filter((value) => value > 0)).toHaveLength(1);
    const began = masks[3]!.filter((mask, i, row) => (mask & THERMAL) !== 0 && ((row[i - 1] ?? 0) & THERMAL) === 0);
    expect(began.length).toBeGreaterThan(20);
    expect(masks[3]!.some((mask) => (mask & 0x48) === 0x48)).toBe(true);
    const hottest = Math.max(...run.of('temperature_celsius')[3]!);
    expect(hottest).toBeGreaterThanOrEqual(87);
    expect(hottest).toBeLessThanOrEqual(92);
    const clocks = run.of('sm_clock_hertz');
    expect(mean(clocks[3]!)).toBeLessThan(0.93 * mean(clocks[0]!));
    const [slow, fast] = [true, false].map((wanted) =>
      mean(run.of('power_watts')[0]!.filter((_, i) => ((masks[3]![i]! & THERMAL) !== 0) === wanted)),
    );
    expect(slow).toBeLessThan(0.92 * fast!);
    expect(mean(run.of('utilization_ratio')[0]!)).toBeGreaterThan(0.9);
  });

  test('imbalance: one GPU does the work', async () => {
    const run = await trace(`imbalance,seed=${seed}`, 0, 30 * MINUTE);
    const busy = run.of('utilization_ratio').map(mean);
    expect(busy[0]).toBeGreaterThan(0.9);
    expect(Math.max(...busy.slice(1))).toBeLessThan(0.15);
    expect(Math.min(...busy.slice(1))).toBeGreaterThan(0.02);
    expect(1 - mean(busy) / Math.max(...busy)).toBeGreaterThan(0.6);
    expect(Math.min(...run.of('memory_used_bytes')[7]!)).toBeGreaterThan(10 * GIB);
  });

  test('gpu-lost: Xid 79 at the documented time, then no readings, and the others hang', async () => {
    const run = await trace(`gpu-lost,seed=${seed},history=2m`, 0, 10 * MINUTE);
    const lostAt = 210;
    expect(run.events).toMatchObject([
      { at: START + lostAt * 1000, kind: 'xid', severity: 'critical', params: { index: 5, code: 79 } },
    ]);
    expect(run.states[5]!.indexOf('lost')).toBe(lostAt + 1);
    expect(run.states[5]!.slice(lostAt + 1).every((state) => state === 'lost')).toBe(true);
    expect(run.processes[5]!.at(-1)).toBeNull();
    expect(
      run
        .of('power_watts')[5]!
        .slice(lostAt + 1)
        .every(Number.isNaN),
    ).toBe(true);
    for (const gpu of [0, 1, 2, 3, 4, 6, 7]) {
      const later = (id: MetricId): number[] => run.of(id)[gpu]!.slice(lostAt + 2);
      expect(Math.min(...later('utilization_ratio'))).toBe(1);
      expect(Math.max(...later('memory_utilization_ratio'))).toBeLessThanOrEqual(0.02);
      expect(Math.max(...later('power_watts').map((watts) => (watts - 70) / 630))).toBeLessThan(0.25);
      expect(Math.max(...later('pcie_rx_bytes_per_second'))).toBe(0);
      expect(Math.min(...later('memory_used_bytes'))).toBeGreaterThan(60 * GIB);
      expect(run.states[gpu]!.every((state) => state === 'ok')).toBe(true);
    }
  });

  test('idle-held: work ends an hour before the live start, memory stays', async () => {
    const run = await trace(`idle-held,seed=${seed},history=70m`, 0, 30 * MINUTE, 5000);
    for (const gpu of [0, 1, 2, 3]) {
      const busy = run.of('utilization_ratio')[gpu]!;
      expect(mean(busy.slice(0, 120))).toBeGreaterThan(0.7);
      expect(Math.max(...busy.slice(123))).toBeLessThan(0.05);
      expect(Math.min(...run.of('memory_used_bytes')[gpu]!)).toBeGreaterThan(60 * GIB);
      expect(Math.max(...run.of('memory_used_bytes')[gpu]!)).toBeLessThan(79 * GIB);
      expect(run.of('clock_event_reasons')[gpu]!.at(-1)).toBe(0x1);
      expect(run.processes[gpu]!.at(-1)).toMatchObject([{ user: 'zhang' }]);
    }
    expect(mean(run.of('utilization_ratio')[4]!)).toBeGreaterThan(0.9);
  });

  test('ecc-growth: corrected errors multiply, one is uncorrected with its Xids, and the job starts again', async () => {
    const run = await trace(`ecc-growth,seed=${seed}`, 0, 190 * MINUTE, 5000);
    const corrected = run.of('ecc_corrected_volatile_total')[2]!;
    const perHour = [1, 2, 3].map((hour) => corrected[hour * 720]! - corrected[(hour - 1) * 720]!);
    expect(perHour[0]).toBeLessThan(30);
    expect(perHour[1]).toBeGreaterThan(perHour[0]!);
    expect(perHour[2]).toBeGreaterThan(100);
    expect(run.events.map(({ params }) => params['code'])).toEqual([48, 63, 94]);
    expect(run.events.every(({ at, uuid }) => at === START + 182 * MINUTE && uuid !== null)).toBe(true);
    const at = (182 * MINUTE) / 5000;
    const uncorrected = run.of('ecc_uncorrected_volatile_total')[2]!;
    expect([uncorrected[at], uncorrected[at + 1], uncorrected.at(-1)]).toEqual([0, 1, 1]);
    expect(run.of('ecc_uncorrected_aggregate_total')[2]!.at(-1)).toBe(1);
    expect(run.of('ecc_corrected_volatile_total').every((row, gpu) => gpu === 2 || Math.max(...row) === 0)).toBe(true);
    for (const row of run.processes) {
      expect(row[at + 1]).toEqual([]);
      expect(pids(row)).toHaveLength(2);
    }
    expect(
      run
        .of('utilization_ratio')[0]!
        .slice(at + 60, at + 90)
        .some((value) => value > 0.9),
    ).toBe(true);
  });

  test('demo shows training, a card that throttles now and then, a held card and short jobs', async () => {
    const run = await trace(`demo,seed=${seed}`, 0, 180 * MINUTE, 5000);
    const busy = run.of('utilization_ratio').map(mean);
    expect(Math.min(...busy.slice(0, 6))).toBeGreaterThan(0.9);
    expect(busy[6]).toBeLessThan(0.01);
    expect(busy[7]).toBeGreaterThan(0.3);
    expect(busy[7]).toBeLessThan(0.8);
    const hot = share(run.of('clock_event_reasons')[3]!, (mask) => (mask & THERMAL) !== 0);
    expect(hot).toBeGreaterThan(0.02);
    expect(hot).toBeLessThan(0.25);
    expect(Math.min(...run.of('memory_used_bytes')[6]!)).toBeGreaterThan(70 * GIB);
    const users = run.processes.map((row) => [...new Set(row.flatMap((list) => list!.map(({ user }) => user)))]);
    expect(users).toEqual([...Array(6).fill(['lin']), ['zhang'], ['wang']]);
    expect(pids(run.processes[7]!).length).toBeGreaterThan(10);
    expect(run.events).toEqual([]);
  });
});

test.each([1, 2, 3, 128])(
  'every scenario has a meaning on %i GPUs: no GPU is in two jobs, none throttles by accident',
  async (gpus) => {
    for (const name of [
      'demo',
      'healthy-training',
      'memory-leak',
      'imbalance',
      'gpu-lost',
      'idle-held',
      'ecc-growth',
    ]) {
      const run = await trace(`${name},gpus=${gpus},history=0`, 0, 3 * MINUTE, 10_000);
      const mostProcesses = Math.max(...run.processes.flat().map((list) => list?.length ?? 0));
      expect(mostProcesses, name).toBe(1);
      const all = run.processes.flatMap((row) => pids(row));
      expect(new Set(all).size, name).toBe(all.length);
      if (name !== 'demo')
        expect(Math.max(...run.of('temperature_celsius').flat().filter(Number.isFinite))).toBeLessThan(75);
      if (name === 'gpu-lost') expect(run.states.filter((row) => row.at(-1) === 'lost')).toHaveLength(1);
    }
  },
);
