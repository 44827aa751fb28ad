import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CATALOGUE, type MetricId, slotOf } from '../../model/catalogue.ts';
import { AppError } from '../../model/errors.ts';
import type { Source } from '../../model/ports.ts';
import type { Tick } from '../../model/tick.ts';
import { sourceContract } from '../source.contract.ts';
import { openSimulator, parseSimulation, SCENARIOS } from './simulator-source.ts';

const START = 1_800_000_000_000;
const HOUR = 3_600_000;
const NAMES = SCENARIOS.map(({ name }) => name);

async function tickAt(source: Source, afterMs: number): Promise<Tick> {
  const tick = await source.sample(START + afterMs);
  if (tick === null) throw new Error('a simulation never ends');
  return tick;
}

async function ticksAt(source: Source, times: readonly number[]): Promise<Tick[]> {
  const ticks: Tick[] = [];
  for (const time of times) ticks.push(await tickAt(source, time));
  return ticks;
}

function value(tick: Tick, gpu: number, id: MetricId): number {
  return tick.devices[gpu]!.readings.number(slotOf(id)) ?? Number.NaN;
}

/** Plain data of a tick, to compare two of them. */
function content(tick: Tick): unknown {
  const devices = tick.devices.map(({ device, state, readings, processes }) => ({
    uuid: device.uuid,
    state,
    values: [...readings.values],
    codes: [...readings.codes],
    processes,
  }));
  return { ...tick, devices };
}

for (const name of NAMES) {
  sourceContract(`simulate:${name}`, async () => openSimulator(name));
}
sourceContract('simulate:gpu-lost after the loss', async () => openSimulator('gpu-lost,at=0'));

describe('parseSimulation', () => {
  test.each([
    ['demo', { gpus: 8, seed: 1, historyMs: 3 * HOUR, incidentMs: Number.POSITIVE_INFINITY }],
    ['demo,gpus=1,seed=0,history=0', { gpus: 1, seed: 0, historyMs: 0 }],
    [' demo , gpus=256 , seed=4294967295 ', { gpus: 256, seed: 4_294_967_295 }],
    ['demo,gpus=2,gpus=3', { gpus: 3 }],
    ['demo,history=90m', { historyMs: 1.5 * HOUR }],
    ['demo,history=1.5h', { historyMs: 1.5 * HOUR }],
    ['demo,history=250ms', { historyMs: 250 }],
    ['demo,history=7d', { historyMs: 168 * HOUR }],
    ['gpu-lost', { incidentMs: 3 * HOUR + 90_000 }],
    ['gpu-lost,history=0', { incidentMs: 90_000 }],
    ['gpu-lost,history=0,at=5m', { incidentMs: 300_000 }],
    ['gpu-lost,at=0', { incidentMs: 0 }],
    ['ecc-growth,history=10s', { incidentMs: 130_000 }],
    ['memory-leak,history=0', { incidentMs: 300_000 }],
    ['idle-held', { incidentMs: 2 * HOUR }],
    ['idle-held,history=5m', { incidentMs: 0 }],
  ])('%s', (spec, expected) => {
    expect(parseSimulation(spec)).toMatchObject(expected);
  });

  test.each([
    ['', 'UNKNOWN_SCENARIO', { name: '', known: NAMES.join(', ') }],
    ['Demo', 'UNKNOWN_SCENARIO', { name: 'Demo', known: NAMES.join(', ') }],
    ['gpus=8', 'UNKNOWN_SCENARIO', { name: 'gpus=8', known: NAMES.join(', ') }],
    ['demo,gpus=0', 'BAD_OPTION', { option: 'gpus', value: '0', expected: '1–256' }],
    ['demo,gpus=257', 'BAD_OPTION', { option: 'gpus', value: '257' }],
    ['demo,gpus=-1', 'BAD_OPTION', { option: 'gpus', value: '-1' }],
    ['demo,gpus=1e1', 'BAD_OPTION', { option: 'gpus', value: '1e1' }],
    ['demo,gpus=', 'BAD_OPTION', { option: 'gpus', value: '' }],
    ['demo,gpus', 'BAD_OPTION', { option: 'gpus', value: '' }],
    ['demo,seed=4294967296', 'BAD_OPTION', { option: 'seed', value: '4294967296', expected: '0–4294967295' }],
    ['demo,history=3', 'BAD_OPTION', { option: 'history', value: '3' }],
    ['demo,history=8d', 'BAD_OPTION', { option: 'history', value: '8d' }],
    ['demo,history=-1h', 'BAD_OPTION', { option: 'history', value: '-1h' }],
    ['gpu-lost,at=soon', 'BAD_OPTION', { option: 'at', value: 'soon' }],
    ['gpu-lost,at==1s', 'BAD_OPTION', { option: 'at', value: '=1s' }],
    ['demo,', 'BAD_OPTION', { option: 'simulate:demo', value: '' }],
    ['demo,speed=2', 'BAD_OPTION', { option: 'simulate:demo', value: 'speed=2', expected: 'gpus=, seed=, history=' }],
    ['demo,at=1m', 'BAD_OPTION', { option: 'simulate:demo', value: 'at=1m', expected: 'gpus=, seed=, history=' }],
  ])('%s is refused', (spec, code, params) => {
    let caught: unknown;
    try {
      openSimulator(spec);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(AppError);
    expect(caught).toMatchObject({ code, params });
  });

  test('never throws anything but an AppError', () => {
    const part = fc.constantFrom(
      'demo',
      'gpu-lost',
      'gpus',
      'seed',
      'at',
      'history',
      '=',
      ',',
      '1',
      '9',
      'h',
      's',
      '.',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part).map((parts) => parts.join('')),
        ),
        (spec) => {
          try {
            const { gpus, seed, historyMs } = parseSimulation(spec);
            expect([gpus, seed, historyMs].every(Number.isInteger)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
          }
        },
      ),
    );
  });
});

const SIMULATED = [
  'utilization_ratio',
  'memory_utilization_ratio',
  'encoder_utilization_ratio',
  'decoder_utilization_ratio',
  'memory_total_bytes',
  'memory_used_bytes',
  'memory_free_bytes',
  'memory_reserved_bytes',
  'temperature_celsius',
  'temperature_slowdown_celsius',
  'temperature_margin_celsius',
  'memory_temperature_celsius',
  'power_watts',
  'power_limit_watts',
  'energy_joules_total',
  'sm_clock_hertz',
  'memory_clock_hertz',
  'graphics_clock_hertz',
  'video_clock_hertz',
  'sm_clock_max_hertz',
  'memory_clock_max_hertz',
  'performance_state',
  'clock_event_reasons',
  'pcie_tx_bytes_per_second',
  'pcie_rx_bytes_per_second',
  'pcie_link_generation',
  'pcie_link_generation_max',
  'pcie_link_width',
  'pcie_link_width_max',
  'ecc_corrected_volatile_total',
  'ecc_uncorrected_volatile_total',
  'ecc_corrected_aggregate_total',
  'ecc_uncorrected_aggregate_total',
] as const;

describe('a simulated machine', () => {
  test('is called after its scenario, and its GPUs after seed and index', async () => {
    const source = openSimulator('data-starved,gpus=256,seed=7');
    expect(source.name).toBe('simulate:data-starved');
    expect(source.origin).toBe('simulated');
    const devices = source.devices();
    expect(devices.map(({ index }) => index)).toEqual(Array.from({ length: 256 }, (_, index) => index));
    for (const { uuid, pciBusId } of devices) {
      expect(uuid).toMatch(/^GPU-51700000-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
      expect(pciBusId).toMatch(/^[0-9A-F]{8}:[0-9A-F]{2}:00\.0$/);
    }
    for (const key of ['uuid', 'pciBusId', 'serial'] as const) {
      expect(new Set(devices.map((device) => device[key])).size).toBe(256);
    }
    expect(openSimulator('demo,seed=7,gpus=2').devices()).toEqual(devices.slice(0, 2));
    expect(openSimulator('demo,seed=8,gpus=1').devices()[0]?.uuid).not.toBe(devices[0]?.uuid);
  });

  test('has the readings people watch; a fan does not exist, and what is not simulated is not collected', async () => {
    const tick = await tickAt(openSimulator('healthy-training'), 0);
    for (const { readings } of tick.devices) {
      const present = CATALOGUE.filter(({ slot }) => readings.number(slot) !== null).map(({ id }) => id);
      expect(present).toEqual(expect.arrayContaining([...SIMULATED]));
      expect(readings.get('fan_speed_ratio')).toEqual({ absent: 'not-supported' });
      expect(readings.get('bar1_used_bytes')).toEqual({ absent: 'not-collected' });
    }
  });

  test('reports the same twice, and something else for another seed', async () => {
    const times = [0, 100, 1100, 6100, 6200, 900_000, 901_000];
    for (const name of NAMES) {
      const run = async (seed: number) => (await ticksAt(openSimulator(`${name},seed=${seed}`), times)).map(content);
      expect(await run(5)).toEqual(await run(5));
      expect(await run(5)).not.toEqual(await run(6));
    }
  });

  test('shows the same at a time, however it was sampled before', async () => {
    const gaps = fc.array(fc.constantFrom(1, 33, 100, 499, 500, 501, 1000, 5000, 60_000, HOUR / 3), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...NAMES), gaps, async (name, steps) => {
        const times = [0];
        for (const step of steps) times.push(times.at(-1)! + step);
        const last = times.at(-1)!;
        const fine = openSimulator(`${name},history=1m`);
        for (let time = 0; time < last; time += HOUR / 2) await tickAt(fine, time);
        const [seen] = (await ticksAt(openSimulator(`${name},history=1m`), times)).slice(-1);
        // The events of a tick are those since the tick before, so they alone depend on the sampling.
        expect({ ...(content(seen!) as object), events: [] }).toEqual({
          ...(content(await tickAt(fine, last)) as object),
          events: [],
        });
      }),
      { numRuns: 40 },
    );
  });

  test('gives the integral of its power as energy over any sampling', async () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('demo', 'thermal-throttle', 'data-starved'), gaps, async (name, steps) => {
        const coarse = openSimulator(`${name},gpus=4`);
        const reference = openSimulator(`${name},gpus=4`);
        const first = await tickAt(coarse, 0);
        await tickAt(reference, 0);
        const joules = [0, 0, 0, 0];
        let time = 0;
        for (const step of steps) {
          const until = time + step;
          // Power is constant within each half second counted from the start.
          while (time < until) {
            const next = Math.min(until, (Math.floor(time / 500) + 1) * 500);
            const tick = await tickAt(reference, next);
            joules.forEach((_, gpu) => {
              joules[gpu]! += (value(tick, gpu, 'power_watts') * (next - time)) / 1000;
            });
            time = next;
          }
          const tick = await tickAt(coarse, time);
          joules.forEach((sum, gpu) => {
            const counted = value(tick, gpu, 'energy_joules_total') - value(first, gpu, 'energy_joules_total');
            expect(Math.abs(counted - sum)).toBeLessThanOrEqual(0.002);
          });
        }
      }),
      { numRuns: 25 },
    );
  });

  test('keeps every reading in the steps of the driver, and memory adds up, at every tick of every scenario', async () => {
    for (const name of NAMES) {
      const source = openSimulator(`${name},history=20m`);
      const energy = new Map<string, number>();
      for (let time = 0; time < 1.5 * HOUR; time += 3_700) {
        for (const { device, state, readings, processes } of (await tickAt(source, time)).devices) {
          if (state === 'lost' || !Array.isArray(processes)) continue;
          const read = (id: MetricId): number => readings.number(slotOf(id)) ?? Number.NaN;
          const held = processes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
          const [total, used, free] = [
            read('memory_total_bytes'),
            read('memory_used_bytes'),
            read('memory_free_bytes'),
          ];
          const faults = [
            used === held || 'used memory is not what the processes hold',
            used + free + read('memory_reserved_bytes') === total || 'memory does not add up',
            (free >= 0 && used % 4096 === 0 && free % 4096 === 0) || 'memory is not in pages',
            isMultiple(read('utilization_ratio'), 0.01) || 'utilisation is not in percent',
            isMultiple(read('memory_utilization_ratio'), 0.01) || 'memory utilisation is not in percent',
            read('memory_utilization_ratio') <= read('utilization_ratio') || 'memory is busier than the GPU',
            isMultiple(read('power_watts'), 0.001) || 'power is not in milliwatts',
            read('power_watts') <= read('power_limit_watts') || 'power exceeds its limit',
            read('sm_clock_hertz') % 15e6 === 0 || 'the SM clock is not in 15 MHz',
            read('video_clock_hertz') % 15e6 === 0 || 'the video clock is not in 15 MHz',
            Number.isInteger(read('temperature_celsius')) || 'temperature is not in degrees',
            (read('temperature_celsius') > 25 && read('temperature_celsius') <= 92) || 'temperature out of bounds',
            read('memory_temperature_celsius') <= 95 || 'memory temperature out of bounds',
            read('temperature_margin_celsius') === read('temperature_slowdown_celsius') - read('temperature_celsius') ||
              'margin is wrong',
            read('energy_joules_total') > (energy.get(device.uuid) ?? 0) || 'energy does not grow',
            clockIsExplained(read('sm_clock_hertz'), read('clock_event_reasons')) || 'clock without its reason',
          ].filter((fault) => fault !== true);
          expect(faults, `${name} GPU ${device.index} at ${time} ms`).toEqual([]);
          energy.set(device.uuid, read('energy_joules_total'));
        }
      }
    }
  });

  test('asked for an earlier time gives its present state with the time asked for, and goes on from there', async () => {
    const source = openSimulator('demo');
    const straight = openSimulator('demo');
    const [, now] = await ticksAt(source, [0, 10_000]);
    const [earlier, later] = await ticksAt(source, [-HOUR, 20_000]);
    expect(earlier!.at).toBe(START - HOUR);
    expect(content({ ...earlier!, at: now!.at })).toEqual(content(now!));
    expect(content(later!)).toEqual(content((await ticksAt(straight, [0, 20_000]))[1]!));
  });

  test('a jump of years takes bounded work, keeps counters growing and ends in a plausible state', async () => {
    const source = openSimulator('gpu-lost,gpus=128');
    const before = await tickAt(source, 0);
    const began = performance.now();
    const after = await tickAt(source, 10 * 365 * 24 * HOUR);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(after.events.map(({ params }) => params)).toEqual([{ index: 5, code: 79 }]);
    expect(after.devices[5]!.state).toBe('lost');
    expect(value(after, 0, 'energy_joules_total')).toBeGreaterThan(value(before, 0, 'energy_joules_total'));
    expect(value(after, 0, 'power_watts')).toBeLessThan(200);
  });

  test('hands out the same process list as long as it does not change', async () => {
    const source = openSimulator('healthy-training');
    const [first, second] = await ticksAt(source, [0, 1000]);
    expect(second!.devices[0]!.processes).toBe(first!.devices[0]!.processes);
  });
});

test('docs/simulator.md describes every scenario in the words of --help', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/simulator.md'), 'utf8');
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  for (const { name, summary } of SCENARIOS) {
    expect(rows).toContainEqual(['', `\`${name}\``, summary.en, summary.zh, '']);
  }
});

function isMultiple(number: number, step: number): boolean {
  return Math.abs(number / step - Math.round(number / step)) < 1e-6;
}

/** A lowered clock has a reason, and a reason a lowered clock. */
function clockIsExplained(clock: number, reasons: number): boolean {
  if (reasons === 0x1) return clock === 345e6;
  return reasons === 0 ? clock === 1980e6 : clock < 1980e6;
}
